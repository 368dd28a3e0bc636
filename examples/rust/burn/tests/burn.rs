//! Runs the example with LibTorch's own convolutions and with atc's, and compares the losses.

use std::process::Command;

/// The losses of the steps, and the number of convolutions that atc ran; `None` for a run without atc.
fn run(arguments: &[&str]) -> (Vec<f64>, Option<u64>) {
    let output = Command::new(env!("CARGO_BIN_EXE_burn-on-libtorch"))
        .args(arguments)
        .output()
        .expect("the example starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}{errors}");
    let losses = text
        .lines()
        .filter_map(|line| line.split_once(" loss "))
        .map(|(_, loss)| loss.parse().expect("a loss"))
        .collect();
    let taken = text.lines().find_map(|line| {
        let counts = line.strip_prefix("convolutions run by atc ")?;
        counts.split(',').next()?.parse().ok()
    });
    (losses, taken)
}

#[test]
fn atc_runs_the_convolutions_of_an_unchanged_network() {
    let folder = std::env::temp_dir().join(format!("atc-burn-{}", std::process::id()));
    let store = folder.to_str().expect("a path of text");
    let (plain, of_plain) = run(&[]);
    assert_eq!((plain.len(), of_plain), (5, None));
    let (tuned, of_tuned) = run(&[store, "tune"]);
    let (replayed, of_replayed) = run(&[store]);
    std::fs::remove_dir_all(&folder).expect("the store is there");
    for losses in [&tuned, &replayed] {
        for (plain, loss) in plain.iter().zip(losses) {
            // Rounding errors of fp32.
            assert!((plain - loss).abs() < 1e-4 * plain, "{plain} {loss}");
        }
    }
    assert!(
        plain[4] < plain[0],
        "{plain:?}: the network has learned nothing"
    );
    let taken = |count: Option<u64>| count.expect("the line of counts");
    assert!(taken(of_tuned) > 0 && taken(of_replayed) > 0);
}
