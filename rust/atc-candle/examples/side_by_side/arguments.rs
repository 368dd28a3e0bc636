//! The command-line arguments of the examples that compare candle with atc.

pub struct Arguments {
    pub samples: usize,
    /// The value of the numeric argument. Each example chooses the name of this argument, such as `size` or `batch`.
    pub number: usize,
    pub tune: bool,
    /// The longest time of each measurement in seconds, for the example `compare`. Examples of a network do not use it.
    pub budget: Option<u64>,
    pub cuda: bool,
    /// A file with layers, for the example `compare`. Examples of a network do not use it.
    pub list: Option<String>,
}

/// Reads the command-line arguments. `samples` is the default of the argument `samples`. `name` is the name of the
/// numeric argument, and `number` is its default.
pub fn arguments(samples: usize, name: &str, number: usize) -> Result<Arguments, String> {
    let mut arguments =
        Arguments { samples, number, tune: false, budget: None, cuda: false, list: None };
    for argument in std::env::args().skip(1) {
        let (given, value) = argument.split_once('=').unwrap_or((&argument, ""));
        let parsed = || match value.parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("{argument}: give a number from 1 on")),
        };
        match given {
            "samples" => arguments.samples = parsed()?,
            "tune" => arguments.tune = true,
            "budget" => arguments.budget = Some(parsed()? as u64),
            "cuda" => arguments.cuda = true,
            "list" if !value.is_empty() => arguments.list = Some(value.to_owned()),
            _ if given == name => arguments.number = parsed()?,
            _ => {
                return Err(format!(
                    "{argument}: use samples=N, {name}=N, tune, cuda or (compare only) budget=N and list=FILE"
                ));
            }
        }
    }
    Ok(arguments)
}
