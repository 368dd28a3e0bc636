// A guard restores once.
fn main() {
    let guard = atc::Settings::scoped(|settings| settings.benchmark_cudnn = true).unwrap();
    guard.restore().unwrap();
    drop(guard);
}
