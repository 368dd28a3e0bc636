// Must not compile: the elements of a view must be of type f32, bf16 or f16, and here they are i32.
fn main() {
    let view = atc::TensorView::new(&[0i32; 4], &[2, 2]);
    drop(view);
}
