// Must not compile: the text of a progress report is valid only during the callback.
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
