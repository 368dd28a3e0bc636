//! Tests the module `atc::cudarc`: memory, streams and plans. The tests run on the CUDA devices of this machine. They
//! also run on two simulated devices, if the stand-ins were built: libraries in tests/fault that imitate the CUDA
//! driver and cuDNN. If there are neither devices nor stand-ins, the tests are skipped and print the reason.
#![allow(missing_docs)]

mod support;

use std::ffi::{CStr, c_char};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, Once, PoisonError};

use atc::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use atc::cudarc::{CudaOperands, CudaPlan, allocate_by_cudarc};
use atc::{Device, Epilogue, ErrorKind, Operand, Operands, Plan, PlanOptions, Problem, Tensor};
use support::whole_numbers;

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

/// A lock that makes the tests run one after the other. They must not run at the same time, because some tests count
/// calls of the CUDA driver, and one test changes the allocator of the process.
static TURN: Mutex<()> = Mutex::new(());

/// The name of an environment variable. It is set if this process runs with the stand-in, a library that imitates the
/// CUDA driver.
const STAND_IN: &str = "ATC_TEST_STAND_IN";

/// Returns the contexts of the first two devices. If there is no device, prints a message and returns an empty list.
/// The function asks atc for the number of devices, because cudarc would panic if there is no CUDA driver.
fn contexts() -> Vec<Arc<CudaContext>> {
    static ENGINE: Once = Once::new();
    ENGINE.call_once(|| {
        if let Some(stand_in) = StandIn::open() {
            stand_in.propose_an_engine();
        }
    });
    let count = atc::device::cuda_device_count().unwrap();
    if count == 0 {
        println!("skipped: no CUDA device");
    }
    (0..count.min(2) as usize).map(|index| CudaContext::new(index).unwrap()).collect()
}

fn problem() -> Problem {
    Problem::conv2d(2, 4, 9, 8, 6).kernel(3).padding(1).stride(2)
}

/// Returns x, w and y of a problem, in host memory. x and w are random whole numbers, and y is computed on the CPU.
fn on_host(problem: &Problem) -> [Vec<f32>; 3] {
    let mut number = whole_numbers(7, 3);
    let mut tensor = |operand| {
        let mut tensor = Tensor::<f32>::zeros(problem, operand).unwrap();
        tensor.as_mut_slice().fill_with(&mut number);
        tensor
    };
    let (x, w) = (tensor(Operand::X), tensor(Operand::W));
    let mut y = Tensor::<f32>::zeros(problem, Operand::Y).unwrap();
    Plan::new(Device::Cpu, problem).unwrap().execute(Operands::forward(&x, &w, &mut y)).unwrap();
    [x, w, y].map(|tensor| tensor.as_slice().to_vec())
}

struct Memory {
    x: CudaSlice<f32>,
    w: CudaSlice<f32>,
    y: CudaSlice<f32>,
}

impl Memory {
    /// Copies x and w to the device, and fills y with NaN. So a test fails if an element of y is not written.
    fn new(stream: &Arc<CudaStream>, [x, w, y]: &[Vec<f32>; 3]) -> Self {
        let y = vec![f32::NAN; y.len()];
        Self {
            x: stream.clone_htod(x).unwrap(),
            w: stream.clone_htod(w).unwrap(),
            y: stream.clone_htod(&y).unwrap(),
        }
    }
}

/// Checks that y has the wanted numbers. These are whole numbers, and they are so small that most kernels compute them
/// exactly, even in TF32. Kernels that transform their operands (Winograd, FFT) are not exact, so an error of less than
/// 0.5 is allowed.
fn expect(stream: &Arc<CudaStream>, y: &CudaSlice<f32>, wanted: &[f32]) {
    let y = stream.clone_dtoh(y).unwrap();
    assert_eq!(y.len(), wanted.len());
    for (at, (y, wanted)) in y.iter().zip(wanted).enumerate() {
        assert!((y - wanted).abs() < 0.5, "element {at} is {y}, not {wanted}");
    }
}

