// Must not compile: a view has elements of type fp32, bf16 or fp16, and not i32.
fn main() {
    let view = atc::TensorView::new(&[0i32; 4], &[2, 2]);
    drop(view);
}
