//! `atc pins`.

use std::collections::BTreeMap;
use std::fs;

use atc::{PlanOptions, Problem};
use serde::{Deserialize, Serialize};

use crate::cli::{PinsArgs, PinsCheckArgs, PinsCommand};
use crate::failure::{Failure, Outcome, Result};
use crate::look::Look;
use crate::pins::{Bars, Pin, PinFile};
use crate::problems::Request;
use crate::table::{Column, Table};
use crate::{convert, memory, output, plugins, problems, units};

pub fn run(args: &PinsArgs) -> Result<Outcome> {
    match &args.command {
        PinsCommand::Check(args) => check(args),
    }
}

/// The result of `atc pins check`, in the form of its JSON.
#[derive(Serialize)]
struct Report {
    file: String,
    /// A hash of all pins: of their patterns, their choices and the engines that they forbid. While
    /// a program uses the pins, this hash is a part of the digest of the program's store.
    hash: String,
    pins: Vec<Listed>,
    /// A sentence for each bar that names an engine or a rewrite that does not exist.
    faults: Vec<String>,
    /// The convolutions that the command line names; empty if it names none.
    problems: Vec<Tried>,
    /// A probable reason why no pin matches any of the convolutions; "" if no reason is known or a
    /// pin matches.
    hint: String,
}

impl Report {
    /// Returns the number of convolutions that no pin matches.
    fn unmatched(&self) -> usize {
        self.problems.iter().filter(|one| one.pins.is_empty()).count()
    }

    /// Returns whether the command line names convolutions and no pin matches any of them.
    fn matches_nothing(&self) -> bool {
        !self.problems.is_empty() && self.unmatched() == self.problems.len()
    }
}

#[derive(Serialize)]
struct Listed {
    number: usize,
    name: String,
    pattern: String,
    effect: String,
    /// The reason why this pin's choice cannot run on this machine: its engine, or the version of
    /// the engine, is missing. If the pin has a bar, the barred engines that do not exist. "" if
    /// nothing is missing.
    lacks: String,
    /// The number of convolutions, among those of the command line, that this pin matches.
    problems: usize,
}

/// A convolution of the command line, and the pins that match it.
#[derive(Serialize)]
struct Tried {
    problem: String,
    pins: Vec<usize>,
    effect: String,
    ok: bool,
    /// The reason why the pin cannot be obeyed, or "".
    why: String,
}

/// A pin as libatc describes it in JSON.
#[derive(Deserialize)]
struct Found {
    number: usize,
    choice: Option<String>,
    #[serde(default)]
    bar: Vec<String>,
    /// The names in `bar` that no engine or rewrite has, each with the most similar known name, or
    /// with "".
    #[serde(default)]
    unknown: BTreeMap<String, String>,
}

fn check(args: &PinsCheckArgs) -> Result<Outcome> {
    let requests = args.layers.requests(&problems::read_all(&args.inputs)?)?;
    plugins::load(&args.plugins)?;
    atc::settings::set_pins(Some(&args.file))?;
    let origin = args.file.display().to_string();
    let text = fs::read_to_string(&args.file)
        .map_err(|error| Failure::new(format!("{origin}: {error}")))?;
    let file = PinFile::parse(&origin, &text)?;
    let device = convert::device(args.device)?;
    let engines = atc::engine::engines()?;
    let unknown = unknown_names(&file)?;
    // The question about names has replaced the pins.
    atc::settings::set_pins(Some(&args.file))?;
    let lacking: Vec<_> = file
        .pins
        .iter()
        .map(|pin| match &pin.choice {
            Some(choice) => lacks(choice, &engines),
            None => lacks_barred(pin, &unknown),
        })
        .collect();
    let mut tried = Vec::new();
    for request in &requests {
        let too_large = memory::refusal(request, &device);
        tried.push(try_one(args.device, request, too_large, &lacking)?);
    }
    let listed = |(index, pin): (usize, &Pin)| Listed {
        number: index + 1,
        name: pin.name.clone(),
        pattern: pin.pattern(),
        effect: pin.effect(),
        lacks: lacking[index].clone(),
        problems: tried.iter().filter(|one| one.pins.contains(&(index + 1))).count(),
    };
    let report = Report {
        faults: faults(&origin, &file, &unknown, &engines),
        file: origin,
        hash: format!("{:016x}", atc::settings::pins_hash()?.unwrap_or(0)),
        pins: file.pins.iter().enumerate().map(listed).collect(),
        problems: tried,
        hint: hint(&file, &requests),
    };
    if args.json {
        output::print_json(&report)?;
    } else {
        let look = Look::of_output(args.tables.wide);
        output::print(&look.wrapped(&text_of(&report, look)))?;
    }
    let fine = report.faults.is_empty() && report.problems.iter().all(|one| one.ok);
    Ok(if fine && !report.matches_nothing() { Outcome::Done } else { Outcome::Partly })
}