#[test]
fn eager_calls_and_plans_on_each_device_and_stream() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for context in contexts() {
        let problem = problem();
        let host = on_host(&problem);
        for stream in [context.default_stream(), context.new_stream()?, context.new_stream()?] {
            let mut memory = Memory::new(&stream, &host);
            let Memory { x, w, y } = &mut memory;
            CudaOperands::forward(&stream, &problem, x, w, y)?.convolve()?;
            expect(&stream, y, &host[2]);

            stream.memset_zeros(y)?;
            let device = Device::Cuda(context.ordinal() as i32);
            let plan = Plan::new(device, &problem)?;
            assert_eq!(plan.device(), device);
            let mut plan = CudaPlan::new(plan, &stream)?;
            plan.execute(CudaOperands::forward(&stream, &problem, x, w, y)?)?;
            expect(&stream, y, &host[2]);

            // x is a view of a part of a larger allocation, and y is a mutable view.
            stream.memset_zeros(y)?;
            let (before, length) = (16, host[0].len());
            let wide: Vec<f32> =
                [vec![f32::NAN; before], host[0].clone(), vec![f32::NAN; 5]].concat();
            let wide = stream.clone_htod(&wide)?;
            let view = wide.slice(before..before + length);
            let mut plan = CudaPlan::acquire(&problem, &PlanOptions::new(), &stream)?;
            plan.execute(CudaOperands::forward(
                &stream,
                &problem,
                &view,
                w,
                &mut y.as_view_mut(),
            )?)?;
            expect(&stream, y, &host[2]);
            assert_eq!(plan.into_plan()?.device(), device);
        }
    }
    Ok(())
}

#[test]
fn gradients_and_the_bias() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for context in contexts() {
        let stream = context.new_stream()?;
        // The problem has one pixel and one channel. So in each direction the result is one number, the product of the
        // two inputs.
        let problem = Problem::conv2d(1, 1, 1, 1, 1).kernel(1);
        let memory = |value: f32| stream.clone_htod(&[value]);
        let (a, b, mut out) = (memory(3.0)?, memory(5.0)?, memory(0.0)?);
        let data = problem.direction(atc::Direction::BackwardData);
        CudaOperands::backward_data(&stream, &data, &a, &b, &mut out)?.convolve()?;
        expect(&stream, &out, &[15.0]);
        stream.memset_zeros(&mut out)?;
        let weight = problem.direction(atc::Direction::BackwardWeight);
        CudaOperands::backward_weight(&stream, &weight, &a, &b, &mut out)?.convolve()?;
        expect(&stream, &out, &[15.0]);
        let with_bias = problem.epilogue(Epilogue::Bias);
        CudaOperands::forward(&stream, &with_bias, &a, &b, &mut out)?
            .bias(&memory(7.0)?)?
            .convolve()?;
        expect(&stream, &out, &[22.0]);
        // This call must fail, because the operands are for another direction than the problem.
        let refused = CudaOperands::forward(&stream, &data, &a, &b, &mut out)?.convolve();
        assert!(refused.unwrap_err().message().contains("forward"));
    }
    Ok(())
}

#[test]
fn memory_of_the_wrong_type_length_or_device_is_refused() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let contexts = contexts();
    let Some(context) = contexts.first() else { return Ok(()) };
    let stream = context.new_stream()?;
    let problem = problem();
    let mut memory = Memory::new(&stream, &on_host(&problem));
    let Memory { x, w, y } = &mut memory;
    let refused = |result: atc::Result<CudaOperands<'_>>, parts: &[&str]| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        for part in parts {
            assert!(error.message().contains(part), "{part}: {error}");
        }
    };
    let half = stream.alloc_zeros::<atc::half::f16>(x.len())?;
    refused(CudaOperands::forward(&stream, &problem, &half, w, y), &["x:", "f16", "f32"]);
    let short = x.slice(1..);
    let reached = x.len().to_string();
    refused(CudaOperands::forward(&stream, &problem, &short, w, y), &["x:", &reached]);
    refused(
        CudaOperands::forward(&stream, &problem, x, w, &mut y.slice_mut(..3)),
        &["y:", "has 3"],
    );
    let bias = stream.alloc_zeros::<f32>(5)?;
    let with_bias = problem.epilogue(Epilogue::Bias);
    refused(CudaOperands::forward(&stream, &with_bias, x, w, y)?.bias(&bias), &["bias:", "has 5"]);
    let plan = Plan::new(Device::Cpu, &problem)?;
    assert!(CudaPlan::new(plan, &stream).unwrap_err().message().contains("cpu"));
    let other_stream = context.new_stream()?;
    let mut plan = CudaPlan::new(Plan::new(Device::Cuda(0), &problem)?, &other_stream)?;
    let refused_stream = plan.execute(CudaOperands::forward(&stream, &problem, x, w, y)?);
    assert!(refused_stream.unwrap_err().message().contains("another stream"));
    if let Some(second) = contexts.get(1) {
        let elsewhere = second.new_stream()?;
        let result = CudaOperands::forward(&elsewhere, &problem, x, w, y);
        refused(result, &["x:", "cuda:0", "cuda:1"]);
        let plan = Plan::new(Device::Cuda(0), &problem)?;
        assert!(CudaPlan::new(plan, &elsewhere).unwrap_err().message().contains("cuda:1"));
    }
    Ok(())
}

