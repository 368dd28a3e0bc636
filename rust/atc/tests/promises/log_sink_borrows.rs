// Must not compile: a log sink (a closure) may be called at any later time, so it cannot borrow local data.
fn main() {
    let prefix = String::from("atc");
    atc::log::set_sink(|_, line| println!("{prefix}: {line}")).unwrap();
}
