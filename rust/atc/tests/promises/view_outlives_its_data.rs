// Must not compile: a view borrows its data, so the view cannot outlive the data.
fn main() {
    let view = {
        let data = vec![0.0f32; 4];
        atc::TensorView::new(&data, &[2, 2]).unwrap()
    };
    println!("{:?}", view.shape());
}