/// Returns a hint if `--batch` was probably forgotten: every pin is for a certain batch size, and
/// no convolution has one of these sizes. Otherwise returns "".
fn hint(file: &PinFile, requests: &[Request]) -> String {
    let batches: Option<Vec<_>> =
        file.pins.iter().map(|pin| pin.r#match.get("batch")?.as_i64()).collect();
    let Some(pinned) = batches.filter(|batches| !batches.is_empty()) else { return String::new() };
    let (Some(first), Some(tried)) = (pinned.first(), requests.first()) else {
        return String::new();
    };
    let tried = tried.layer.columns.batch;
    let foreign = requests.iter().all(|request| !pinned.contains(&request.layer.columns.batch));
    match foreign {
        true => {
            format!("the pins are for batch {first}, {tried} was tried: --batch {first} sets it")
        }
        false => String::new(),
    }
}

/// Tries the pins on one convolution. If a pin gives a choice, makes a plan with this choice, as a
/// program would, to check whether the choice can be used. `too_large` is the reason if the tensors
/// do not fit into memory; then no plan is made. `lacking` has for each pin of the file what the
/// pin names and this machine lacks.
fn try_one(
    device: atc::Device,
    request: &Request,
    too_large: Option<String>,
    lacking: &[String],
) -> Result<Tried> {
    let problem = convert::problem(request);
    let options = PlanOptions::new().constant_weights(request.constant_weights);
    let found = pins_for(device, &problem, &options)
        .map_err(|error| Failure::new(format!("{}: {error}", request.layer.name)))?;
    let choice = found.iter().find_map(|pin| pin.choice.clone());
    let bars: Vec<_> = found.iter().flat_map(|pin| pin.bar.iter().cloned()).collect();
    let why = match (&choice, too_large) {
        (Some(_), Some(why)) => Some(format!("not checked: {why}")),
        (Some(_), None) => {
            let plan = atc::Plan::with_options(device, &problem, &options);
            plan.err().map(|error| error.to_string())
        }
        (None, _) => found
            .iter()
            .filter_map(|pin| lacking.get(pin.number.checked_sub(1)?))
            .find(|lack| !lack.is_empty())
            .cloned(),
    };
    Ok(Tried {
        problem: format!("{} {}", request.layer.name, request.op),
        pins: found.iter().map(|pin| pin.number).collect(),
        effect: choice.unwrap_or_else(|| match bars.is_empty() {
            true => String::new(),
            false => format!("bars {}", bars.join(", ")),
        }),
        ok: why.is_none(),
        why: why.unwrap_or_default(),
    })
}

/// Returns the pins that apply to a plan of the problem with these options.
fn pins_for(
    device: atc::Device,
    problem: &Problem,
    options: &PlanOptions<'_>,
) -> Result<Vec<Found>> {
    let told = atc::settings::pins_for(device, problem, options)
        .map_err(|error| Failure::new(error.to_string()))?;
    serde_json::from_str(&told)
        .map_err(|error| Failure::new(format!("libatc tells of pins in another form: {error}")))
}

/// Returns the engine that a bar names, by its name or in a choice.
fn barred_engine(bar: &str) -> Option<&str> {
    match bar.split_once(':') {
        Some((head, _)) => engine_of(head).map(|(name, _)| name),
        None => Some(bar),
    }
}

/// Returns the name and the version of the engine in the part of a choice before its first colon.
fn engine_of(head: &str) -> Option<(&str, &str)> {
    head.rsplit('>').next().and_then(|engine| engine.split_once('@'))
}

fn bars(pin: &Pin) -> &[String] {
    pin.bar.as_ref().map_or(&[], Bars::names)
}

/// Returns the engines in the bars of the file that do not exist, each with the most similar known
/// name, or with "". An engine of another build of atc, `aten`, or an engine of a plug-in that was
/// loaded exists. libatc alone knows these names, and tells of unknown ones only for a problem to
/// which the pin applies. So this function sets the pins of the process to a pin that bars all
/// these names for every problem.
fn unknown_names(file: &PinFile) -> Result<BTreeMap<String, String>> {
    let plain = |name: &&str| !name.is_empty() && !name.contains(['@', '>', '(', ')', ':']);
    let names: Vec<_> = file
        .pins
        .iter()
        .flat_map(bars)
        .filter_map(|bar| barred_engine(bar))
        .filter(plain)
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let pin = Pin {
        name: String::new(),
        comment: String::new(),
        r#match: serde_json::Map::new(),
        choice: None,
        bar: Some(Bars::Several(names)),
    };
    let all = PinFile::new(String::new(), vec![pin]).to_json()?;
    let cannot = |error| Failure::new(format!("no temporary file can be written: {error}"));
    let place = tempfile::NamedTempFile::new().map_err(cannot)?;
    fs::write(place.path(), all).map_err(cannot)?;
    atc::settings::set_pins(Some(place.path()))?;
    let any = Problem::new(1, 1, &[1, 1], 1).kernel([1, 1].as_slice());
    let found = pins_for(atc::Device::Cpu, &any, &PlanOptions::new())?;
    Ok(found.into_iter().flat_map(|pin| pin.unknown).collect())
}

/// If engines that a pin bars do not exist, returns this with their names, otherwise "".
fn lacks_barred(pin: &Pin, unknown: &BTreeMap<String, String>) -> String {
    let mut names: Vec<_> = bars(pin).iter().filter_map(|bar| barred_engine(bar)).collect();
    names.retain(|name| unknown.contains_key(*name));
    match names.is_empty() {
        true => String::new(),
        false => format!("no such engine: {}", names.join(", ")),
    }
}

/// Returns a sentence for each bar of the file that names an engine that does not exist.
fn faults(
    origin: &str,
    file: &PinFile,
    unknown: &BTreeMap<String, String>,
    engines: &[atc::engine::EngineInfo],
) -> Vec<String> {
    let here: Vec<_> = engines.iter().map(|engine| engine.name.as_str()).collect();
    let here = here.join(", ");
    let mut faults = Vec::new();
    for (index, pin) in file.pins.iter().enumerate() {
        let name = if pin.name.is_empty() { String::new() } else { format!(" ({})", pin.name) };
        for bar in bars(pin) {
            let Some((engine, nearest)) =
                barred_engine(bar).and_then(|engine| unknown.get_key_value(engine))
            else {
                continue;
            };
            let missing = match engine == bar {
                true => "there is no such engine or rewrite".to_owned(),
                false => format!("there is no engine or rewrite {engine}"),
            };
            let meant = match nearest.is_empty() {
                true => String::new(),
                false => format!(" (did you mean '{nearest}'?)"),
            };
            faults.push(format!(
                "{origin}: pin {}{name} bars {bar}: {missing}{meant}; the engines here are {here}",
                index + 1
            ));
        }
    }
    faults
}

/// If the engine of a choice, or the engine's version, is missing on this machine, returns the
/// reason, otherwise "".
fn lacks(choice: &str, engines: &[atc::engine::EngineInfo]) -> String {
    let head = choice.split(':').next().unwrap_or_default();
    let Some((name, version)) = engine_of(head) else { return String::new() };
    match engines.iter().find(|engine| engine.name == name) {
        None => format!("no engine {name} here"),
        Some(engine) if engine.version != version => {
            format!("{name} is {} here", engine.version)
        }
        Some(_) => String::new(),
    }
}

fn text_of(report: &Report, look: Look) -> String {
    let mut text = String::new();
    let mut pins = Table::new(&[
        Column::number("pin"),
        Column::new("name").shortened(12),
        Column::new("match").shortened(20),
        Column::new("effect").shortened(16),
        Column::new("here").shortened(10),
        Column::number("problems").left_out(1),
    ]);
    for pin in &report.pins {
        pins.row([
            pin.number.to_string(),
            pin.name.clone(),
            pin.pattern.clone(),
            pin.effect.clone(),
            if pin.lacks.is_empty() { "ok".to_owned() } else { pin.lacks.clone() },
            if report.problems.is_empty() { "-".to_owned() } else { pin.problems.to_string() },
        ]);
    }
    if !report.pins.is_empty() {
        text += &pins.draw(look);
    }
    let mut problems = Table::new(&[
        Column::new("problem").shortened(16),
        Column::new("pins"),
        Column::new("effect").shortened(16),
        Column::new("result").shortened(20),
    ]);
    for one in &report.problems {
        let numbers: Vec<_> = one.pins.iter().map(usize::to_string).collect();
        problems.row([
            one.problem.clone(),
            if numbers.is_empty() { "-".to_owned() } else { numbers.join(",") },
            one.effect.clone(),
            match one.ok {
                true if one.pins.is_empty() => "no pin matches".to_owned(),
                true => "ok".to_owned(),
                false => one.why.clone(),
            },
        ]);
    }
    if !report.problems.is_empty() {
        text += &format!("\n{}", problems.draw(look));
    }
    for fault in &report.faults {
        text += &format!("{}\n", output::printable(fault).replace(['\n', '\t'], " "));
    }
    let bad = report.problems.iter().filter(|one| !one.ok).count();
    text += &format!(
        "{}: {}, hash {}",
        output::printable(&report.file),
        units::count(report.pins.len() as u64, "pin"),
        report.hash
    );
    if bad > 0 {
        text += &format!(
            "; {} cannot be obeyed in {}",
            if bad == 1 { "a pin" } else { "pins" },
            units::count(bad as u64, "problem")
        );
    }
    if report.matches_nothing() {
        text += "; no pin matches";
        if !report.hint.is_empty() {
            text += &format!(" ({})", report.hint);
        }
    } else if report.unmatched() > 0 {
        text += &format!(
            "; no pin matches {} of {}",
            report.unmatched(),
            units::count(report.problems.len() as u64, "problem")
        );
    }
    text + "\n"
}
