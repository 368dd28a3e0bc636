// Must not compile: options borrow their store, so the store must outlive the options.
fn main() {
    let options = {
        let store = atc::Store::open("folder").unwrap();
        atc::PlanOptions::new().store(&store)
    };
    let problem = atc::Problem::conv2d(1, 1, 4, 4, 1);
    atc::Plan::with_options(atc::Device::Cpu, &problem, &options).unwrap();
}
