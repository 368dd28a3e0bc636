//! Explanations: which implementation (the choice) a plan of a problem would run if nothing was measured now, and why.

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
    /// The rule by which a decision chose its winner among the candidates (the implementations of a problem). "The
    /// default" is the candidate that runs without tuning. Two candidates are tied if their times differ by less than
    /// the tie margin (by default 1 %).
    Rule ("rule") {
        /// Nothing was measured. The choice is the first candidate of the default engine (the engine that runs a
        /// problem without tuning).
        FirstOffer = ATC_RULE_FIRST_OFFER => "first-offer",
        /// Only the choice was timed.
        Alone = ATC_RULE_ALONE => "alone",
        /// The choice is the fastest candidate. Either the choice is the default candidate (the one that runs without
        /// tuning) itself, or the default was not timed.
        Fastest = ATC_RULE_FASTEST => "fastest",
        /// The choice is faster than the default candidate by more than the tie margin.
        Faster = ATC_RULE_FASTER => "faster",
        /// The choice is the default candidate. A candidate would replace the default only if it was faster by more
        /// than the tie margin and the noise of the measurement, and no candidate is.
        TieDefault = ATC_RULE_TIE_DEFAULT => "tie-default",
        /// The choice and the default candidate (the one that runs without tuning) are equally fast within the tie
        /// margin. The choice is preferred because its compiled form is in the store. The default may have to be
        /// compiled in each process.
        TieKept = ATC_RULE_TIE_KEPT => "tie-kept",
        /// Another candidate is faster, but by less than the tie margin (by default 1 %). The choice is preferred
        /// because it has less to compile or because it needs less workspace.
        TieLighter = ATC_RULE_TIE_LIGHTER => "tie-lighter",
        /// Another candidate is faster on the device. The choice is preferred because the host can issue it in less
        /// time than the other candidate.
        Host = ATC_RULE_HOST => "host",
        /// The option `strict_precision` is on. The choice is the fastest of the candidates that are precise enough.
        Precise = ATC_RULE_PRECISE => "precise",
    }
}

/// The choice (implementation) that a plan of a problem would run if nothing was measured now, and the reason for the
/// choice.
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
    /// Where the decision comes from, for example from the store; `None` if no engine can run the problem.
    pub source: Option<Source>,
    /// The rule by which the decision chose its winner; `None` if no engine can run the problem.
    pub rule: Option<Rule>,
    /// The choice, `engine@version:configuration`; empty if no engine can run the problem.
    pub choice: String,
    /// The reason for the choice, as text: the rule and the measured times. If no engine can run the problem, the text
    /// has each engine's reason.
    pub why: String,
    /// Whether the decision is provisional: its measurement could not find the fastest candidate with certainty.
    pub provisional: bool,
    /// If the decision is provisional: by how much the choice may be slower than another candidate, as a fraction (0.1
    /// is 10 %). 0 if the decision is firm (not provisional).
    pub risk: f64,
    /// Why the decision is provisional; may be empty.
    pub doubts: String,
    /// Whether the decision is in the store.
    pub stored: bool,
    /// Why the store has no decision of the problem, as a phrase; empty if the store has a decision.
    pub miss: String,
    /// The index of the choice in `candidates`; `None` if the choice is not in this list.
    pub winner: Option<usize>,
    /// The index in `candidates` of the candidate that runs without tuning; `None` if the list does not have this
    /// candidate.
    pub default_candidate: Option<usize>,
    /// The candidates: the implementations that can run the problem. A candidate has times if this process has timed
    /// it, or if the times are in the store.
    pub candidates: Vec<Candidate>,
    /// The engines that support the device, and after them the rewrites that support the device. (A rewrite turns the
    /// problem into another problem, which an engine then computes.)
    pub entrants: Vec<Entrant>,
    /// The total size of the tensors (x, w, y, bias, scale and residual) in bytes. Each tensor counts once. But if the
    /// problem adds its result to the values in the output, the output counts twice, because it is read and written.
    pub bytes: u64,
    /// The number of arithmetic operations if the sums of the convolution are computed directly: a multiplication and
    /// an addition for each product. Products with the zeros of the padding are counted, too.
    pub flops: f64,
    /// The highest measured rate at which the device moves memory, in bytes per second; `None` if no rate was measured.
    pub bytes_per_second: Option<f64>,
    /// The highest measured rate of arithmetic on the device, with the data types of this problem, in operations per
    /// second; `None` if no rate was measured.
    pub flops_per_second: Option<f64>,
}

