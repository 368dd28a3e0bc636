// Must not compile: the raw handles of the bindings cannot be moved to another thread.
fn moved<T: Send>() {}

fn main() {
    moved::<atc::sys::atc_conv_plan>();
}
