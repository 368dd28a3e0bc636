//! Tests plans: their errors, their queries, and that a plan can be moved to another thread.
#![allow(missing_docs)]

mod support;

use atc::{
    Activation, Device, Direction, Epilogue, ErrorKind, Operand, Operands, Plan, PlanOptions,
    Problem, Source, Tensor, TensorView, Workspace, sys,
};

fn problem() -> Problem {
    Problem::conv2d(2, 3, 9, 8, 4).kernel(3).padding(1)
}

fn operands(problem: &Problem) -> [Tensor<f32>; 3] {
    let mut number = support::whole_numbers(7, 3);
    [Operand::X, Operand::W, Operand::Y].map(|operand| {
        let mut tensor = Tensor::zeros(problem, operand).unwrap();
        tensor.as_mut_slice().fill_with(&mut number);
        tensor
    })
}

#[test]
fn a_wrong_value_is_named() {
    for (problem, field) in [
        (problem().stride(0), "stride"),
        (problem().dilation([1, -1]), "dilation"),
        (problem().groups(2), "groups"),
        (problem().kernel(99), "kernel"),
        (Problem::new(1, 1, &[1; 4], 1), "spatial_dims"),
        (problem().kernel([1, 1, 1]), "kernel"),
    ] {
        let error = Plan::new(Device::Cpu, &problem).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.message().contains(field), "{field}: {error}");
        assert!(problem.validate().is_err(), "{field}");
    }
}

#[test]
fn a_wrong_operand_is_refused_and_the_output_untouched() {
    let problem = problem();
    let [x, w, mut y] = operands(&problem);
    let before = y.clone();
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    let short = TensorView::new(&x.as_slice()[..72], &[1, 1, 9, 8]).unwrap();
    let error = plan.execute(Operands::forward(&short, &w, &mut y)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains('x'), "{error}");
    let missing = plan.execute(Operands::forward_packed(&x, &mut y)).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::InvalidArgument);
    assert_eq!(y, before);
}

#[test]
fn operands_of_another_direction_are_refused_before_anything_is_written() {
    let problem = problem();
    let [mut x, w, y] = operands(&problem);
    let before = x.clone();
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    let error = plan.execute(Operands::backward_data(&w, &y, &mut x)).unwrap_err();
    assert!(error.message().contains("backward-data"), "{error}");
    let eager = atc::convolution(&problem, Operands::backward_data(&w, &y, &mut x)).unwrap_err();
    assert_eq!(eager.kind(), ErrorKind::InvalidArgument);
    assert_eq!(x, before);
}

#[test]
fn a_choice_can_be_asked_for_again() {
    let problem = problem();
    let [x, w, mut first] = operands(&problem);
    let mut second = first.clone();
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    assert!(plan.choice().unwrap().contains('@'), "{:?}", plan.choice());
    let mut same =
        Plan::with_choice(Device::Cpu, &problem, &PlanOptions::new(), plan.choice().unwrap())
            .unwrap();
    assert_eq!(same.source().unwrap(), Source::Given);
    assert_eq!(same.choice().unwrap(), plan.choice().unwrap());
    plan.execute(Operands::forward(&x, &w, &mut first)).unwrap();
    same.execute(Operands::forward(&x, &w, &mut second)).unwrap();
    assert_eq!(first, second);

    let unknown = Plan::with_choice(Device::Cpu, &problem, &PlanOptions::new(), "nobody@1:x");
    assert_eq!(unknown.unwrap_err().kind(), ErrorKind::Unsupported);
    let nul = Plan::with_choice(Device::Cpu, &problem, &PlanOptions::new(), "a\0b").unwrap_err();
    assert!(nul.message().contains("NUL"), "{nul}");
}

#[test]
fn candidates_are_told_without_times_where_nothing_was_measured() {
    let plan = Plan::new(Device::Cpu, &problem()).unwrap();
    let candidates = plan.candidates().unwrap();
    assert!(!candidates.is_empty());
    let choice = plan.choice().unwrap();
    let named = |candidate: &atc::Candidate| {
        format!("{}@{}:{}", candidate.engine, candidate.version, candidate.configuration)
    };
    assert!(candidates.iter().any(|candidate| named(candidate) == choice), "{choice}");
    assert!(candidates.iter().all(|candidate| candidate.timing.is_none()));
}

#[test]
fn packed_weights_and_own_workspace_give_the_same_result() {
    let problem = problem();
    let [x, w, mut expected] = operands(&problem);
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    plan.execute(Operands::forward(&x, &w, &mut expected)).unwrap();

    let mut y = Tensor::zeros(&problem, Operand::Y).unwrap();
    let mut workspace = Workspace::new(&plan).unwrap();
    assert!(workspace.size() >= plan.workspace_size().unwrap());
    plan.execute_with(Operands::forward(&x, &w, &mut y), &mut workspace).unwrap();
    assert_eq!(y, expected);

    let options = PlanOptions::new().constant_weights(true);
    let mut constant = Plan::with_options(Device::Cpu, &problem, &options).unwrap();
    constant.set_weights(&w).unwrap();
    let mut y = Tensor::zeros(&problem, Operand::Y).unwrap();
    constant.execute(Operands::forward_packed(&x, &mut y)).unwrap();
    // The results must be equal, although they may be added up in different orders: the operands
    // are whole numbers from -3 to 3, and each output is the sum of 27 products. So all sums are
    // whole numbers of at most 3 * 3 * 27, which are exact in fp32.
    assert_eq!(y, expected);
}