/// Two streams use the same memory alternately, and memory is dropped while queued work still uses it. The results must
/// be right nevertheless, because cudarc makes the streams wait for each other.
#[test]
fn cudarc_orders_the_streams() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for context in contexts() {
        let problem = Problem::conv2d(1, 8, 64, 64, 8).kernel(1);
        let (first, second) = (context.new_stream()?, context.new_stream()?);
        let identity: Vec<f32> = (0..64).map(|at| f32::from(u8::from(at % 9 == 0))).collect();
        let w = first.clone_htod(&identity)?;
        let ones = vec![1.0f32; 8 * 64 * 64];
        let mut x = first.clone_htod(&ones)?;
        for round in 0..20 {
            let stream = if round % 2 == 0 { &second } else { &first };
            // SAFETY: `y` is allocated without values, and the convolution writes all its elements.
            let mut y = unsafe { stream.alloc::<f32>(ones.len()) }?;
            CudaOperands::forward(stream, &problem, &x, &w, &mut y)?.convolve()?;
            drop(std::mem::replace(&mut x, y));
        }
        expect(&first, &x, &ones);
        if let Some(stand_in) = StandIn::open() {
            let calls = || (stand_in.calls(c"cuStreamWaitEvent"), stand_in.calls(c"cuEventRecord"));
            // SAFETY: `y` is allocated without values, and the convolution writes all its elements.
            let mut y = unsafe { second.alloc::<f32>(ones.len()) }?;
            let operands = CudaOperands::forward(&second, &problem, &x, &w, &mut y)?;
            let (waits, records) = calls();
            operands.convolve()?;
            // cudarc must record three events (one for each of x, w and y), and must record them after the work was
            // queued.
            assert_eq!(calls().1 - records, 3);
            assert_eq!(stand_in.count(c"fault_is_last_driver_call", c"cuEventRecord"), 1);
            assert_eq!(calls().0, waits);
            // The stream `first` must wait for four events before it uses the operands: the last write of x, the last
            // write of w, and the last read and the last write of y, which is the output.
            let operands = CudaOperands::forward(&first, &problem, &x, &w, &mut y)?;
            assert_eq!(calls().0 - waits, 4);
            drop(operands);
            assert_eq!(stand_in.misuses(), 0);
        }
    }
    Ok(())
}

#[test]
fn cudarc_allocates_the_memory_of_atc() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let contexts = contexts();
    let Some(context) = contexts.first() else { return Ok(()) };
    let stream = context.new_stream()?;
    let problem = problem();
    let host = on_host(&problem);
    let alive = || StandIn::open().map(|stand_in| stand_in.alive(c"device memory"));
    let retained = || StandIn::open().map(|stand_in| stand_in.calls(c"cuDevicePrimaryCtxRetain"));
    let before = alive();
    allocate_by_cudarc()?;
    let contexts_before = retained();
    {
        let mut memory = Memory::new(&stream, &host);
        let Memory { x, w, y } = &mut memory;
        CudaOperands::forward(&stream, &problem, x, w, y)?.convolve()?;
        expect(&stream, y, &host[2]);
    }
    // The primary context of the device was retained once more: by the allocator that `allocate_by_cudarc` has set,
    // when it allocated the workspace.
    assert_eq!(retained(), contexts_before.map(|count| count + 1));
    atc::cache::clear()?;
    // SAFETY: a null pointer is allowed: it restores atc's own allocator.
    atc::call(|| unsafe { atc::sys::atc_allocator_set(std::ptr::null()) })?;
    assert_eq!(alive(), before, "memory that was not freed");
    Ok(())
}