/// The ceilings of a device for one problem: the highest measured rates at which the device moves memory and computes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Ceilings {
    /// The highest measured rate at which the device moves memory, in bytes per second; `None` if no rate was measured.
    pub bytes_per_second: Option<f64>,
    /// The highest measured rate of arithmetic on the device, with the data types of this problem, in operations per
    /// second; `None` if no rate was measured.
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

/// An engine or a rewrite that supports the device, and the number of offers (candidates) that it has for the problem.
/// A rewrite turns the problem into another problem, which an engine then computes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Entrant {
    /// The name of the engine or rewrite.
    pub name: String,
    /// The version of the engine or rewrite.
    pub version: String,
    /// Whether the entry is about a rewrite. If not, the entry is about an engine.
    pub is_rewrite: bool,
    /// For an engine: the number of candidates that the engine offers under the options of the explanation. For a
    /// rewrite: the number of candidates that engines offer for the rewritten problem.
    pub offers: u64,
    /// The reason why the engine or rewrite has no candidate, or not more candidates; may be empty.
    pub why_not: String,
    /// The switches that exclude candidates of the engine or rewrite.
    pub barriers: Vec<Barrier>,
}

/// A switch of the options or settings that excludes candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Barrier {
    /// The name of the switch, as in the options or settings.
    pub switch: String,
    /// The number of candidates that are excluded by this switch and by nothing else: they would be offered if only
    /// this switch was changed.
    pub offers: u64,
}

impl Explanation {
    /// Explains which choice a plan of the problem with these options would run if nothing was measured now. The
    /// function reads the store and asks the engines for their candidates. It runs no convolution, builds no plan and
    /// writes nothing to the store.
    pub fn new(device: Device, problem: &Problem, options: &PlanOptions<'_>) -> Result<Self> {
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: the C function reads `raw` (the problem) and `options`, writes `out`, and uses these pointers only
        // during the call.
        let handle =
            create(|out| unsafe { sys::atc_conv_explain(out, device.to_raw(), raw, &options) })?;
        let handle = handle.ok_or_else(|| {
            Error::new(sys::ATC_ERROR_INTERNAL, "libatc explained a problem and gave nothing")
        })?;
        Self::from_handle(&handle)
    }

    /// Returns a digest: a hash over the keys of the problems, and over the choices that calls with these options run
    /// for the problems. If two processes have equal digests, they run the same choices for the problems. The function
    /// reads the store. It runs no convolution, builds no plan and writes nothing to the store.
    ///
    /// The choices are those of calls that measure nothing. The hash covers eager calls and calls in a stream capture,
    /// whose choices may differ. The choice of a problem comes from the first of these sources that has one: the pins
    /// (choices that a user has fixed), the store, the decisions of this process (unless the options turn tuning off),
    /// a prediction (if the options have [`Tune::Predict`](crate::Tune::Predict)), the default engine. A choice is not
    /// used if atc has found its results to be wrong.
    ///
    /// The order of the problems does not change the digest. A problem that occurs twice counts once.
    pub fn decisions_digest(
        device: Device,
        problems: &[Problem],
        options: &PlanOptions<'_>,
    ) -> Result<u64> {
        let raw: Vec<_> =
            problems.iter().map(|problem| problem.checked().copied()).collect::<Result<_>>()?;
        let options = options.for_call();
        let (device, count) = (device.to_raw(), raw.len());
        // SAFETY: the C function reads `raw` (the problems) and `options`, writes `out`, and uses these pointers only
        // during the call.
        query(|out| unsafe {
            sys::atc_conv_decisions_digest(out, device, raw.as_ptr(), count, &options)
        })
    }

