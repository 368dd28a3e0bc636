// Must not compile: libatc only knows the element types fp32, bf16 and fp16.
fn main() {
    let view = atc::TensorView::new(&[0i32; 4], &[2, 2]);
    drop(view);
}
