//! Registers candle's own convolution as an engine of atc. So a race (the measurement of the candidates) also times
//! candle's convolution, and chooses it if it is the fastest candidate.

mod callbacks;
mod on_cpu;
#[cfg(feature = "cuda")]
mod on_cuda;
mod prepared;
mod task;

use std::sync::OnceLock;

use atc::{Error, Plan, sys};

/// The name of the engine. The user sees it in the names of implementations (`candle@0.11:convolution`) and writes it
/// in pin files.
pub(crate) const NAME: &str = "candle";

#[cfg(feature = "cuda")]
const DEVICE_TYPE: i32 = sys::ATC_ENGINE_EVERY_DEVICE;
#[cfg(not(feature = "cuda"))]
const DEVICE_TYPE: i32 = sys::ATC_DEVICE_CPU;

/// Registers the engine. Only the first call in the process registers it; later calls return the result of the first.
pub(crate) fn register() -> Result<(), Error> {
    static REGISTERED: OnceLock<Result<(), Error>> = OnceLock::new();
    REGISTERED
        .get_or_init(|| {
            let engine = sys::atc_engine {
                struct_size: size_of::<sys::atc_engine>() as u32,
                device_type: DEVICE_TYPE,
                name: c"candle".as_ptr(),
                // The version of candle that Cargo.toml requires.
                version: c"0.11".as_ptr(),
                offers: Some(callbacks::offers),
                prepare: Some(callbacks::prepare),
                execute: Some(callbacks::execute),
                release: Some(callbacks::release),
                ..Default::default()
            };
            // SAFETY: the struct is copied, the strings are static, and the callbacks follow the contract of atc/extend.h.
            atc::call(|| unsafe { sys::atc_engine_register(&engine) })
        })
        .clone()
}

/// Returns whether a plan runs candle's own convolution.
pub(crate) fn is_chosen(plan: &Plan) -> Result<bool, Error> {
    let choice = plan.choice()?;
    Ok(choice.strip_prefix(NAME).is_some_and(|rest| rest.starts_with('@')))
}
