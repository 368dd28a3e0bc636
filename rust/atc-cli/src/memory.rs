//! Finds problems whose tensors do not fit into the memory of the device. Such a problem is not
//! measured. On the CPU, measuring it would make the machine swap, or the system would kill the
//! process.

use atc::Operand;

use crate::document::DeviceInfo;
use crate::problems::Request;
use crate::{convert, units};

/// Returns the reason why a problem cannot be measured. Returns `None` if its tensors fit, or if
/// their size or the size of the memory is not known.
pub fn refusal(request: &Request, device: &DeviceInfo) -> Option<String> {
    let all = bytes_of(request)?;
    (device.memory_bytes > 0 && all > device.memory_bytes).then(|| {
        format!(
            "its tensors take more than the {} that {} has",
            units::bytes(device.memory_bytes),
            device.device
        )
    })
}

/// Returns the size of x, w and y together in bytes; `None` if libatc does not accept the problem.
fn bytes_of(request: &Request) -> Option<u64> {
    let problem = convert::problem(request);
    let size = request.dtype.bytes();
    [Operand::X, Operand::W, Operand::Y].into_iter().try_fold(0_u64, |sum, operand| {
        let extents = problem.shape(operand).ok()?.into_iter().map(i64::unsigned_abs);
        Some(sum.saturating_add(extents.fold(size, u64::saturating_mul)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::tests::request;

    #[test]
    fn tensors_are_held_against_the_memory() {
        let device = |memory_bytes| DeviceInfo {
            device: "cpu".to_owned(),
            memory_bytes,
            ..DeviceInfo::default()
        };
        let one = request("a 2 4 0 8 8 4 0 3 3 1 1 1 1");
        // x and y have 2 x 4 x 8 x 8 elements, w has 4 x 4 x 3 x 3; each element has four bytes.
        let bytes = 4 * (2 * 512 + 144);
        assert_eq!(refusal(&one, &device(bytes)), None);
        assert_eq!(
            refusal(&one, &device(bytes - 1)).as_deref(),
            Some("its tensors take more than the 4.6 KiB that cpu has")
        );
        assert_eq!(refusal(&one, &device(0)), None, "unknown");
        let many = request("a 99999999999 4 0 8 8 4 0 3 3 1 1 1 1");
        assert_eq!(
            refusal(&many, &device(24 << 30)).as_deref(),
            Some("its tensors take more than the 24 GiB that cpu has")
        );
    }
}
