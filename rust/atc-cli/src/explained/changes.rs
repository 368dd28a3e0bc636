//! Measures how much faster a problem becomes by changes that the program would have to allow. Each
//! change has a price: a condition that the program has to accept.

use std::ops::ControlFlow;
use std::time::Duration;

use super::Change;
use crate::decision::Decision;
use crate::failure::{Failure, Result};
use crate::gain::{Certainty, Gain};
use crate::problems::{Arrangement, DType, Layout, Op, Request};
use crate::{convert, interrupt, output, units};

/// The device, the time and the switches for the measurement of changes.
#[derive(Debug, Clone, Copy)]
pub struct Measuring {
    pub device: atc::Device,
    /// The time limit for the measurement of each change.
    pub budget: Option<Duration>,
    pub switches: Switches,
}

/// The values of the switches with which the unchanged problem is measured.
#[derive(Debug, Clone, Copy)]
pub struct Switches {
    pub tf32: bool,
    pub deterministic: bool,
}

/// A change of a problem (such as another layout) that `atc explain` may measure.
struct Proposal {
    change: &'static str,
    price: String,
    request: Request,
    allow: Allow,
}

/// The name under which the second race of the unchanged problem is listed.
const AGAIN: &str = "as it is, again";

/// The option of the tuner that a change turns on. `Nothing`: the change is one of the problem
/// itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allow {
    Nothing,
    Tf32,
    Workspace,
    AnyOrder,
}

/// Measures the unchanged problem, then each change that applies to it, and then the unchanged
/// problem once more. The difference between the two times of the unchanged problem shows how
/// precisely times of different races can be compared. After Ctrl-C the function measures nothing
/// more, and returns the measurements that are complete.
pub fn measure(request: &Request, how: &Measuring) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    let mut as_it_is = None;
    let again = Proposal { change: AGAIN, ..unchanged(request) };
    for proposal in proposals(request, how).into_iter().chain([again]) {
        if interrupt::asked() {
            break;
        }
        output::note(&format!("measuring {}: {}", request.layer.name, proposal.change));
        let Some(decision) = decide(&proposal, how)? else { break };
        changes.push(change(proposal, &decision, as_it_is.as_ref()));
        as_it_is.get_or_insert(decision);
    }
    Ok(changes)
}

/// Returns how much the longer of the two times of the unchanged problem exceeds the shorter one,
/// as a part of the shorter one (0.03 means 3 %). The unchanged problem is the first and the last
/// entry of `changes`. Returns `None` if one of its times is missing.
pub fn drift(changes: &[Change]) -> Option<f64> {
    let (first, last) = (changes.first()?, changes.last().filter(|last| last.change == AGAIN)?);
    let ratio = last.seconds? / first.seconds?;
    Some(ratio.max(1.0 / ratio) - 1.0)
}

fn unchanged(request: &Request) -> Proposal {
    Proposal {
        change: "as it is",
        price: String::new(),
        request: request.clone(),
        allow: Allow::Nothing,
    }
}

fn proposals(request: &Request, how: &Measuring) -> Vec<Proposal> {
    let plain = |change, price: &str, allow| Proposal {
        change,
        price: price.to_owned(),
        allow,
        ..unchanged(request)
    };
    let mut found = vec![unchanged(request)];
    found.push(other_layout(request));
    found.extend(more_channels(request, how.device));
    let on_cuda = how.device != atc::Device::Cpu;
    if on_cuda && request.dtype == DType::F32 && !how.switches.tf32 {
        found.push(plain("TF32", "operands rounded to 11 bits", Allow::Tf32));
    }
    found.push(plain("any workspace", "", Allow::Workspace));
    if !request.constant_weights && request.op != Op::BackwardWeight {
        let price = "set_weights after each change of them";
        found.push(Proposal {
            request: Request { constant_weights: true, ..request.clone() },
            ..plain("constant weights", price, Allow::Nothing)
        });
    }
    if how.switches.deterministic {
        let price = "results may differ from run to run";
        found.push(plain("not deterministic", price, Allow::AnyOrder));
    }
    found
}

fn other_layout(request: &Request) -> Proposal {
    let (change, layout) = match request.layout {
        Arrangement::Named(Layout::ChannelsLast) => ("channels first", Layout::ChannelsFirst),
        _ => ("channels last", Layout::ChannelsLast),
    };
    Proposal {
        change,
        price: "x, w and y lie in that layout".to_owned(),
        request: Request { layout: Arrangement::Named(layout), ..request.clone() },
        allow: Allow::Nothing,
    }
}