/// Runs the other tests of this file in a new process, which loads the stand-in (a library that imitates the CUDA
/// driver) in place of the driver.
#[test]
fn on_the_stand_in() {
    if std::env::var_os(STAND_IN).is_some() {
        return;
    }
    let stand_ins = Path::new(atc::sys::library_folder()).join("../tests/fault");
    let driver = stand_ins.join("fault_driver/libcuda.so.1");
    if !driver.exists() {
        println!(
            "skipped: no stand-in for the CUDA driver ({}): build it with CMake",
            driver.display()
        );
        return;
    }
    // cudarc opens the CUDA driver under the name libcuda.so, and atc under the name libcuda.so.1. So the folder gets
    // links with both names to the stand-in (the library that imitates the driver).
    let folder = std::env::temp_dir().join(format!("atc-cudarc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in ["libcuda.so", "libcuda.so.1"] {
        symlink(&driver, folder.join(name)).expect("a link");
    }
    symlink(stand_ins.join("fault_cudnn/libcudnn.so.9"), folder.join("libcudnn.so.9"))
        .expect("a link");
    let before = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = std::iter::once(folder.clone()).chain(std::env::split_paths(&before));
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--skip", "on_the_stand_in", "--nocapture"])
        .env(STAND_IN, "1")
        .env("LD_LIBRARY_PATH", std::env::join_paths(folders).expect("folders without a colon"))
        .env("ATC_LIBRARY_PATH", &folder)
        .output()
        .expect("a child");
    std::fs::remove_dir_all(&folder).expect("the folder");
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && !said.contains("skipped:"), "{child:#?}");
}

/// A handle of libfault_machine.so, the library that simulates the devices for the stand-ins. Its functions return
/// counts, for example of calls of the CUDA driver.
struct StandIn(*mut std::ffi::c_void);

impl StandIn {
    /// Opens libfault_machine.so. Returns `None` if this process does not run with the stand-in (the library that
    /// imitates the CUDA driver).
    fn open() -> Option<Self> {
        std::env::var_os(STAND_IN)?;
        // The stand-in loads libfault_machine.so at the first call of the driver, which is made here.
        let driver = CudaContext::device_count();
        assert!(driver.is_ok(), "{driver:?}");
        // SAFETY: the name is a string that ends with NUL.
        let library = unsafe { libc::dlopen(c"libfault_machine.so".as_ptr(), libc::RTLD_NOW) };
        assert!(!library.is_null(), "the stand-in has no machine");
        Some(Self(library))
    }

    fn function(&self, name: &CStr) -> *mut std::ffi::c_void {
        // SAFETY: the library is open, and the name is a string that ends with NUL.
        let function = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!function.is_null(), "the machine lacks {name:?}");
        function
    }

    fn count(&self, function: &CStr, of: &CStr) -> i64 {
        let function = self.function(function);
        // SAFETY: the tests pass to `count` only names of functions that have this type.
        let function: extern "C" fn(*const c_char) -> i64 =
            unsafe { std::mem::transmute(function) };
        function(of.as_ptr())
    }

    fn propose_an_engine(&self) {
        let function = self.function(c"fault_propose_an_engine");
        // SAFETY: the C function `fault_propose_an_engine` has this type.
        let function: extern "C" fn() = unsafe { std::mem::transmute(function) };
        function();
    }

    fn calls(&self, of: &CStr) -> i64 {
        self.count(c"fault_driver_calls", of)
    }

    fn alive(&self, kind: &CStr) -> i64 {
        self.count(c"fault_alive", kind)
    }

    fn misuses(&self) -> i64 {
        let function = self.function(c"fault_misuses");
        // SAFETY: the C function `fault_misuses` has this type.
        let function: extern "C" fn() -> i64 = unsafe { std::mem::transmute(function) };
        function()
    }
}
