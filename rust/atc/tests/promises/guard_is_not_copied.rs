// Must not compile: `restore` consumes the guard, so the guard cannot be used again.
fn main() {
    let guard = atc::Settings::scoped(|settings| settings.benchmark_cudnn = true).unwrap();
    guard.restore().unwrap();
    drop(guard);
}
