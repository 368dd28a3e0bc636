// Must not compile: only one view at a time can borrow data for writing.
fn main() {
    let mut data = vec![0.0f32; 4];
    let first = atc::TensorViewMut::new(&mut data, &[2, 2]).unwrap();
    let second = atc::TensorViewMut::new(&mut data, &[2, 2]).unwrap();
    drop((first, second));
}
