//! Why a problem runs as it runs.

use crate::raw::c_enum::c_enum;
use crate::raw::call::{call, positive, size_of_u32, text};
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
        /// Nothing was measured: the first offer of the default engine.
        FirstOffer = ATC_RULE_FIRST_OFFER => "first-offer",
        /// No other candidate was timed.
        Alone = ATC_RULE_ALONE => "alone",
        /// The default, which is the fastest; or the fastest, if the default was not timed.
        Fastest = ATC_RULE_FASTEST => "fastest",
        /// Faster than the default, beyond the tie margin.
        Faster = ATC_RULE_FASTER => "faster",
        /// The default: no candidate is faster beyond the tie margin and the noise.
        TieDefault = ATC_RULE_TIE_DEFAULT => "tie-default",
        /// Tied with the default. The default may compile in each process; the compiled form of the choice is kept.
        TieKept = ATC_RULE_TIE_KEPT => "tie-kept",
        /// Tied with a faster candidate: less to compile, or less workspace.
        TieLighter = ATC_RULE_TIE_LIGHTER => "tie-lighter",
        /// A candidate that is faster on the device takes the host longer to issue.
        Host = ATC_RULE_HOST => "host",
        /// The fastest candidate with the precision that strict precision asks for.
        Precise = ATC_RULE_PRECISE => "precise",
    }
}

/// The choice of a plan that measures nothing for a problem, and the reason.
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
    /// How the decision came about; `None` where nothing can run the problem.
    pub source: Option<Source>,
    /// The rule by which the decision fell on its choice; `None` where nothing can run the problem.
    pub rule: Option<Rule>,
    /// The choice: `engine@version:configuration`; empty where nothing can run the problem.
    pub choice: String,
    /// The rule with its figures; or each engine's reason, where nothing can run the problem.
    pub why: String,
    /// The decision is provisional.
    pub provisional: bool,
    /// Of a provisional decision: by how much the choice may be slower than another candidate, relative.
    pub risk: f64,
    /// Why the decision is provisional; may be empty.
    pub doubts: String,
    /// The decision is in the store.
    pub stored: bool,
    /// If the store has no decision: why not, as a phrase; else empty.
    pub miss: String,
    /// Index of the candidate that is the choice.
    pub winner: Option<usize>,
    /// Index of the candidate that runs without tuning.
    pub default_candidate: Option<usize>,
    /// The candidates. They have times if a race of this process or a record measured them.
    pub candidates: Vec<Candidate>,
    /// The engines, then the rewrites, that serve the device.
    pub entrants: Vec<Entrant>,
    /// Bytes of x, w, y and bias, each moved once; an output that is added to counts twice.
    pub bytes: u64,
    /// Operations of the direct method, 2 for each product, products with padding included.
    pub flops: f64,
    /// The most bytes per second that the device moves, if that was measured.
    pub bytes_per_second: Option<f64>,
    /// The most operations of this kind per second that the device computes, if that was measured.
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

/// An engine or rewrite that serves the device, and its answer.
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
    /// Its offers within the options; of a rewrite: with the engines behind it.
    pub offers: u64,
    /// Why it offers nothing, or no more; may be empty.
    pub why_not: String,
    /// The switches that leave offers out.
    pub barriers: Vec<Barrier>,
}

/// A switch that leaves offers out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Barrier {
    /// The switch, as options and settings call it.
    pub switch: String,
    /// The number of offers that it leaves out by itself.
    pub offers: u64,
}

impl Explanation {
    /// Explains what a plan with these options runs. Executes, builds and writes nothing, but reads the store and asks
    /// engines for their offers.
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

    /// Measures the ceilings for an explanation of the problem with these options: with a copy, and with a race for a
    /// product of matrices, of 3 s at most. Known ceilings are not measured again. They are kept for this process and,
    /// if the store of the call is open for writing, with the store.
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

    /// The candidate that runs without tuning.
    #[must_use]
    pub fn untuned(&self) -> Option<&Candidate> {
        self.candidates.get(self.default_candidate?)
    }

    /// Copies everything out of libatc's explanation.
    fn from_handle(handle: &Owned<sys::atc_explanation>) -> Result<Self> {
        let struct_size = size_of_u32::<sys::atc_explained>();
        let mut raw = sys::atc_explained { struct_size, ..Default::default() };
        // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
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
    // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
    call(|| unsafe { sys::atc_explanation_candidate(&mut raw, handle.shared(), index) })?;
    // SAFETY: the strings are borrowed from the explanation, which outlives this function, and copied.
    Ok(unsafe { Candidate::from_raw(&raw) })
}

fn entrant(handle: &Owned<sys::atc_explanation>, index: usize) -> Result<Entrant> {
    let struct_size = size_of_u32::<sys::atc_entrant>();
    let mut raw = sys::atc_entrant { struct_size, ..Default::default() };
    // SAFETY: a live handle, `raw` may be written for the call, up to its struct_size.
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
            // SAFETY: any number is allowed.
            let name = unsafe { sys::atc_rule_name(rule.to_raw()) };
            let expected =
                format!("ATC_RULE_{}", rule.to_string().to_uppercase().replace('-', "_"));
            // SAFETY: a static string.
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
