// Must not compile: a guard that is not kept would restore the switches at once.
#![deny(unused_must_use)]

fn main() {
    atc::Settings::scoped(|settings| settings.benchmark_cudnn = true).unwrap();
}
