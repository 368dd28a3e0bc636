//! Replaces the names of C functions, constants and fields in libatc's sentences by those of the crates.

/// Names and phrases of C, each with its replacement. An entry stands before every entry that is a prefix of it.
const TERMS: &[(&str, &str)] = &[
    // Phrases that give advice for C programs.
    (
        "problem->epilogue is ATC_EPILOGUE_NONE: pass NULL",
        "the problem has no epilogue: leave it out",
    ),
    ("is NULL: pass a valid pointer", "is missing: pass it"),
    ("plan comes from atc_conv_plan_acquire", "the plan belongs to libatc's cache"),
    ("use 0 (inherit) or ATC_TECHNIQUE_*", "use a Technique"),
    ("use 0 (inherit), ATC_OFF (1) or ATC_ON (2)", "use false or true"),
    (
        "use 0, ATC_OFF (1), ATC_ON (2) or ATC_RETUNE_PROVISIONAL",
        "use retune or retune_provisional",
    ),
    ("use 0, ATC_OFF (1) or ATC_ON (2)", "use false or true"),
    ("use 0 (read-write) or ATC_STORE_*", "use a StoreMode"),
    ("is ATC_NONE", "is 0"),
    (
        "ATC_TORCH_PRECISION_HIGHEST (1), _HIGH (2) or _MEDIUM (3)",
        "Highest, High or Medium of MatmulPrecision",
    ),
    // Functions.
    ("atc_conv_plan_create_with_choice", "Plan::with_choice"),
    ("atc_conv_plan_create", "Plan::with_options"),
    ("atc_conv_plan_choice", "Plan::choice"),
    ("atc_conv_plan_set_weights", "Plan::set_weights"),
    ("atc_conv_plan_workspace_size", "Plan::workspace_size"),
    ("atc_conv_plan_execute", "Plan::execute"),
    ("atc_conv_problem_init", "Problem::new"),
    ("atc_convolution", "atc::convolution"),
    ("atc_engine_unregister", "atc::engine::unregister"),
    ("atc_manual_seed", "atc::device::manual_seed"),
    ("atc_set_pins", "atc::settings::set_pins"),
    ("atc_set_library_path", "atc::settings::set_library_path"),
    ("atc_store_use", "Store::activate"),
    ("atc_torch_load_cuda", "atc_tch::load_cuda"),
    ("atc_torch_record_start", "atc_tch::record"),
    ("atc_torch_record_stop", "Recording::stop"),
    ("atc_trace_start", "atc::trace::start"),
    ("atc_trace_stop", "atc::trace::stop"),
    ("atc_tune", "Tuner::run"),
    // Constants.
    ("ATC_BACKWARD_DATA", "Direction::BackwardData"),
    ("ATC_BACKWARD_WEIGHT", "Direction::BackwardWeight"),
    ("ATC_FORWARD", "Direction::Forward"),
    ("ATC_DEVICE_CPU", "Device::Cpu"),
    ("ATC_DEVICE_CUDA", "Device::Cuda"),
    ("ATC_DTYPE_*", "a DType"),
    ("ATC_EPILOGUE_*", "an Epilogue"),
    ("ATC_EPILOGUE_NONE", "Epilogue::None"),
    ("ATC_LAYOUT_*", "a Layout"),
    ("ATC_LOG_*", "a Level"),
    ("ATC_OPERAND_*", "an Operand"),
    ("ATC_ERROR_BAD_RECORD", "ErrorKind::BadRecord"),
    ("ATC_ERROR_BUSY", "ErrorKind::Busy"),
    ("ATC_ERROR_CANCELLED", "ErrorKind::Cancelled"),
    ("ATC_ERROR_CAPTURING", "ErrorKind::Capturing"),
    ("ATC_ERROR_DEVICE", "ErrorKind::Device"),
    ("ATC_ERROR_INTERNAL", "ErrorKind::Internal"),
    ("ATC_ERROR_INVALID_ARGUMENT", "ErrorKind::InvalidArgument"),
    ("ATC_ERROR_IO", "ErrorKind::Io"),
    ("ATC_ERROR_LIBRARY", "ErrorKind::Library"),
    ("ATC_ERROR_NOT_TUNED", "ErrorKind::NotTuned"),
    ("ATC_ERROR_OUT_OF_MEMORY", "ErrorKind::OutOfMemory"),
    ("ATC_ERROR_UNSUPPORTED", "ErrorKind::Unsupported"),
    // Fields: one that has a builder method of the same name becomes the method's name.
    ("device.type", "the device's type"),
    ("options->budget_seconds", "budget"),
    ("options->problem_budget_seconds", "problem_budget"),
    ("options->total_budget_seconds", "total_budget"),
    ("problem->spatial_dims", "the number of spatial dimensions"),
    ("->ndim", ".shape().len()"),
    ("->shape", ".shape()"),
    ("->strides", ".strides()"),
    ("->dtype", ".dtype()"),
    ("->device", ".device()"),
    ("->data", "'s data"),
    ("geometry->", ""),
    ("options->", ""),
    ("options.alignment", "alignment"),
    ("problem->", ""),
    ("NULL", "null"),
];

