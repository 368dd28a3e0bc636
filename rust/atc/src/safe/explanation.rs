//! Which choice a problem gets without measuring, and why.

use crate::raw::c_enum::c_enum;
use crate::raw::call::{call, positive, query, size_of_u32, text};
use crate::raw::error::{Error, Result};
use crate::raw::handle::{Owned, create};
use crate::safe::candidate::{Candidate, Source};
use crate::safe::device::Device;
use crate::safe::options::PlanOptions;
use crate::safe::problem::Problem;
use crate::sys;

c_enum! {
    /// The rule by which a decision chose its winner. The default is the candidate that runs without tuning.
    Rule ("rule") {
        /// Nothing was measured. The choice is the default engine's first offer.
        FirstOffer = ATC_RULE_FIRST_OFFER => "first-offer",
        /// No other candidate was timed.
        Alone = ATC_RULE_ALONE => "alone",
        /// The choice is the default, which is the fastest candidate. If the default was not timed:
        /// the choice is the fastest candidate.
        Fastest = ATC_RULE_FASTEST => "fastest",
        /// The choice is faster than the default by more than the tie margin.
        Faster = ATC_RULE_FASTER => "faster",
        /// The choice is the default: no candidate is faster by more than the tie margin and the
        /// noise.
        TieDefault = ATC_RULE_TIE_DEFAULT => "tie-default",
        /// The choice is tied with the default. The default may have to be compiled in each
        /// process, whereas the compiled form of the choice is stored.
        TieKept = ATC_RULE_TIE_KEPT => "tie-kept",
        /// The choice is tied with a faster candidate, but has less to compile or needs less
        /// workspace.
        TieLighter = ATC_RULE_TIE_LIGHTER => "tie-lighter",
        /// Another candidate is faster on the device, but the host needs longer to issue it.
        Host = ATC_RULE_HOST => "host",
        /// The choice is the fastest candidate that is as precise as `strict_precision` requires.
        Precise = ATC_RULE_PRECISE => "precise",
    }
}

/// The choice that a plan of a problem gets without measuring, and the reason for it.
///
/// ```
/// use atc::{Device, Explanation, PlanOptions, Problem};
///
/// # fn main() -> atc::Result<()> {
/// let problem = Problem::conv2d(1, 8, 14, 14, 8).kernel(3).padding(1);
/// let explanation = Explanation::new(Device::Cpu, &problem, &PlanOptions::new())?;
/// println!("{}: {}", explanation.choice, explanation.why);
/// for entrant in explanation.entrants.iter().filter(|entrant| entrant.offers == 0) {
///     println!("{} offers nothing: {}", entrant.name, entrant.why_not);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Explanation {
    /// The problem in one line, for people.
    pub description: String,
    /// How the decision came about; `None` if nothing can run the problem.
    pub source: Option<Source>,
    /// The rule that led to the choice; `None` if nothing can run the problem.
    pub rule: Option<Rule>,
    /// The choice: `engine@version:configuration`; empty if nothing can run the problem.
    pub choice: String,
    /// The rule with its figures. If nothing can run the problem: each engine's reason.
    pub why: String,
    /// The decision is provisional.
    pub provisional: bool,
    /// By how much the choice may be slower than another candidate, as a fraction, if the decision
    /// is provisional.
    pub risk: f64,
    /// Why the decision is provisional; may be empty.
    pub doubts: String,
    /// Whether the decision is in the store.
    pub stored: bool,
    /// Why the store has no decision, as a phrase; empty if it has one.
    pub miss: String,
    /// Index of the candidate that is the choice.
    pub winner: Option<usize>,
    /// Index of the candidate that runs without tuning.
    pub default_candidate: Option<usize>,
    /// The candidates. They have times if a race of this process measured them or a record has
    /// their times.
    pub candidates: Vec<Candidate>,
    /// The engines and then the rewrites that support the device.
    pub entrants: Vec<Entrant>,
    /// Bytes of x, w, y, bias, scale and residual, each moved once. If the result is added to the output, the output
    /// counts twice.
    pub bytes: u64,
    /// Operations of the direct method: 2 for each product, also for products with padding.
    pub flops: f64,
    /// The bytes per second that the device moves at most, if that was measured.
    pub bytes_per_second: Option<f64>,
    /// The operations of this kind per second that the device computes at most, if that was
    /// measured.
    pub flops_per_second: Option<f64>,
}

