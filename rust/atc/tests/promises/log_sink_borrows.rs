// A log sink may be called at any time: it borrows nothing.
fn main() {
    let prefix = String::from("atc");
    atc::log::set_sink(|_, line| println!("{prefix}: {line}")).unwrap();
}