/// Proposes to round the numbers of channels up to multiples of `unit`, because engines process
/// channels in groups of this size. Returns `None` if the numbers are multiples already, and for
/// grouped convolutions and tensors with strides.
fn more_channels(request: &Request, device: atc::Device) -> Option<Proposal> {
    // The unit is 16 channels on the CPU (an AVX-512 vector has 16 fp32 values), and 8 channels on
    // CUDA (tensor cores take 16-bit values in groups of 8).
    let unit = if device == atc::Device::Cpu { 16 } else { 8 };
    let columns = &request.layer.columns;
    let whole = |channels: i64| channels.checked_add((unit - channels % unit) % unit);
    let (inputs, outputs) = (whole(columns.in_channels)?, whole(columns.out_channels)?);
    let strided = matches!(request.layout, Arrangement::Strides(_));
    if columns.groups != 1
        || strided
        || (inputs, outputs) == (columns.in_channels, columns.out_channels)
    {
        return None;
    }
    let mut padded = request.clone();
    padded.layer.columns.in_channels = inputs;
    padded.layer.columns.out_channels = outputs;
    Some(Proposal {
        change: "padded channels",
        price: format!(
            "zeros in x, w, y: C {} to {inputs}, K {} to {outputs}",
            columns.in_channels, columns.out_channels
        ),
        request: padded,
        allow: Allow::Nothing,
    })
}