#[test]
fn scale_bias_residual_and_activation_follow_the_sum() {
    let plain = problem();
    let [x, w, mut sums] = operands(&plain);
    Plan::new(Device::Cpu, &plain).unwrap().execute(Operands::forward(&x, &w, &mut sums)).unwrap();
    let ended = plain
        .epilogue(Epilogue::Bias)
        .scale(true)
        .residual(true)
        .activation(Activation::LeakyRelu { slope: 0.5 });
    let mut number = support::whole_numbers(11, 3);
    let [bias, scale, residual] =
        [Operand::Bias, Operand::Scale, Operand::Residual].map(|operand| {
            let mut tensor = Tensor::<f32>::zeros(&ended, operand).unwrap();
            tensor.as_mut_slice().fill_with(&mut number);
            tensor
        });
    let mut y = Tensor::<f32>::zeros(&ended, Operand::Y).unwrap();
    let plane = 9 * 8;
    let expected: Vec<f32> = (0..y.as_slice().len())
        .map(|at| {
            let channel = at / plane % 4;
            let sum = scale.as_slice()[channel] * sums.as_slice()[at]
                + bias.as_slice()[channel]
                + residual.as_slice()[at];
            if sum < 0.0 { 0.5 * sum } else { sum }
        })
        .collect();
    let mut plan = Plan::new(Device::Cpu, &ended).unwrap();
    let missing = Operands::forward(&x, &w, &mut y).bias(&bias).residual(&residual);
    let error = plan.execute(missing).unwrap_err();
    assert!(error.message().contains("scale"), "{error}");
    let all = Operands::forward(&x, &w, &mut y).bias(&bias).scale(&scale).residual(&residual);
    plan.execute(all).unwrap();
    assert_eq!(y.as_slice(), expected);
    let limits = Activation::Clamp { low: 1.0, high: f32::NAN };
    let error = plain.activation(limits).validate().unwrap_err();
    assert!(error.message().contains("activation_high"), "{error}");
}

#[test]
fn on_a_stream_the_result_is_the_same_and_a_short_workspace_is_refused() {
    let problem = Problem::conv2d(2, 32, 14, 14, 32).kernel(3).padding(1);
    let [x, w, mut expected] = operands(&problem);
    let candidates = Plan::new(Device::Cpu, &problem).unwrap().candidates().unwrap();
    let Some(candidate) = candidates.iter().find(|candidate| candidate.workspace > 0) else {
        eprintln!("skipped: no candidate needs workspace (libatc without oneDNN)");
        return;
    };
    let choice = format!("{}@{}:{}", candidate.engine, candidate.version, candidate.configuration);
    let mut plan = Plan::with_choice(Device::Cpu, &problem, &PlanOptions::new(), &choice).unwrap();
    plan.execute(Operands::forward(&x, &w, &mut expected)).unwrap();
    let no_stream = std::ptr::null_mut();

    let mut y = Tensor::zeros(&problem, Operand::Y).unwrap();
    // SAFETY: on the CPU the call returns when the output is written.
    unsafe { plan.execute_on_stream(Operands::forward(&x, &w, &mut y), no_stream) }.unwrap();
    assert_eq!(y, expected);

    #[repr(align(64))]
    struct Line([u8; 64]);
    let size = plan.workspace_size().unwrap();
    let mut lines: Vec<Line> = (0..size / 64 + 1).map(|_| Line([0; 64])).collect();
    let workspace = lines.as_mut_ptr().cast();
    let mut y = Tensor::zeros(&problem, Operand::Y).unwrap();
    let operands = Operands::forward(&x, &w, &mut y);
    // SAFETY: on the CPU the call returns only when the output is written. The workspace `lines`
    // has more than `size` bytes.
    unsafe { plan.execute_on_stream_with(operands, workspace, size, no_stream) }.unwrap();
    assert_eq!(y, expected);
    assert!(lines.iter().any(|line| line.0 != [0; 64]), "another workspace was used");

    let operands = Operands::forward(&x, &w, &mut y);
    // SAFETY: the workspace `lines` has more than `size` bytes. The plan refuses the call, because
    // `size` - 1 is too small.
    let refused = unsafe { plan.execute_on_stream_with(operands, workspace, size - 1, no_stream) };
    let message = refused.unwrap_err().to_string();
    assert!(message.contains(&size.to_string()), "{message}");
}

