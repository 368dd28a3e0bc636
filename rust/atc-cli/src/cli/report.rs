//! `atc report`.

use std::path::PathBuf;

use clap::Args;

use super::values::ceilings;
use crate::document::Ceilings;

/// Write one HTML file with all measurements; it can be opened without a network
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  atc report result.json -o report.html\n  \
                        atc report --store ~/.local/share/atc -o report.html")]
pub struct ReportArgs {
    /// A file written by atc tune --json
    #[arg(value_name = "JSON", required_unless_present = "store", conflicts_with = "store")]
    pub json: Option<PathBuf>,
    /// Show the decisions of this store instead of a JSON file
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// The highest rates of the device, for the roofline: memory in GB/s and arithmetic in GFLOP/s, such as 4260,400000
    #[arg(long, value_name = "GB/S,GFLOP/S", value_parser = ceilings)]
    pub ceilings: Option<Ceilings>,
    /// The HTML file (-: standard output)
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

#[cfg(test)]
mod tests {
    use crate::cli::Cli;
    use clap::Parser;

    #[test]
    fn a_report_needs_exactly_one_source() {
        let parse = |words: &[&str]| Cli::try_parse_from(["atc", "report"].iter().chain(words));
        assert!(parse(&["-o", "x.html"]).is_err());
        assert!(parse(&["a.json", "--store", "dir", "-o", "x.html"]).is_err());
        assert!(parse(&["a.json", "-o", "x.html"]).is_ok());
    }
}
