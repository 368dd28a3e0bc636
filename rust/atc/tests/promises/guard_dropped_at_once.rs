// A guard that is not kept restores at once.
#![deny(unused_must_use)]

fn main() {
    atc::Settings::scoped(|settings| settings.benchmark_cudnn = true).unwrap();
}