#[test]
fn weights_that_are_the_output_cannot_be_constant() {
    let problem = problem().direction(Direction::BackwardWeight);
    let [_, w, _] = operands(&problem);
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    assert_eq!(plan.set_weights(&w).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_plan_moves_between_threads() {
    let problem = problem();
    let [x, w, mut expected] = operands(&problem);
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    plan.execute(Operands::forward(&x, &w, &mut expected)).unwrap();
    for _ in 0..4 {
        let (mut y, x, w) = (Tensor::zeros(&problem, Operand::Y).unwrap(), x.clone(), w.clone());
        let worker = std::thread::spawn(move || {
            plan.execute(Operands::forward(&x, &w, &mut y)).unwrap();
            (plan, y)
        });
        let (back, y) = worker.join().unwrap();
        plan = back;
        assert_eq!(y, expected);
    }
}

#[test]
fn plans_of_many_threads_do_not_disturb_each_other() {
    let problem = problem();
    let [x, w, mut expected] = operands(&problem);
    let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
    plan.execute(Operands::forward(&x, &w, &mut expected)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut plan = Plan::new(Device::Cpu, &problem).unwrap();
                for _ in 0..20 {
                    let mut y = Tensor::zeros(&problem, Operand::Y).unwrap();
                    plan.execute(Operands::forward(&x, &w, &mut y)).unwrap();
                    assert_eq!(y, expected);
                    let mut y = Tensor::zeros(&problem, Operand::Y).unwrap();
                    atc::convolution(&problem, Operands::forward(&x, &w, &mut y)).unwrap();
                    assert_eq!(y, expected);
                }
            });
        }
    });
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    let error = Plan::new(Device::Cuda(1_000), &problem()).unwrap_err();
    assert!(!error.message().is_empty());
    assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
}

#[test]
fn the_cache_counts_its_plans() {
    let _alone = support::alone();
    let problem = Problem::conv1d(1, 1, 29, 1).kernel(5);
    let [x, w, mut y] = operands(&problem);
    let before = atc::cache::statistics().unwrap();
    for _ in 0..3 {
        atc::convolution(&problem, Operands::forward(&x, &w, &mut y)).unwrap();
    }
    let after = atc::cache::statistics().unwrap();
    // Other tests of this program may use the plan cache at the same time, and increase its counts,
    // too. So this test only checks that the counts have grown enough.
    assert!(after.misses > before.misses, "{before:?} {after:?}");
    assert!(after.hits >= before.hits + 2, "{before:?} {after:?}");
    atc::cache::clear().unwrap();
}

#[test]
fn a_sample_depends_on_the_seed_and_is_spread_over_the_output() -> atc::Result<()> {
    let problem = Problem::conv2d(2, 8, 6, 6, 4).kernel(3).padding(1);
    let mut plan = Plan::new(Device::Cpu, &problem)?;
    let whole = plan.sample(1, 2 * 4 * 6 * 6)?;
    assert_eq!(plan.sample(1, whole.len())?, whole);
    assert_ne!(plan.sample(2, whole.len())?, whole);
    assert_eq!(plan.sample(1, 2)?, [whole[0], whole[whole.len() / 2]]);
    assert!(plan.sample(1, 0)?.is_empty());
    for count in [whole.len() + 1, 1 << 60, usize::MAX] {
        let error = plan.sample(1, count).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains(&format!("count is {count}")), "{error}");
    }
    Ok(())
}

#[test]
fn a_plan_goes_to_c_and_comes_back() {
    let problem = problem();
    let [x, w, mut y] = operands(&problem);
    let device = sys::atc_device { type_: sys::ATC_DEVICE_CPU, index: 0 };
    let mut handle = std::ptr::null_mut();
    let raw = problem.as_raw().unwrap();
    // SAFETY: the C function reads `raw` (the problem), writes `handle`, and uses these pointers
    // only during the call. The last argument, the pointer to the options, may be null.
    atc::call(|| unsafe { sys::atc_conv_plan_create(&mut handle, device, raw, std::ptr::null()) })
        .unwrap();
    // SAFETY: `handle` is a new plan for this device and this direction. It was made without an
    // allocator of the caller.
    let mut plan = unsafe { Plan::from_raw(handle, Device::Cpu, Direction::Forward) };
    assert_eq!(plan.as_raw_mut().cast_const(), plan.as_raw());
    plan.execute(Operands::forward(&x, &w, &mut y)).unwrap();
    let mut size = 0;
    // SAFETY: the plan is live, and the C function writes `size`.
    atc::call(|| unsafe { sys::atc_conv_plan_workspace_size(&mut size, plan.as_raw()) }).unwrap();
    assert_eq!(plan.workspace_size(), Ok(size));
    // SAFETY: `into_raw` has given up the ownership of the plan, so nothing else destroys it.
    unsafe { sys::atc_conv_plan_destroy(plan.into_raw()) };
    assert!(problem.stride([1]).as_raw().is_err());
}
