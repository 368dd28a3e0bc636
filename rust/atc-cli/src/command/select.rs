//! `atc select`.

use crate::cli::SelectArgs;
use crate::failure::{Outcome, Result};
use crate::measuring::{self, How};
use crate::output::{self, Target};
use crate::pins::{self, PinFile};
use crate::stores::Unkept;
use crate::{convert, interrupt, plugins, stores, units};

pub fn run(args: &SelectArgs) -> Result<Outcome> {
    let requests = args.problems.requests()?;
    let target = Target::open(&args.output)?;
    plugins::load(&args.plugins)?;
    super::tune::check_engines(&args.how.engines)?;
    // `describe` is called before a store is made: so if it fails, no new store is left behind.
    let device = args.device.describe()?;
    stores::for_tuning(args.store.as_deref(), Unkept::Expected)?;
    // The pin file that ATC_PINS names is turned off here, because a problem whose choice is fixed
    // by a pin would not be measured.
    atc::settings::set_pins(None)?;
    let how = How::new(args.device, &args.how, args.quiet);
    let work = interrupt::listen();
    let document = measuring::measure(&how, &requests)?;
    drop(work);
    if document.cancelled {
        output::note("cancelled: no pins are written");
        return Ok(Outcome::Cancelled);
    }
    let mut found = Vec::new();
    for (tuned, request) in document.problems.iter().zip(&requests) {
        if tuned.decision.is_decided() {
            let problem = convert::problem(request);
            found.push(pins::of_decision(tuned, &problem, args.device, &device.name)?);
        } else {
            output::note(&format!("{} is not pinned: {}", tuned.name, tuned.decision.why));
        }
    }
    let comment =
        format!("Written by atc {} on {}: {}", document.atc, document.date, document.command);
    let count = found.len();
    target.write(PinFile::new(comment, found).to_json()?.as_bytes())?;
    let (pins, of) =
        (units::count(count as u64, "pin"), units::count(requests.len() as u64, "problem"));
    output::note_unless(args.quiet, &format!("{pins} of {of}"));
    Ok(if count < requests.len() { Outcome::Partly } else { Outcome::Done })
}
