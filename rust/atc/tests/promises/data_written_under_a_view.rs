// Data that is lent out for reading is not written.
fn main() {
    let mut data = vec![0.0f32; 4];
    let view = atc::TensorView::new(&data, &[2, 2]).unwrap();
    data[0] = 1.0;
    println!("{:?}", view.shape());
}
