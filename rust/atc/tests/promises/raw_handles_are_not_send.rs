// The raw handles of the bindings promise nothing about threads.
fn moved<T: Send>() {}

fn main() {
    moved::<atc::sys::atc_conv_plan>();
}
