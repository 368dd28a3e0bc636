//! Checks at compile time which types may move to another thread, and which may be shared.
#![allow(missing_docs)]

fn moves<T: Send>() {}
fn is_shared<T: Sync>() {}

#[test]
fn values_views_and_stores_may_be_shared() {
    moves::<atc::TensorView<'_>>();
    is_shared::<atc::TensorView<'_>>();
    moves::<atc::TensorViewMut<'_>>();
    is_shared::<atc::TensorViewMut<'_>>();
    moves::<atc::Operands<'_>>();
    is_shared::<atc::Operands<'_>>();
    moves::<atc::Problem>();
    is_shared::<atc::Problem>();
    moves::<atc::PlanOptions>();
    is_shared::<atc::PlanOptions>();
    moves::<atc::Report>();
    is_shared::<atc::Report>();
    moves::<atc::Workspace>();
    is_shared::<atc::Workspace>();
    moves::<atc::Store>();
    is_shared::<atc::Store>();
    moves::<atc::SettingsGuard>();
    moves::<atc::Plan>();
    moves::<atc::Error>();
    is_shared::<atc::Error>();
}

#[test]
fn a_view_is_read_by_several_threads() -> atc::Result<()> {
    let problem = atc::Problem::conv1d(1, 1, 8, 1).kernel(3);
    let data = [1.0f32; 8];
    let x = atc::TensorView::of(&data, &problem, atc::Operand::X)?;
    let w = atc::Tensor::<f32>::ones(&problem, atc::Operand::W)?;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut y = [0.0f32; 6];
                let mut out = atc::TensorViewMut::of(&mut y, &problem, atc::Operand::Y).unwrap();
                atc::convolution(&problem, atc::Operands::forward(&x, &w, &mut out)).unwrap();
                assert_eq!(y, [3.0; 6]);
            });
        }
    });
    Ok(())
}
