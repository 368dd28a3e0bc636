//! Generates Rust bindings from the C headers: atc-sys/src/bindings.rs and atc-tch/src/sys.rs, and the names for the
//! layout test of atc-sys.

use std::path::Path;

use bindgen::callbacks::{IntKind, ParseCallbacks};
use syn::visit_mut::VisitMut;

use crate::{Outcome, facts, layout, repository};

/// Folders in which libclang (the parser that bindgen uses) is searched if the environment variable LIBCLANG_PATH is
/// not set. The list has Debian's folder, because the loader does not search there.
const LIBCLANG_PATHS: &[&str] = &["/usr/lib/llvm-14/lib"];

const FIRST_LINES: &str = "\
// Generated from include/atc/*.h by `cargo run -p xtask -- bindings`; not edited by hand.
";

/// Returns the path and the text of each file that is generated from the headers. The paths start at the root of the
/// repository.
fn generated() -> Result<[(&'static str, String); 3], String> {
    let include = repository().join("include");
    let bindings = from_header(&include.join("atc/atc.h"), &[&include])?;
    let table = layout::table(&bindings)?;
    let bridge = formatted(bridge(&include)?, "use atc_sys::{atc_group, atc_status};")?;
    Ok([
        ("rust/atc-sys/src/bindings.rs", bindings),
        ("rust/atc-sys/tests/layout/table.rs", table),
        ("rust/atc-tch/src/sys.rs", bridge),
    ])
}

/// Writes the generated files.
pub fn write() -> Outcome {
    for (file, text) in generated()? {
        std::fs::write(repository().join(file), text)
            .map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

/// Generates the texts from the headers again, and fails if a generated file in the repository has another text.
pub fn check() -> Outcome {
    for (file, fresh) in generated()? {
        let kept = std::fs::read_to_string(repository().join(file))
            .map_err(|error| format!("{file}: {error}"))?;
        compare(file, &fresh, &kept)?;
    }
    Ok(())
}

fn compare(file: &str, fresh: &str, kept: &str) -> Outcome {
    if fresh == kept {
        return Ok(());
    }
    let differing = fresh.lines().zip(kept.lines()).position(|(new, old)| new != old);
    let line = differing.unwrap_or_else(|| fresh.lines().count().min(kept.lines().count()));
    Err(format!(
        "{file} differs from the headers, first in line {}:\n  headers: {}\n  file:    {}\n\
         run `cargo run -p xtask -- bindings` and commit the result",
        line + 1,
        fresh.lines().nth(line).unwrap_or("(end)"),
        kept.lines().nth(line).unwrap_or("(end)"),
    ))
}

/// Returns the bindings of one header, as formatted Rust code.
pub fn from_header<P: AsRef<Path>>(header: &Path, include: &[P]) -> Result<String, String> {
    let builder = builder(header, include)?
        .allowlist_function("atc1?_.*")
        .allowlist_type("atc_.*")
        .allowlist_var("ATC_.*");
    formatted(builder, "")
}

/// Returns the settings of bindgen for torch.h, the header of libatc_torch. Only the declarations of this header get
/// bindings. The declarations of libatc, which the header includes, are left out.
fn bridge(include: &Path) -> Result<bindgen::Builder, String> {
    Ok(builder(&include.join("atc/torch.h"), &[include])?
        .allowlist_file(".*/atc/torch\\.h")
        .blocklist_file(".*/atc/(base|conv|group|settings|tune)\\.h"))
}

/// Returns the settings of bindgen that are the same for every header.
fn builder<P: AsRef<Path>>(header: &Path, include: &[P]) -> Result<bindgen::Builder, String> {
    find_libclang();
    Ok(bindgen::Builder::default()
        .header(header.to_string_lossy())
        .clang_args(include.iter().map(|folder| format!("-I{}", folder.as_ref().display())))
        .clang_args(["-std=c11", "-fparse-all-comments"])
        // Include guards, and macros without a value, get no bindings.
        .blocklist_item("ATC_.*_H_")
        .blocklist_item("ATC_API|ATC_NOEXCEPT")
        .default_enum_style(bindgen::EnumVariation::Consts)
        .use_core()
        .ctypes_prefix("core::ffi")
        .clang_macro_fallback()
        .derive_default(true)
        .derive_partialeq(true)
        // Rust cannot compare function pointers reliably. So structs with function pointers get no PartialEq.
        .no_partialeq(
            "atc_conv_options|atc_engine|atc_settings_source|atc_allocator|atc_log_sink|atc_group",
        )
        .formatter(bindgen::Formatter::None)
        .rust_target(bindgen::RustTarget::stable(88, 0).map_err(|error| error.to_string())?)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .merge_extern_blocks(true)
        .disable_header_comment()
        .parse_callbacks(Box::new(Reading)))
}

/// Runs bindgen, adapts its output, and returns the text of the bindings. `uses` are `use` lines, with which the text
/// begins.
fn formatted(builder: bindgen::Builder, uses: &str) -> Result<String, String> {
    let bindings = builder.generate().map_err(|error| error.to_string())?;
    let mut file =
        syn::parse_file(&format!("{uses}\n{bindings}")).map_err(|error| error.to_string())?;
    type_constants(&mut file);
    name_as_in_the_library(&mut file);
    seal_opaque_types(&mut file);
    SplitComments.visit_file_mut(&mut file);
    Ok(format!("{FIRST_LINES}\n{}", prettyplease::unparse(&file)))
}

fn find_libclang() {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return;
    }
    if let Some(folder) = LIBCLANG_PATHS.iter().find(|folder| Path::new(folder).is_dir()) {
        // SAFETY: the program has one thread at this point.
        unsafe { std::env::set_var("LIBCLANG_PATH", folder) };
    }
}

/// Callbacks that bindgen calls while it reads a header.
#[derive(Debug)]
struct Reading;

impl ParseCallbacks for Reading {
    /// Gives three constants of 64 bits the type u64. Without this callback bindgen would give them the type i32.
    fn int_macro(&self, name: &str, _value: i64) -> Option<IntKind> {
        ["ATC_UNLIMITED", "ATC_NONE", "ATC_AUTOMATIC"].contains(&name).then_some(IntKind::U64)
    }

    /// Removes the comments that only separate the sections of a header. They begin with a line of hyphens.
    fn process_comment(&self, comment: &str) -> Option<String> {
        comment.trim_start().starts_with("----").then(String::new)
    }
}

/// Gives the constants of anonymous C enums the type i32. In the ABI statuses and enum values have this type.
fn type_constants(file: &mut syn::File) {
    file.items.retain(|item| !matches!(item, syn::Item::Type(alias) if is_anonymous(&alias.ident)));
    for item in &mut file.items {
        if let syn::Item::Const(constant) = item
            && let syn::Type::Path(path) = &*constant.ty
            && path.path.get_ident().is_some_and(is_anonymous)
        {
            constant.ty = syn::parse_quote!(i32);
        }
    }
}

fn is_anonymous(name: &syn::Ident) -> bool {
    name.to_string().starts_with("_bindgen_ty_")
}

/// Renames each function to its symbol name in the library (`atc1_…`), and re-exports it under its name in the headers
/// (`atc_…`). bindgen uses the header's name, with the symbol name in the attribute `link_name`. But cbindgen ignores
/// this attribute, and a header that cbindgen writes must declare names that can be linked.
fn name_as_in_the_library(file: &mut syn::File) {
    let mut exports: Vec<syn::UseTree> = Vec::new();
    let blocks = file.items.iter_mut().filter_map(|item| match item {
        syn::Item::ForeignMod(block) => Some(block),
        _ => None,
    });
    for declared in blocks.flat_map(|block| &mut block.items) {
        if let syn::ForeignItem::Fn(function) = declared
            && let Some(label) = function.attrs.iter().find_map(label)
        {
            function.attrs.retain(|attribute| !attribute.path().is_ident("link_name"));
            let name = std::mem::replace(&mut function.sig.ident, label.clone());
            exports.push(syn::parse_quote!(#label as #name));
        }
    }
    if !exports.is_empty() {
        file.items.push(syn::parse_quote!(pub use self::{#(#exports),*};));
    }
}

/// Returns the symbol name in an attribute `link_name`; `None` for other attributes. bindgen puts the character \u{1}
/// before the name, so that LLVM does not change the name. This character is removed.
fn label(attribute: &syn::Attribute) -> Option<syn::Ident> {
    let name = text_of(attribute, "link_name")?;
    Some(quote::format_ident!("{}", name.trim_start_matches('\u{1}')))
}

/// Changes the structs of handles (objects of libatc that programs know only by pointer), so that they are not Send,
/// Sync or Copy. The length of the array in such a struct is written as `1 - 1`. cbindgen cannot write an array with a
/// computed length, so its C header only declares the struct's name. cbindgen would write an array `[u8; 0]` as an
/// array of length 0, which ISO C does not allow.
fn seal_opaque_types(file: &mut syn::File) {
    for item in &mut file.items {
        let syn::Item::Struct(handle) = item else { continue };
        if facts::is_opaque(handle) {
            handle.attrs.retain(|attribute| !attribute.path().is_ident("derive"));
            handle.fields = syn::Fields::Named(syn::parse_quote!({
                _data: [u8; 1 - 1],
                _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
            }));
        }
    }
}

/// Splits the doc comments of bindgen: each line of a comment becomes a `///` line of its own.
struct SplitComments;

impl VisitMut for SplitComments {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        let whole = std::mem::take(attributes);
        for attribute in whole {
            match text_of(&attribute, "doc") {
                Some(text) => attributes.extend(text.lines().map(|line| {
                    let line = format!(" {}", line.strip_prefix(' ').unwrap_or(line));
                    syn::parse_quote!(#[doc = #line])
                })),
                None => attributes.push(attribute),
            }
        }
    }
}

/// Returns `text` of an attribute `name = "text"`.
fn text_of(attribute: &syn::Attribute, name: &str) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })
            if pair.path.is_ident(name) =>
        {
            Some(text.value())
        }
        _ => None,
    }
}
