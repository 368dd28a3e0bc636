//! The lines below the table of `atc explain`, which explain the words in the table.

use atc::Rule;

use super::Explanations;

/// Returns a line for each rule in the table, in the order of the rows. A last line explains the column "of least". If
/// the column is empty because the rates of the device are not known, this line says how to measure them.
pub fn lines(explanations: &Explanations) -> String {
    let mut rules: Vec<&str> = Vec::new();
    for rule in explanations.problems.iter().filter_map(|problem| problem.rule.as_deref()) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let mut text = String::new();
    for rule in rules {
        if let Some(meaning) = rule.parse().ok().and_then(meaning) {
            text += &format!("{rule}: {meaning}\n");
        }
    }
    let known = explanations.problems.iter().any(|problem| problem.roofline.of_least.is_some());
    text += if known {
        "of least: the time over the least time that this device's rates allow\n"
    } else {
        "of least: unknown, as the rates of this device are not measured: --measure measures them once\n"
    };
    text
}

/// Describes the rule in a few words; none for a rule that only a newer version of libatc has.
fn meaning(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::FirstOffer => "nothing was measured: the first offer of the default engine",
        Rule::Alone => "no other candidate was timed",
        Rule::Fastest => "the default, which is the fastest",
        Rule::Faster => "faster than the default, beyond the tie margin",
        Rule::TieDefault => "the default: no candidate is shown to be faster beyond the tie margin",
        Rule::TieKept => "tied with the default; the compiled form of the choice is kept",
        Rule::TieLighter => "tied with a faster candidate: less to compile, or less workspace",
        Rule::Host => {
            "another candidate is faster on the device, but takes the host longer to issue"
        }
        Rule::Precise => "the fastest candidate with the precision that is asked for",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_meaning() {
        for rule in Rule::ALL {
            assert!(meaning(*rule).is_some(), "{rule}");
        }
    }

    #[test]
    fn a_rule_of_a_newer_version_has_none() {
        assert_eq!(meaning(Rule::Other(1000)), None);
    }
}
