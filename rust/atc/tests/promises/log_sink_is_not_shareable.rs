// Must not compile: several threads may call a log sink (a closure) at the same time, so it must be `Sync`.
use std::cell::Cell;

fn main() {
    let lines = Cell::new(0);
    atc::log::set_sink(move |_, _| lines.set(lines.get() + 1)).unwrap();
}
