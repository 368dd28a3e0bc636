//! The type of a device, and a function that runs work and waits until the device has finished it.

use std::fmt;
use std::str::FromStr;

use crate::raw::call::call;
use crate::raw::error::{Error, Result};
use crate::raw::panic;
use crate::sys;

/// The device on which a convolution runs. The text of a device is `cpu` or `cuda:INDEX`, for
/// example `cuda:0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Device {
    /// The CPU.
    Cpu,
    /// The CUDA device with this index.
    Cuda(i32),
}

impl Device {
    pub(crate) fn to_raw(self) -> sys::atc_device {
        match self {
            Self::Cpu => sys::atc_device { type_: sys::ATC_DEVICE_CPU, index: 0 },
            Self::Cuda(index) => sys::atc_device { type_: sys::ATC_DEVICE_CUDA, index },
        }
    }

    pub(crate) fn from_raw(raw: sys::atc_device) -> Result<Self> {
        match raw.type_ {
            sys::ATC_DEVICE_CPU => Ok(Self::Cpu),
            sys::ATC_DEVICE_CUDA => Ok(Self::Cuda(raw.index)),
            other => Err(Error::invalid(format!("device type {other}: use 1 (CPU) or 2 (CUDA)"))),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => formatter.pad("cpu"),
            Self::Cuda(index) => formatter.pad(&format!("cuda:{index}")),
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    /// Parses `cpu`, `cuda:INDEX`, or `cuda`, which stands for `cuda:0`.
    fn from_str(text: &str) -> Result<Self> {
        let index = match text {
            "cpu" => return Ok(Self::Cpu),
            "cuda" => Some(0),
            _ => text.strip_prefix("cuda:").and_then(|index| index.parse().ok()),
        };
        index
            .filter(|index| *index >= 0)
            .map(Self::Cuda)
            .ok_or_else(|| Error::invalid(format!("{text:?} is no device: use cpu or cuda:INDEX")))
    }
}

#[cfg(feature = "serde")]
crate::raw::c_enum::serde_by_text!(Device);

/// Calls `queue`, which queues work on a device, and waits until the device has finished all its
/// work. The function also waits if `queue` fails. A closure for the log may panic during `queue`.
/// Such a panic is resumed only after the wait. So the unwinding cannot free memory that the device
/// still uses.
pub(crate) fn run_and_wait(device: Device, queue: impl FnOnce() -> Result<()>) -> Result<()> {
    let queued = panic::hold(queue);
    let finished = match device {
        // SAFETY: the call passes only a plain value, and no pointer.
        Device::Cuda(index) => call(|| unsafe { sys::atc_synchronize(index) }),
        Device::Cpu => Ok(()),
    };
    panic::resume();
    queued.and(finished)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_log_goes_on_when_the_device_was_waited_for() {
        let queue = || {
            call(|| {
                panic::catch(|| std::panic::resume_unwind(Box::new("in the log")));
                sys::ATC_OK
            })
        };
        for device in [Device::Cpu, Device::Cuda(-2)] {
            std::panic::catch_unwind(|| run_and_wait(device, queue)).unwrap_err();
        }
        // The last device in the loop does not exist: it has the index -2. So the wait for this
        // device fails and sets the thread's error text. The text shows that the wait was made
        // before the panic was resumed.
        let last = crate::raw::error::check(sys::ATC_ERROR_INVALID_ARGUMENT).unwrap_err();
        assert!(last.message().contains("-2"), "{last}");
    }

    #[test]
    fn devices_are_written_as_they_are_read() {
        for device in [Device::Cpu, Device::Cuda(0), Device::Cuda(7)] {
            assert_eq!(device.to_string().parse(), Ok(device));
            assert_eq!(Device::from_raw(device.to_raw()), Ok(device));
        }
        assert_eq!("cuda".parse(), Ok(Device::Cuda(0)));
        for wrong in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:0"] {
            assert!(wrong.parse::<Device>().is_err(), "{wrong:?} was taken");
        }
    }
}