/// The highest rates of a device for one problem, as measured.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Ceilings {
    /// The most bytes per second that the device moves, if that was measured.
    pub bytes_per_second: Option<f64>,
    /// The most operations of this kind per second that the device computes, if that was measured.
    pub flops_per_second: Option<f64>,
}

impl Ceilings {
    pub(crate) fn from_raw(bytes_per_second: f64, flops_per_second: f64) -> Self {
        Self {
            bytes_per_second: positive(bytes_per_second),
            flops_per_second: positive(flops_per_second),
        }
    }
}

/// An engine or a rewrite that works on the device, and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Entrant {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// A rewrite; else an engine.
    pub is_rewrite: bool,
    /// The number of its offers within the options. For a rewrite: the offers of the engines that
    /// can run behind it.
    pub offers: u64,
    /// Why there is no offer, or why there are no more offers; may be empty.
    pub why_not: String,
    /// The switches that leave offers out.
    pub barriers: Vec<Barrier>,
}

/// A switch that leaves offers out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Barrier {
    /// The name of the switch in options and settings.
    pub switch: String,
    /// The number of offers that would be made if only this switch were lifted.
    pub offers: u64,
}

impl Explanation {
    /// Explains which choice a plan with these options gets. Executes, builds and writes nothing,
    /// but reads the store and asks the engines for their offers.
    pub fn new(device: Device, problem: &Problem, options: &PlanOptions<'_>) -> Result<Self> {
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: problem and options are read for the call, `out` is written.
        let handle =
            create(|out| unsafe { sys::atc_conv_explain(out, device.to_raw(), raw, &options) })?;
        let handle = handle.ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc explained a problem and gave nothing")
        })?;
        Self::from_handle(&handle)
    }

    /// Returns a hash over the keys of the problems and the choices that calls with these options run, eager and
    /// captured ones. Processes with equal digests run the same choices. The choices are those of calls that measure
    /// nothing: pins in force decide first, then the store, then (if the options tune) the decisions of this process,
    /// then the default engine. A choice that the correctness gate is known to refuse is left out. Neither the order of
    /// the problems nor a problem that occurs twice changes the digest. Executes, builds and writes nothing.
    pub fn decisions_digest(
        device: Device,
        problems: &[Problem],
        options: &PlanOptions<'_>,
    ) -> Result<u64> {
        let raw: Vec<_> =
            problems.iter().map(|problem| problem.checked().copied()).collect::<Result<_>>()?;
        let options = options.for_call();
        let (device, count) = (device.to_raw(), raw.len());
        // SAFETY: problems and options are read for the call, `out` is written.
        query(|out| unsafe {
            sys::atc_conv_decisions_digest(out, device, raw.as_ptr(), count, &options)
        })
    }

    /// Measures two ceilings for an explanation of the problem with these options: the bytes per
    /// second of a copy, and the operations per second of a matrix product, for which a race of at
    /// most 3 s chooses the kernel. Known ceilings are not measured again. They are kept for this
    /// process and, if the call's store is open for writing, also in the store.
    pub fn measure_ceilings(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<()> {
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: problem and options are read for the call.
        call(|| unsafe { sys::atc_conv_measure_ceilings(device.to_raw(), raw, &options) })
    }

    /// The ceilings that [`Explanation::bytes_per_second`] and [`Explanation::flops_per_second`] would have, without
    /// asking an engine.
    pub fn ceilings(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<Ceilings> {
        let raw = problem.checked()?;
        let options = options.for_call();
        let (mut bytes, mut flops) = (0.0, 0.0);
        // SAFETY: problem and options are read for the call, both numbers are written.
        call(|| unsafe {
            sys::atc_conv_ceilings(&mut bytes, &mut flops, device.to_raw(), raw, &options)
        })?;
        Ok(Ceilings::from_raw(bytes, flops))
    }

    /// The candidate that is the choice.
    #[must_use]
    pub fn winning(&self) -> Option<&Candidate> {
        self.candidates.get(self.winner?)
    }

    /// Returns the candidate that runs without tuning.
    #[must_use]
    pub fn untuned(&self) -> Option<&Candidate> {
        self.candidates.get(self.default_candidate?)
    }

    /// Copies everything out of libatc's explanation.
    fn from_handle(handle: &Owned<sys::atc_explanation>) -> Result<Self> {
        let struct_size = size_of_u32::<sys::atc_explained>();
        let mut raw = sys::atc_explained { struct_size, ..Default::default() };
        // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
        call(|| unsafe { sys::atc_explanation_describe(&mut raw, handle.shared()) })?;
        // SAFETY: the strings are borrowed from the explanation, which outlives this function, and copied.
        let owned = |string| unsafe { text(string) }.to_owned();
        let flag = |bit: i32| raw.flags & bit as u32 != 0;
        Ok(Self {
            description: owned(raw.description),
            source: (raw.source != 0).then(|| Source::from_raw(raw.source)),
            rule: (raw.rule != 0).then(|| Rule::from_raw(raw.rule)),
            choice: owned(raw.choice),
            why: owned(raw.why),
            provisional: flag(sys::ATC_TUNED_UNSTABLE),
            risk: raw.risk,
            doubts: owned(raw.doubts),
            stored: flag(sys::ATC_TUNED_STORED),
            miss: owned(raw.miss),
            winner: usize::try_from(raw.winner).ok(),
            default_candidate: usize::try_from(raw.default_candidate).ok(),
            candidates: (0..raw.candidates as usize)
                .map(|index| candidate(handle, index))
                .collect::<Result<_>>()?,
            entrants: (0..raw.entrants as usize)
                .map(|index| entrant(handle, index))
                .collect::<Result<_>>()?,
            bytes: raw.bytes,
            flops: raw.flops,
            bytes_per_second: positive(raw.bytes_per_second),
            flops_per_second: positive(raw.flops_per_second),
        })
    }
}

fn candidate(handle: &Owned<sys::atc_explanation>, index: usize) -> Result<Candidate> {
    let struct_size = size_of_u32::<sys::atc_candidate>();
    let mut raw = sys::atc_candidate { struct_size, ..Default::default() };
    // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe { sys::atc_explanation_candidate(&mut raw, handle.shared(), index) })?;
    // SAFETY: the strings are borrowed from the explanation, which outlives this function, and copied.
    Ok(unsafe { Candidate::from_raw(&raw) })
}

fn entrant(handle: &Owned<sys::atc_explanation>, index: usize) -> Result<Entrant> {
    let struct_size = size_of_u32::<sys::atc_entrant>();
    let mut raw = sys::atc_entrant { struct_size, ..Default::default() };
    // SAFETY: the handle is live, and the C function may write to `raw` during the call, up to its struct_size.
    call(|| unsafe { sys::atc_explanation_entrant(&mut raw, handle.shared(), index) })?;
    // SAFETY: the strings are borrowed from the explanation, which outlives this function, and copied.
    let owned = |string| unsafe { text(string) }.to_owned();
    Ok(Entrant {
        name: owned(raw.name),
        version: owned(raw.version),
        is_rewrite: raw.is_rewrite != 0,
        offers: raw.offers,
        why_not: owned(raw.why_not),
        barriers: barriers(&owned(raw.barriers)),
    })
}

/// `workspace_limit:2,deterministic:1`.
fn barriers(text: &str) -> Vec<Barrier> {
    let barrier = |part: &str| {
        let (switch, offers) = part.split_once(':')?;
        Some(Barrier { switch: switch.to_owned(), offers: offers.parse().ok()? })
    };
    text.split(',').filter_map(barrier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_named_as_in_c() {
        for rule in Rule::ALL {
            // SAFETY: the C function accepts any number.
            let name = unsafe { sys::atc_rule_name(rule.to_raw()) };
            let expected =
                format!("ATC_RULE_{}", rule.to_string().to_uppercase().replace('-', "_"));
            // SAFETY: the C function returns a static string.
            assert_eq!(unsafe { text(name) }, expected);
        }
    }

    #[test]
    fn barriers_have_a_switch_and_a_number() {
        let barrier = |switch: &str, offers| Barrier { switch: switch.to_owned(), offers };
        assert_eq!(barriers(""), []);
        assert_eq!(
            barriers("workspace_limit:2,deterministic:1"),
            [barrier("workspace_limit", 2), barrier("deterministic", 1)]
        );
    }
}
