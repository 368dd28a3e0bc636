// Must not compile: data that a view borrows for reading cannot be written.
fn main() {
    let mut data = vec![0.0f32; 4];
    let view = atc::TensorView::new(&data, &[2, 2]).unwrap();
    data[0] = 1.0;
    println!("{:?}", view.shape());
}
