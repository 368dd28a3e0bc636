//! `atc env`.

mod faults;

use std::path::PathBuf;

use atc::device::{self, LibraryInfo};
use atc::engine::{self, EngineInfo};
use atc::{Device, Settings, Store, StoreMode};
use serde::Serialize;

use crate::cli::EnvArgs;
use crate::document::DeviceInfo;
use crate::failure::{Outcome, Result};
use crate::look::Look;
use crate::table::{Column, Table};
use crate::{convert, output, plugins, units};

/// The output of `atc env`: devices, libraries, engines, settings and the store in use.
#[derive(Serialize)]
struct Environment {
    atc: String,
    /// The path of libatc's file; none if libatc is linked statically into this program.
    file: Option<String>,
    devices: Vec<DeviceInfo>,
    libraries: Vec<LibraryInfo>,
    engines: Vec<EngineInfo>,
    settings: Settings,
    store: Option<StoreInfo>,
    pins: Option<PinsInfo>,
}

#[derive(Serialize)]
struct StoreInfo {
    directory: String,
    mode: String,
    entries: u64,
}

#[derive(Serialize)]
struct PinsInfo {
    file: String,
    hash: String,
}

pub fn run(args: &EnvArgs) -> Result<Outcome> {
    if args.faults {
        return faults::run(args);
    }
    plugins::load(&args.plugins)?;
    let environment = look()?;
    if args.json {
        output::print_json(&environment)?;
    } else {
        let look = Look::of_output(args.tables.wide);
        output::print(&look.wrapped(&told(&environment, look)))?;
    }
    Ok(Outcome::Done)
}

fn look() -> Result<Environment> {
    let cuda = (0..device::cuda_device_count()?).map(Device::Cuda);
    let store = match Store::active()? {
        Some(store) => {
            let info = store.describe()?;
            Some(StoreInfo {
                directory: info.directory.display().to_string(),
                mode: info.mode.to_string(),
                entries: if info.mode == StoreMode::Off { 0 } else { info.entries },
            })
        }
        None => None,
    };
    Ok(Environment {
        atc: atc::version()?.to_owned(),
        file: libatc(),
        devices: std::iter::once(Device::Cpu)
            .chain(cuda)
            .map(convert::device)
            .collect::<Result<_>>()?,
        libraries: device::libraries()?,
        engines: engine::engines()?,
        settings: Settings::current()?,
        store,
        pins: atc::settings::pins()?.map(pins).transpose()?,
    })
}

fn told(environment: &Environment, look: Look) -> String {
    let mut text = format!("atc {}\n", environment.atc);
    if let Some(file) = &environment.file {
        text += &format!("libatc: {}\n", output::printable(file));
    }
    text += &format!("\nDevices\n{}", devices(&environment.devices).draw(look));
    text += &format!("\nLibraries\n{}", libraries(&environment.libraries).draw(look));
    for library in &environment.libraries {
        let note = Some(&library.note).filter(|note| !note.is_empty());
        for remark in note.into_iter().chain(&library.remarks) {
            text += &format!("{}: {}\n", library.name, output::printable(remark));
        }
    }
    text += &format!("\nEngines\n{}", engines(environment).draw(look));
    text += &format!("\nSettings in force\n{}", settings(&environment.settings).draw(look));
    text += "\nStore\n";
    text += &match &environment.store {
        Some(store) => output::printable(&format!(
            "  {} ({}), {}\n",
            store.directory,
            store.mode,
            units::count(store.entries, "decision")
        )),
        None => "  none: decisions are not kept (ATC_STORE names one)\n".to_owned(),
    };
    if let Some(pins) = &environment.pins {
        text += &output::printable(&format!("\nPins\n  {}, hash {}\n", pins.file, pins.hash));
    }
    text
}

fn pins(file: PathBuf) -> Result<PinsInfo> {
    let hash = atc::settings::pins_hash()?.unwrap_or(0);
    Ok(PinsInfo { file: file.display().to_string(), hash: format!("{hash:016x}") })
}

