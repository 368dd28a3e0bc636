//! The callbacks by which atc uses candle's own convolution as an engine. They catch panics, and
//! report panics and errors to atc as a status.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use atc::sys;

use super::prepared::Prepared;
use super::task::why_not;

const CONFIGURATION: &CStr = c"convolution";

/// A status of atc with the text of the error.
struct Refusal(sys::atc_status, String);

impl From<candle_core::Error> for Refusal {
    fn from(error: candle_core::Error) -> Self {
        Self(sys::ATC_ERROR_INTERNAL, error.to_string())
    }
}

fn guard(work: impl FnOnce() -> Result<(), Refusal>) -> sys::atc_status {
    // `AssertUnwindSafe` is correct here: after a panic atc drops the candidate, so nothing uses
    // its state again.
    let result = catch_unwind(AssertUnwindSafe(work));
    let Refusal(status, text) = match result {
        Ok(Ok(())) => return sys::ATC_OK,
        Ok(Err(refusal)) => refusal,
        Err(_) => Refusal(sys::ATC_ERROR_INTERNAL, "candle's convolution has panicked".to_owned()),
    };
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // SAFETY: the string ends with NUL and exists until `atc_error_set` returns.
    unsafe { sys::atc_error_set(text.as_ptr()) };
    status
}

/// # Safety
/// The arguments are as atc/extend.h requires for this callback.
pub(super) unsafe extern "C" fn offers(
    _: *mut c_void,
    problem: *const sys::atc_conv_problem,
    limits: *const sys::atc_engine_limits,
    offer: sys::atc_offer_callback,
    payload: *mut c_void,
) -> sys::atc_status {
    guard(|| {
        // SAFETY: the caller obeys the section "Safety" of this function.
        let problem = unsafe { &*problem };
        if let Some(reason) = why_not(problem) {
            return Err(Refusal(sys::ATC_ERROR_UNSUPPORTED, reason.to_owned()));
        }
        // SAFETY: the caller obeys the section "Safety" of this function.
        let device = unsafe { (*limits).device };
        // An error is ignored here, because it occurs again when candle's convolution runs. atc
        // then reports it.
        let _ = Prepared::load_kernels(problem, device);
        let mut flags = sys::ATC_ENGINE_ORIGINAL;
        if problem.epilogue != sys::ATC_EPILOGUE_NONE {
            // candle rounds the result before it adds the bias, and again afterwards. Because of
            // this flag atc allows the additional rounding error when it checks the result.
            flags |= sys::ATC_ENGINE_ROUNDS_TWICE;
        }
        let own = sys::atc_engine_offer {
            struct_size: size_of::<sys::atc_engine_offer>() as u32,
            flags: flags as u32,
            workspace: 0,
            configuration: CONFIGURATION.as_ptr(),
            notes: c"candle's own convolution, with a copy of its result, and on the CPU of its operands".as_ptr(),
        };
        let Some(offer) = offer else { return Ok(()) };
        // SAFETY: atc copies the offer during the call, and `payload` is the pointer that atc
        // passed.
        match unsafe { offer(&own, payload) } {
            sys::ATC_OK => Ok(()),
            status => Err(Refusal(status, "the offer was refused".to_owned())),
        }
    })
}

/// # Safety
/// The arguments are as atc/extend.h requires for this callback.
pub(super) unsafe extern "C" fn prepare(
    prepared: *mut *mut c_void,
    _: *mut c_void,
    problem: *const sys::atc_conv_problem,
    limits: *const sys::atc_engine_limits,
    configuration: *const c_char,
) -> sys::atc_status {
    guard(|| {
        // SAFETY: the caller obeys the section "Safety" of this function.
        let configuration = unsafe { CStr::from_ptr(configuration) };
        if configuration != CONFIGURATION {
            let text = format!("candle has no configuration {configuration:?}");
            return Err(Refusal(sys::ATC_ERROR_UNSUPPORTED, text));
        }
        // SAFETY: the caller obeys the section "Safety" of this function.
        let device = unsafe { (*limits).device };
        // SAFETY: the caller obeys the section "Safety" of this function.
        let own = Prepared::new(unsafe { &*problem }, device)?;
        // SAFETY: the caller obeys the section "Safety" of this function.
        unsafe { prepared.write(Box::into_raw(Box::new(own)).cast()) };
        Ok(())
    })
}

/// # Safety
/// The arguments are as atc/extend.h requires for this callback.
pub(super) unsafe extern "C" fn execute(
    _: *mut c_void,
    prepared: *mut c_void,
    operands: *mut sys::atc_engine_operands,
) -> sys::atc_status {
    guard(|| {
        // SAFETY: `prepare` made the object, and only one thread at a time uses it.
        let prepared = unsafe { &*prepared.cast::<Prepared>() };
        // SAFETY: the caller obeys the section "Safety" of this function.
        let operands = unsafe { &*operands };
        // SAFETY: atc passes the operands of the problem for which `prepared` was made.
        unsafe { prepared.execute(operands) }?;
        Ok(())
    })
}

/// # Safety
/// The arguments are as atc/extend.h requires for this callback.
pub(super) unsafe extern "C" fn release(_: *mut c_void, prepared: *mut c_void) {
    // SAFETY: `prepare` made the object, and atc releases it only once.
    let own = unsafe { Box::from_raw(prepared.cast::<Prepared>()) };
    guard(|| {
        drop(own);
        Ok(())
    });
}
