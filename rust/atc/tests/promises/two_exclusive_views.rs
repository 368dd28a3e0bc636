// Must not compile: two views for writing cannot borrow the same data at the same time.
fn main() {
    let mut data = vec![0.0f32; 4];
    let first = atc::TensorViewMut::new(&mut data, &[2, 2]).unwrap();
    let second = atc::TensorViewMut::new(&mut data, &[2, 2]).unwrap();
    drop((first, second));
}
