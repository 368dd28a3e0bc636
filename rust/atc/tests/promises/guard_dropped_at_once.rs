// Must not compile: the guard is not kept in a variable, so its drop would undo the change immediately.
#![deny(unused_must_use)]

fn main() {
    atc::Settings::scoped(|settings| settings.benchmark_cudnn = true).unwrap();
}
