//! `atc env --faults`.

use atc::device;
use serde::{Deserialize, Serialize};

use crate::cli::EnvArgs;
use crate::failure::{Failure, Outcome, Result};
use crate::look::Look;
use crate::output;
use crate::table::{Column, Table};

/// A known fault of a library (such as cuDNN). The fields are the members of the JSON that
/// `atc_faults_describe` returns.
#[derive(Debug, Serialize, Deserialize)]
struct Fault {
    name: String,
    library: String,
    running: String,
    versions: String,
    device: String,
    directions: String,
    implementations: String,
    condition: String,
    consequence: String,
    handling: String,
    description: String,
    source: String,
    applies: bool,
}

pub fn run(args: &EnvArgs) -> Result<Outcome> {
    let faults: Vec<Fault> = serde_json::from_str(&device::faults_json()?)
        .map_err(|error| Failure::new(format!("the list of faults: {error}")))?;
    if args.json {
        output::print_json(&faults)?;
    } else {
        output::print(&table(&faults).draw(Look::of_output(args.tables.wide)))?;
    }
    Ok(Outcome::Done)
}

fn table(faults: &[Fault]) -> Table {
    let mut table = Table::new(&[
        Column::new("library"),
        Column::new("applies"),
        Column::new("versions").shortened(10),
        Column::new("implementations").shortened(15),
        Column::new("directions").shortened(10).left_out(3),
        Column::new("device").left_out(4),
        Column::new("layers").shortened(16),
        Column::new("consequence").left_out(1),
        Column::new("handling").shortened(8).left_out(5),
        Column::new("source").shortened(12).left_out(2),
    ]);
    for fault in faults {
        let running = if fault.running.is_empty() {
            fault.library.clone()
        } else {
            format!("{} {}", fault.library, fault.running)
        };
        let applies = if fault.applies { "yes" } else { "no" };
        table.row([
            running,
            applies.to_owned(),
            fault.versions.clone(),
            fault.implementations.clone(),
            fault.directions.clone(),
            fault.device.clone(),
            fault.condition.clone(),
            fault.consequence.clone(),
            fault.handling.clone(),
            fault.source.clone(),
        ]);
    }
    table
}
