// Must not compile: a plan cannot be shared, because only one thread at a time may use the plan.
fn shared<T: Sync>(_: &T) {}

fn main() {
    let plan = atc::Plan::new(atc::Device::Cpu, &atc::Problem::conv1d(1, 1, 4, 1)).unwrap();
    shared(&plan);
}
