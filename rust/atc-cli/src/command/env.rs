//! `atc env`.

use atc::device::{self, LibraryInfo};
use atc::engine::{self, EngineInfo};
use atc::{Device, Settings, Store, StoreMode};
use serde::Serialize;

use crate::cli::EnvArgs;
use crate::document::DeviceInfo;
use crate::failure::{Failure, Outcome, Result};
use crate::{convert, output, plugins, table, units};

/// What this machine and this process have.
#[derive(Serialize)]
struct Environment {
    atc: String,
    devices: Vec<DeviceInfo>,
    libraries: Vec<LibraryInfo>,
    engines: Vec<EngineInfo>,
    settings: Settings,
    store: Option<StoreInfo>,
}

#[derive(Serialize)]
struct StoreInfo {
    directory: String,
    mode: String,
    entries: u64,
}

pub fn run(args: &EnvArgs) -> Result<Outcome> {
    plugins::load(&args.plugins)?;
    let environment = look()?;
    let text = if args.json {
        serde_json::to_string_pretty(&environment).map_err(|error| {
            Failure::new(format!("what was found cannot be written as JSON: {error}"))
        })? + "\n"
    } else {
        told(&environment)
    };
    output::print(&text)?;
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
        devices: std::iter::once(Device::Cpu)
            .chain(cuda)
            .map(convert::device)
            .collect::<Result<_>>()?,
        libraries: device::libraries()?,
        engines: engine::engines()?,
        settings: Settings::current()?,
        store,
    })
}

fn told(environment: &Environment) -> String {
    let mut text = format!("atc {}\n", environment.atc);
    text += &format!("\nDevices\n{}\n", devices(&environment.devices));
    text += &format!("\nLibraries\n{}\n", libraries(&environment.libraries));
    for library in &environment.libraries {
        for remark in &library.remarks {
            text += &format!("{}: {}\n", library.name, output::printable(remark));
        }
    }
    text += &format!("\nEngines\n{}\n", engines(&environment.engines));
    text += &format!("\nSettings in force\n{}\n", settings(&environment.settings));
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
    text
}

fn devices(devices: &[DeviceInfo]) -> comfy_table::Table {
    let mut table =
        table::new(&["device", "name", "units", "cache", "memory", "instruction sets"], &["units"]);
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
        table::row(&mut table, &cells);
    }
    table
}

fn libraries(libraries: &[LibraryInfo]) -> comfy_table::Table {
    let mut table = table::new(&["library", "version", "compiled against", "file", "note"], &[]);
    for library in libraries {
        let or_dash = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
        let file = library.file.as_ref().map(|file| file.display().to_string());
        let cells = [
            library.name.clone(),
            if library.loaded { or_dash(&library.version) } else { "not loaded".to_owned() },
            or_dash(&library.compiled_version),
            or_dash(&file.unwrap_or_default()),
            library.note.clone(),
        ];
        table::row(&mut table, &cells);
    }
    table
}

fn engines(engines: &[EngineInfo]) -> comfy_table::Table {
    let mut table = table::new(&["engine", "version", "runs on", "from"], &[]);
    for engine in engines {
        let runs_on = match (engine.serves_cpu, engine.serves_cuda) {
            (true, true) => "CPU, CUDA",
            (true, false) => "CPU",
            (false, true) => "CUDA",
            (false, false) => "-",
        };
        let from = if engine.built_in { "atc" } else { "plug-in" };
        let cells =
            [engine.name.clone(), engine.version.clone(), runs_on.to_owned(), from.to_owned()];
        table::row(&mut table, &cells);
    }
    table
}

fn settings(settings: &Settings) -> comfy_table::Table {
    let on = |value: bool| if value { "on" } else { "off" }.to_owned();
    let limit = match settings.benchmark_limit_cudnn {
        0 => "all".to_owned(),
        limit => limit.to_string(),
    };
    let mut table = table::new(&["setting", "value"], &[]);
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
        table::row(&mut table, &[name.to_owned(), value]);
    }
    table
}