fn devices(devices: &[DeviceInfo]) -> Table {
    let mut table = Table::new(&[
        Column::new("device"),
        Column::new("name").shortened(16),
        Column::number("units"),
        Column::number("cache").left_out(2),
        Column::number("memory").left_out(1),
        Column::new("instruction sets").shortened(12).left_out(3),
    ]);
    for device in devices {
        let known =
            |bytes: u64| if bytes == 0 { "unknown".to_owned() } else { units::bytes(bytes) };
        let unit = if device.device == "cpu" { "threads" } else { "SMs" };
        let cells = [
            device.device.clone(),
            device.name.clone(),
            format!("{} {unit}", device.compute_units),
            known(device.cache_bytes),
            known(device.memory_bytes),
            device.isa.clone(),
        ];
        table.row(cells);
    }
    table
}

fn libraries(libraries: &[LibraryInfo]) -> Table {
    let mut table = Table::new(&[
        Column::new("library"),
        Column::new("version"),
        Column::new("compiled against").left_out(1),
        Column::new("file").shortened(20),
    ]);
    for library in libraries {
        let or_dash = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
        let file = library.file.as_ref().map(|file| file.display().to_string());
        let cells = [
            library.name.clone(),
            if library.loaded { or_dash(&library.version) } else { "not loaded".to_owned() },
            or_dash(&library.compiled_version),
            or_dash(&file.unwrap_or_default()),
        ];
        table.row(cells);
    }
    table
}

/// Returns the path of libatc, if it is among the files that are mapped into this process.
fn libatc() -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut files = maps.lines().filter_map(|line| line.find('/').map(|start| &line[start..]));
    let is_libatc =
        |file: &&str| file.rsplit('/').next().is_some_and(|name| name.starts_with("libatc.so"));
    files.find(is_libatc).map(str::to_owned)
}

fn engines(environment: &Environment) -> Table {
    // The version of an engine is the version of its library. If the library is not loaded, no
    // version is shown.
    let library = |engine: &EngineInfo| {
        environment.libraries.iter().find(|one| one.name.to_lowercase() == engine.name)
    };
    let version = |engine: &EngineInfo| match library(engine) {
        Some(library) if !library.loaded => "not found".to_owned(),
        _ => engine.version.clone(),
    };

    let mut table = Table::new(&[
        Column::new("engine"),
        Column::new("version").shortened(12),
        Column::new("runs on"),
        Column::new("from"),
    ]);
    for engine in &environment.engines {
        let runs_on = match (engine.serves_cpu, engine.serves_cuda) {
            (true, true) => "CPU, CUDA",
            (true, false) => "CPU",
            (false, true) => "CUDA",
            (false, false) => "-",
        };
        let from = if engine.built_in { "atc" } else { "plug-in" };
        let cells = [engine.name.clone(), version(engine), runs_on.to_owned(), from.to_owned()];
        table.row(cells);
    }
    table
}

fn settings(settings: &Settings) -> Table {
    let on = |value: bool| if value { "on" } else { "off" }.to_owned();
    let limit = match settings.benchmark_limit_cudnn {
        0 => "all".to_owned(),
        limit => limit.to_string(),
    };
    let mut table = Table::new(&[Column::new("setting"), Column::new("value")]);
    for (name, value) in [
        ("benchmark_cudnn", on(settings.benchmark_cudnn)),
        ("benchmark_limit_cudnn", limit),
        ("user_enabled_cudnn", on(settings.user_enabled_cudnn)),
        ("deterministic_cudnn", on(settings.deterministic_cudnn)),
        ("deterministic_algorithms", settings.deterministic_algorithms.to_string()),
        ("allow_tf32_cudnn", on(settings.allow_tf32_cudnn)),
        ("benchmark_technique", settings.benchmark_technique.to_string()),
        ("workspace_limit", units::bytes(settings.workspace_limit)),
    ] {
        table.row([name.to_owned(), value]);
    }
    table
}
