// Must not compile: the text that `Plan::choice` returns borrows the plan, so the text cannot outlive the plan.
fn main() {
    let choice = {
        let plan = atc::Plan::new(atc::Device::Cpu, &atc::Problem::conv1d(1, 1, 4, 1)).unwrap();
        plan.choice().unwrap()
    };
    println!("{choice}");
}