/// Measures a proposed change: runs a race of the changed problem, and returns its decision.
/// Returns `None` after Ctrl-C.
fn decide(proposal: &Proposal, how: &Measuring) -> Result<Option<Decision>> {
    let mut tuner = atc::Tuner::new(how.device)
        .without_store()
        .retune(true)
        .constant_weights(proposal.request.constant_weights)
        .allow_tf32(how.switches.tf32)
        .deterministic(how.switches.deterministic)
        .on_progress(|_| match interrupt::asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
    tuner = match proposal.allow {
        Allow::Nothing => tuner,
        Allow::Tf32 => tuner.allow_tf32(true),
        Allow::Workspace => tuner.workspace_limit(atc::Limit::Unlimited),
        Allow::AnyOrder => tuner.deterministic(false),
    };
    if let Some(budget) = how.budget {
        tuner = tuner.problem_budget(budget);
    }
    let report = tuner.run(&[convert::problem(&proposal.request)])?;
    if report.cancelled {
        return Ok(None);
    }
    let found = report.problems.first().map(convert::decision);
    found.map(Some).ok_or_else(|| Failure::new("libatc reported nothing of a problem"))
}

/// Returns how many times faster the choice of `changed` is than the choice of `base`, if both were
/// timed.
fn gain(base: &Decision, changed: &Decision) -> Option<Gain> {
    let (before, after) = (base.timing_of(base.winner)?, changed.timing_of(changed.winner)?);
    let parts = [before, after].map(|timing| (1.0, Certainty::of(timing)));
    (after.median > 0.0).then(|| Gain::new(before.median / after.median, parts))
}

fn change(proposal: Proposal, decision: &Decision, base: Option<&Decision>) -> Change {
    let workspace = decision
        .winner
        .and_then(|winner| decision.candidates.get(winner))
        .map(|winner| units::bytes(winner.workspace));
    // If a change only turns on an option, and the choice remains the same, the change has no
    // effect. So no gain is shown, even if the times of the two races differ.
    let no_change =
        proposal.allow != Allow::Nothing && base.is_some_and(|base| base.choice == decision.choice);
    let gain = base.filter(|_| !no_change).and_then(|base| gain(base, decision));
    let bounded = gain.filter(|gain| gain.high.is_finite());
    Change {
        change: proposal.change.to_owned(),
        price: match (proposal.allow, workspace) {
            _ if no_change => "the same choice".to_owned(),
            (Allow::Workspace, Some(workspace)) => format!("{workspace} of workspace"),
            _ => proposal.price,
        },
        choice: decision.choice.clone(),
        seconds: decision.time(),
        gain: gain.map(|gain| gain.ratio),
        gain_low: bounded.map(|gain| gain.low),
        gain_high: bounded.map(|gain| gain.high),
        why: decision.why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::timing;
    use crate::problems::tests::request;
    use atc::Candidate;

    fn named(request: &Request, device: atc::Device, switches: Switches) -> Vec<&'static str> {
        let how = Measuring { device, budget: None, switches };
        proposals(request, &how).iter().map(|proposal| proposal.change).collect()
    }

    #[test]
    fn only_changes_that_apply_are_proposed() {
        let usual = Switches { tf32: true, deterministic: false };
        let even = request("a 1 16 0 8 8 32 0 3 3 1 1 1 1");
        let on_cpu = ["as it is", "channels last", "any workspace", "constant weights"];
        assert_eq!(named(&even, atc::Device::Cpu, usual), on_cpu);
        let strict = Switches { tf32: false, deterministic: true };
        assert_eq!(
            named(&even, atc::Device::Cuda(0), strict),
            [
                "as it is",
                "channels last",
                "TF32",
                "any workspace",
                "constant weights",
                "not deterministic"
            ]
        );
        let mut last = request("a 1 3 0 8 8 32 0 3 3 1 1 1 1");
        last.layout = Arrangement::Named(Layout::ChannelsLast);
        last.op = Op::BackwardWeight;
        last.dtype = DType::F16;
        assert_eq!(
            named(&last, atc::Device::Cuda(0), usual),
            ["as it is", "channels first", "padded channels", "any workspace"]
        );
    }

    /// Makes a decision for `choice` with five samples of `seconds`.
    fn decided(choice: &str, seconds: f64) -> Decision {
        let timing = timing(5, seconds);
        let mut winner = Candidate::default();
        (winner.timing, winner.workspace) = (Some(timing), 2048);
        Decision {
            status: "ok".to_owned(),
            choice: choice.to_owned(),
            winner: Some(0),
            candidates: vec![winner],
            ..Decision::default()
        }
    }

    #[test]
    fn the_same_choice_is_no_gain_of_an_option() {
        let one = request("a 1 3 0 8 8 32 0 3 3 1 1 1 1");
        let base = decided("a", 2e-3);
        let of = |allow, decision: &Decision| {
            change(Proposal { allow, ..unchanged(&one) }, decision, Some(&base))
        };
        let same = of(Allow::Workspace, &decided("a", 1e-3));
        assert_eq!((same.gain, same.price.as_str()), (None, "the same choice"));
        let other = of(Allow::Workspace, &decided("b", 1e-3));
        assert_eq!((other.gain, other.price.as_str()), (Some(2.0), "2 KiB of workspace"));
        assert!(other.gain_low < Some(2.0) && other.gain_high > Some(2.0));
        // `Allow::Nothing` stands for a change of the problem (such as another layout). The changed
        // problem may take another time even with the same choice, so a gain is shown.
        assert_eq!(of(Allow::Nothing, &decided("a", 1e-3)).gain, Some(2.0));
    }

    #[test]
    fn the_first_and_the_last_time_tell_the_drift() {
        let one = request("a 1 3 0 8 8 32 0 3 3 1 1 1 1");
        let timed = |seconds| change(unchanged(&one), &decided("a", seconds), None);
        let again = |seconds| Change { change: AGAIN.to_owned(), ..timed(seconds) };
        let drift_of = |first, last| drift(&[timed(first), timed(1.0), again(last)]).unwrap();
        assert!((drift_of(1e-3, 1.5e-3) - 0.5).abs() < 1e-9);
        assert!((drift_of(1.5e-3, 1e-3) - 0.5).abs() < 1e-9);
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&[timed(1.0), timed(2.0)]), None, "the last one was interrupted");
    }

    #[test]
    fn channels_are_padded_to_whole_units() {
        let odd = request("a 1 3 0 8 8 33 0 3 3 1 1 1 1");
        let padded = more_channels(&odd, atc::Device::Cuda(0)).unwrap();
        let columns = &padded.request.layer.columns;
        assert_eq!((columns.in_channels, columns.out_channels), (8, 40));
        assert!(padded.price.ends_with("C 3 to 8, K 33 to 40"), "{}", padded.price);
        let grouped = request("a 1 6 0 8 8 6 0 3 3 1 1 1 6");
        assert!(more_channels(&grouped, atc::Device::Cpu).is_none());
    }
}
