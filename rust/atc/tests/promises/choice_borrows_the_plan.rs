// Must not compile: the text of a choice belongs to the plan and cannot outlive it.
fn main() {
    let choice = {
        let plan = atc::Plan::new(atc::Device::Cpu, &atc::Problem::conv1d(1, 1, 4, 1)).unwrap();
        plan.choice().unwrap()
    };
    println!("{choice}");
}
