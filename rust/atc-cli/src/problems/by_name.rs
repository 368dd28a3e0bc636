//! Finds a layer by a name that the user has typed, which may be incomplete.

/// Returns the full name of the layer that `wanted` means. Three rules are tried, in this order:
/// `wanted` is a whole name; `wanted` is a name without the beginning that all names share ("conv1"
/// if the names are "rn50_conv1" and "rn50_layer1_0_conv1"); only one name begins or ends with
/// `wanted`. If no rule applies, the error contains the names that the user may have meant.
pub fn meant<'a>(wanted: &str, names: &[&'a str]) -> Result<&'a str, Vec<&'a str>> {
    let mut distinct = names.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let common = common_start(&distinct);
    let exact = distinct.iter().find(|name| **name == wanted);
    if let Some(name) = exact.or_else(|| distinct.iter().find(|name| name[common..] == *wanted)) {
        return Ok(name);
    }
    let at_an_end = |name: &&&str| {
        let begins = name[common..].strip_prefix(wanted).or(name.strip_prefix(wanted));
        let ends = name.strip_suffix(wanted);
        begins.is_some_and(|rest| !rest.starts_with(is_of_word))
            || ends.is_some_and(|rest| !rest.ends_with(is_of_word))
    };
    let found: Vec<_> = distinct.iter().filter(at_an_end).copied().collect();
    match found.as_slice() {
        [name] if !wanted.is_empty() => Ok(name),
        [] => Err(near(wanted, &distinct, common)),
        _ => Err(found),
    }
}

/// Returns the length in bytes of the beginning that all names share. This beginning consists of
/// whole words with the separators after them. Returns 0 if there is only one name.
fn common_start(names: &[&str]) -> usize {
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return 0 };
    if first == last {
        return 0;
    }
    // The names are sorted. So the common beginning of the first and the last name is common to all
    // names.
    let alike = first.chars().zip(last.chars()).take_while(|(a, b)| a == b);
    let alike: usize = alike.map(|(c, _)| c.len_utf8()).sum();
    let separator = |c: char| !is_of_word(c);
    first[..alike]
        .rfind(separator)
        .map_or(0, |at| at + first[at..].chars().next().map_or(0, char::len_utf8))
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric()
}

fn near<'a>(wanted: &str, names: &[&'a str], common: usize) -> Vec<&'a str> {
    let lower = wanted.to_lowercase();
    let likeness = |name: &str| {
        let name = name[common..].to_lowercase();
        if name.contains(&lower) { 1.0 } else { strsim::jaro_winkler(&lower, &name) }
    };
    let mut near: Vec<_> = names.iter().map(|name| (likeness(name), *name)).collect();
    near.retain(|(likeness, _)| *likeness >= 0.75);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = [
        "rn50_conv1",
        "rn50_layer1_0_conv1",
        "rn50_layer1_0_conv2",
        "rn50_layer2_0_conv1",
        "rn50_layer2_0_down",
    ];

    #[test]
    fn a_layer_is_found_by_its_name_or_by_an_end_that_no_other_has() {
        for (wanted, name) in [
            ("rn50_layer2_0_conv1", "rn50_layer2_0_conv1"),
            ("conv1", "rn50_conv1"),
            ("layer1_0_conv1", "rn50_layer1_0_conv1"),
            ("conv2", "rn50_layer1_0_conv2"),
            ("down", "rn50_layer2_0_down"),
            ("rn50_conv1", "rn50_conv1"),
        ] {
            assert_eq!(meant(wanted, &NAMES), Ok(name), "{wanted}");
        }
        assert_eq!(meant("stem", &["net.stem", "net.stem", "net.head"]), Ok("net.stem"));
        assert_eq!(meant("only", &["only"]), Ok("only"));
    }

    #[test]
    fn what_may_be_several_layers_is_none_of_them() {
        let several = meant("layer2", &NAMES).unwrap_err();
        assert_eq!(several, ["rn50_layer2_0_conv1", "rn50_layer2_0_down"]);
        assert_eq!(meant("0_conv1", &NAMES).unwrap_err().len(), 2);
        // `wanted` must consist of whole words of the name. A part of a word does not match.
        assert_eq!(meant("onv2", &NAMES).unwrap_err()[0], "rn50_layer1_0_conv2");
        assert_eq!(meant("Layer1_0_conv3", &NAMES).unwrap_err()[0], "rn50_layer1_0_conv1");
        assert!(meant("zzz", &NAMES).unwrap_err().is_empty());
        assert!(meant("", &NAMES).is_err());
        assert!(meant("a", &[]).is_err());
    }
}
