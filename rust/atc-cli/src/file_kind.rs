//! Helps to explain why a command cannot read a JSON file: recognises the kinds of files that atc
//! writes, and names the commands that can read them.

use serde_json::Value;

/// Describes the file: for example "this is a result of atc tune, for atc report, …". Returns
/// `None` if atc does not write files of this kind.
pub fn told(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let (what, commands) = match value.get("schema") {
        Some(Value::String(schema)) => match schema.as_str() {
            "atc-tune" => ("a result of atc tune", "atc report, atc advise and atc tune"),
            "atc-compare" => ("a result of atc compare", ""),
            "atc-explain" => ("a result of atc explain", ""),
            "atc-advice" => ("a result of atc advise", ""),
            "atc-determinism" => ("a result of atc determinism", ""),
            _ => return None,
        },
        _ if value.get("pins").is_some() => ("a pin file", "atc pins check"),
        _ if value.get("traceEvents").is_some() && value.get("atc").is_some() => {
            ("a trace of a program", "atc trace")
        }
        _ if value.get("traceEvents").is_some() => ("a trace that atc did not write", ""),
        _ => return None,
    };
    Some(match commands {
        "" => format!("this is {what}, which no command reads"),
        _ => format!(
            "this is {what}, which {commands} read{}",
            if commands.contains(" and ") { "" } else { "s" }
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_atc_writes_is_known_with_the_commands_that_read_it() {
        for (text, said) in [
            (
                r#"{"schema": "atc-tune"}"#,
                "a result of atc tune, which atc report, atc advise and atc tune read",
            ),
            (r#"{"schema": "atc-advice"}"#, "a result of atc advise, which no command reads"),
            (r#"{"schema": 1, "pins": []}"#, "a pin file, which atc pins check reads"),
            (r#"{"traceEvents": [], "atc": {}}"#, "a trace of a program, which atc trace reads"),
            (r#"{"traceEvents": []}"#, "a trace that atc did not write, which no command reads"),
        ] {
            assert_eq!(told(text).unwrap(), format!("this is {said}"));
        }
        for text in ["", "{}", "[]", "{", r#"{"schema": "other"}"#, "share  calls"] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