    /// Measures the two ceilings that an explanation of this problem with these options shows: the bytes per second of
    /// a copy, and the operations per second of a matrix product. For the matrix product atc times several kernels, for
    /// at most 3 s, and takes the fastest. A ceiling that is known already is not measured again. The process remembers
    /// both ceilings. If the store of the call is open for writing, the ceilings are also kept there.
    pub fn measure_ceilings(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<()> {
        let raw = problem.checked()?;
        let options = options.for_call();
        // SAFETY: the C function reads `raw` (the problem) and `options`, and uses these pointers only during the call.
        call(|| unsafe { sys::atc_conv_measure_ceilings(device.to_raw(), raw, &options) })
    }

    /// Returns the values that [`Explanation::bytes_per_second`] and [`Explanation::flops_per_second`] would have. This
    /// call is cheaper than an explanation, because it does not list the candidates of the engines.
    pub fn ceilings(
        device: Device,
        problem: &Problem,
        options: &PlanOptions<'_>,
    ) -> Result<Ceilings> {
        let raw = problem.checked()?;
        let options = options.for_call();
        let (mut bytes, mut flops) = (0.0, 0.0);
        // SAFETY: the C function reads `raw` (the problem) and `options`, writes `bytes` and `flops`, and uses these
        // pointers only during the call.
        call(|| unsafe {
            sys::atc_conv_ceilings(&mut bytes, &mut flops, device.to_raw(), raw, &options)
        })?;
        Ok(Ceilings::from_raw(bytes, flops))
    }

    /// Returns the candidate that is the choice.
    #[must_use]
    pub fn winning(&self) -> Option<&Candidate> {
        self.candidates.get(self.winner?)
    }

    /// Returns the candidate that runs without tuning.
    #[must_use]
    pub fn untuned(&self) -> Option<&Candidate> {
        self.candidates.get(self.default_candidate?)
    }

    /// Makes an explanation from libatc's handle. All strings are copied.
    fn from_handle(handle: &Owned<sys::atc_explanation>) -> Result<Self> {
        let struct_size = size_of_u32::<sys::atc_explained>();
        let mut raw = sys::atc_explained { struct_size, ..Default::default() };
        // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size`
        // bytes of `raw`, and only during the call.
        call(|| unsafe { sys::atc_explanation_describe(&mut raw, handle.shared()) })?;
        // SAFETY: the strings that `raw` points to are valid as long as the explanation exists. The explanation
        // outlives this function, which copies the strings.
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
    // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size` bytes
    // of `raw`, and only during the call.
    call(|| unsafe { sys::atc_explanation_candidate(&mut raw, handle.shared(), index) })?;
    // SAFETY: the strings that `raw` points to are valid as long as the explanation exists. The explanation outlives
    // this function, which copies the strings.
    Ok(unsafe { Candidate::from_raw(&raw) })
}

fn entrant(handle: &Owned<sys::atc_explanation>, index: usize) -> Result<Entrant> {
    let struct_size = size_of_u32::<sys::atc_entrant>();
    let mut raw = sys::atc_entrant { struct_size, ..Default::default() };
    // SAFETY: the object behind the C handle was not destroyed. The C function writes at most the `struct_size` bytes
    // of `raw`, and only during the call.
    call(|| unsafe { sys::atc_explanation_entrant(&mut raw, handle.shared(), index) })?;
    // SAFETY: the strings that `raw` points to are valid as long as the explanation exists. The explanation outlives
    // this function, which copies the strings.
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

/// Parses a list of barriers, for example `workspace_limit:2,deterministic:1`. Each part has the name of a switch, and
/// the number of candidates that this switch alone excludes.
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
