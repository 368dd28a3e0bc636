// A log sink may be called from any thread, several at once.
use std::cell::Cell;

fn main() {
    let lines = Cell::new(0);
    atc::log::set_sink(move |_, _| lines.set(lines.get() + 1)).unwrap();
}