/// The sentence with Rust's names in place of C's. Text inside a path or in quotes is left alone.
pub(crate) fn in_rust_words(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(next) = rest.chars().next() {
        let before = out.chars().next_back();
        let (rust, taken) = match term_at(before, rest) {
            Some((c, rust)) => (rust, c.len()),
            None => (&rest[..next.len_utf8()], next.len_utf8()),
        };
        out.push_str(rust);
        rest = &rest[taken..];
    }
    out
}

fn term_at(before: Option<char>, rest: &str) -> Option<(&'static str, &'static str)> {
    TERMS.iter().copied().find(|(c, _)| {
        rest.strip_prefix(c).is_some_and(|after| starts_word(c, before) && ends_word(c, after))
    })
}

/// Whether a term may begin after the character `before`: `->field` after a name, all other terms at a word start.
fn starts_word(term: &str, before: Option<char>) -> bool {
    match before {
        Some(before) if term.starts_with("->") => is_of_name(before),
        Some(before) => !is_of_name(before) && !"/.-\"'>".contains(before),
        None => !term.starts_with("->"),
    }
}

fn ends_word(term: &str, after: &str) -> bool {
    let open = !term.ends_with(is_of_name);
    let mut after = after.chars();
    match (after.next(), after.next()) {
        _ if open => true,
        (Some(next), _) if is_of_name(next) || "/\"'".contains(next) => false,
        // A full stop inside a file's name does not end the word.
        (Some('.' | '-'), Some(next)) => !is_of_name(next),
        _ => true,
    }
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn names_of_c_become_those_of_the_crate() {
        for (c, rust) in [
            ("problem->stride[0] is 0: use 1 or more", "stride[0] is 0: use 1 or more"),
            ("w is NULL: pass a valid pointer", "w is missing: pass it"),
            (
                "bias is given, but problem->epilogue is ATC_EPILOGUE_NONE: pass NULL",
                "bias is given, but the problem has no epilogue: leave it out",
            ),
            ("x->ndim is 3, the problem has 4", "x.shape().len() is 3, the problem has 4"),
            ("y->shape[1] is 7, the problem says 8", "y.shape()[1] is 7, the problem says 8"),
            ("options->budget_seconds is -1", "budget is -1"),
            ("but options->alignment promised 64", "but alignment promised 64"),
            ("ask atc_conv_plan_workspace_size", "ask Plan::workspace_size"),
            ("call atc_torch_record_start first.", "call atc_tch::record first."),
            (
                "problem->x_dtype is 9: use ATC_DTYPE_* (1 to 3)",
                "x_dtype is 9: use a DType (1 to 3)",
            ),
        ] {
            assert_eq!(in_rust_words(c), rust);
        }
    }

    #[test]
    fn paths_quotations_and_other_words_are_left_alone() {
        for text in [
            "",
            "/stores/atc_tune/x is no folder",
            "/stores/atc_tune",
            "atc_tune/x is no folder",
            "atc_tune.json is no record",
            "'atc_tune' is no choice: a choice is engine@version:configuration",
            "name its folder with ATC_LIBRARY_PATH",
            "ATC_STORE=DIR is ignored: é",
            "(Tensor self) -> Tensor",
            "NULLABLE",
            "myproblem->kernel",
            "options.json is no record",
            "/data/my options.d/x",
            "with these options. Got",
        ] {
            assert_eq!(in_rust_words(text), text);
        }
    }

    #[test]
    fn no_term_hides_a_longer_one() {
        for (index, (term, _)) in TERMS.iter().enumerate() {
            let hidden = TERMS[index + 1..].iter().find(|(later, _)| {
                later.strip_prefix(term).is_some_and(|after| ends_word(term, after))
            });
            assert_eq!(hidden, None, "{term} stands first");
        }
    }

    /// Sentences that no call of the crates can cause: a part of each, and the reason.
    const UNREACHABLE: &[(&str, &str)] = &[
        ("engine->", "engines are registered through the raw bindings"),
        ("offer->", "engines are registered through the raw bindings"),
        ("operands->", "engines are registered through the raw bindings"),
        ("an engine keeps its weights itself", "engines are registered through the raw bindings"),
        ("ATC_ENGINE_", "engines are registered through the raw bindings"),
        ("which is no status of atc", "engines are registered through the raw bindings"),
        ("allocator->", "allocators are set through the raw bindings"),
        ("device_type is", "engines and allocators are given through the raw bindings"),
        ("destroy is set", "engines and allocators are given through the raw bindings"),
        ("allocator needs alloc and free", "allocators are set through the raw bindings"),
        ("sink->", "the crates write it"),
        ("use_store is", "the builders set one of the two"),
        ("ATC_TRACE_TABLE", "Trace has a method for each format"),
        ("source->", "settings sources are set through the raw bindings"),
        ("struct_size", "the crates write it"),
        ("->reserved", "the crates write it"),
        ("front_end", "the crates write it"),
    ];

    #[test]
    fn no_sentence_that_reaches_a_program_advises_in_c() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        if !root.join("CMakeLists.txt").exists() {
            eprintln!("skipped: libatc's sources are not there (a packaged crate)");
            return;
        }
        let names = declared(&root);
        let mut seen = 0;
        for folder in ["ffi", "src", "torch"] {
            for file in cpp_files(&root.join(folder)) {
                let text = std::fs::read_to_string(&file).expect("a readable source file");
                for sentence in sentences(&text) {
                    if UNREACHABLE.iter().any(|(part, _)| sentence.contains(part)) {
                        continue;
                    }
                    seen += usize::from(word_of_c(&sentence, &names).is_some());
                    let rust = in_rust_words(&sentence);
                    let left = word_of_c(&rust, &names);
                    assert_eq!(left, None, "{}: {rust:?}: give it an entry", file.display());
                }
            }
        }
        assert!(seen > 40, "only {seen} sentences with words of C found");
    }

    /// Functions and constants of the two C ABIs.
    fn declared(root: &Path) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for file in ["rust/atc-sys/src/bindings.rs", "rust/atc-tch/src/sys.rs"] {
            let text = std::fs::read_to_string(root.join(file)).expect("readable bindings");
            for start in ["pub fn ", "pub const "] {
                names.extend(text.split(start).skip(1).map(|rest| {
                    rest.chars().take_while(|character| is_of_name(*character)).collect()
                }));
            }
        }
        // Functions are declared by their names in the library.
        names = names.into_iter().map(|name| name.replace("atc1_", "atc_")).collect();
        assert!(names.len() > 200, "only {} names found", names.len());
        names
    }

    /// The literals of more than one word, neighbours joined as the compiler joins them, placeholders filled.
    fn sentences(text: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut adjacent = false;
        for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', '/'])) {
            for (index, part) in line.replace("\\\"", "'").split('"').enumerate() {
                if index % 2 == 0 {
                    adjacent = adjacent && part.trim().is_empty();
                } else if adjacent {
                    all.last_mut().expect("a literal before this one").push_str(part);
                } else {
                    all.push(part.to_owned());
                    adjacent = true;
                }
            }
        }
        all.retain(|literal| literal.contains(' ') || literal.contains("->"));
        all.iter().map(|literal| literal.replace("{}", "x")).collect()
    }

    fn word_of_c<'a>(sentence: &'a str, names: &BTreeSet<String>) -> Option<&'a str> {
        let words = sentence.split(|character| !is_of_name(character));
        let declared = |word: &&str| {
            *word == "NULL"
                || names.contains(*word)
                || word.starts_with("ATC_") && word.ends_with('_')
        };
        words.into_iter().find(declared).or_else(|| {
            sentence
                .split_once("->")
                .filter(|(before, _)| before.ends_with(is_of_name))
                .map(|_| "->")
        })
    }

    fn cpp_files(folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                files.extend(cpp_files(&path));
            } else if path
                .extension()
                .is_some_and(|extension| extension == "cpp" || extension == "hpp")
            {
                files.push(path);
            }
        }
        files
    }
}
