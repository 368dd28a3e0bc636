//! Generates Rust bindings from the C headers: atc-sys/src/bindings.rs and atc-tch/src/sys.rs, and the names for the
//! layout test of atc-sys.

use std::path::Path;

use bindgen::callbacks::{IntKind, ParseCallbacks};
use syn::visit_mut::VisitMut;

use crate::{Outcome, facts, layout, repository};

/// Folders in which libclang is searched if the variable LIBCLANG_PATH is not set. The loader does not find Debian's
/// libclang by itself.
const LIBCLANG_PATHS: &[&str] = &["/usr/lib/llvm-14/lib"];

const FIRST_LINES: &str = "\
// Generated from include/atc/*.h by `cargo run -p xtask -- bindings`; not edited by hand.
";

/// Returns the files that are generated from the headers: the path from the root of the repository, and the text.
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

/// Fails if a generated file in the repository differs from the text that the headers now give.
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

/// Returns the bindings of one header, formatted.
pub fn from_header<P: AsRef<Path>>(header: &Path, include: &[P]) -> Result<String, String> {
    let builder = builder(header, include)?
        .allowlist_function("atc1?_.*")
        .allowlist_type("atc_.*")
        .allowlist_var("ATC_.*");
    formatted(builder, "")
}

/// Returns the settings of bindgen for torch.h: only the declarations of libatc_torch, without those of libatc.
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
        // Equality of function pointers has no meaning, so structs with function pointers get no PartialEq.
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

/// Runs bindgen and returns the text of the bindings. The text begins with `uses` (`use` lines).
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
    /// Without this callback, bindgen would give macros with a cast the type i32.
    fn int_macro(&self, name: &str, _value: i64) -> Option<IntKind> {
        ["ATC_UNLIMITED", "ATC_NONE", "ATC_AUTOMATIC"].contains(&name).then_some(IntKind::U64)
    }

    /// Removes comments that consist of a ruled line (they separate the sections of a header).
    fn process_comment(&self, comment: &str) -> Option<String> {
        comment.trim_start().starts_with("----").then(String::new)
    }
}

/// Gives the constants of anonymous enums the type i32, which is the type of statuses and enums in the ABI.
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

/// Declares each function under its symbol name in the library, and also exports it under its name in the headers. The
/// symbol name is needed because cbindgen ignores `link_name`: a header that cbindgen writes must declare names that
/// can be linked.
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

/// The symbol name that an attribute `link_name` gives. bindgen puts the character \u{1} before the name, so that LLVM
/// does not change the name.
fn label(attribute: &syn::Attribute) -> Option<syn::Ident> {
    let name = text_of(attribute, "link_name")?;
    Some(quote::format_ident!("{}", name.trim_start_matches('\u{1}')))
}

/// Makes handles opaque: they are not Send, Sync or Copy. The field of a handle is an array with a computed length.
/// cbindgen cannot write such an array, so it only declares the struct by name. An array `[u8; 0]` would be written as
/// an array of length 0, which ISO C does not allow.
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

/// Splits each doc comment, so that each of its lines becomes one `///` line.
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
