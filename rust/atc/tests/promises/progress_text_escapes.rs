// Must not compile: the text in a `Progress` is valid only inside the closure that gets the `Progress`.
use std::ops::ControlFlow;

fn main() {
    let mut last = "";
    atc::Tuner::new(atc::Device::Cpu)
        .on_progress(|progress| {
            last = progress.description;
            ControlFlow::Continue(())
        })
        .run(&[])
        .unwrap();
    println!("{last}");
}
