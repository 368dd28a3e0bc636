//! Bindings -> atc-sys/tests/layout/table.rs: the lines that Rust's compiler gives for the golden file.

use syn::Item;

use crate::facts;

const FIRST_LINES: &str = "\
// Generated with the bindings by `cargo run -p xtask -- bindings`; not edited by hand.
";

/// A function that writes one line for each struct, field and constant of the bindings.
pub fn table(bindings: &str) -> Result<String, String> {
    let file = syn::parse_file(bindings).map_err(|error| error.to_string())?;
    let mut calls = Vec::new();
    for item in &file.items {
        match item {
            Item::Struct(record) if !facts::is_opaque(record) => calls.extend(record_calls(record)),
            Item::Const(constant) if constant.ident != "_" => {
                let name = constant.ident.to_string();
                let ident = &constant.ident;
                calls.push(quote::quote!(lines.constant(#name, i128::from(#ident));));
            }
            _ => {}
        }
    }
    let function = syn::parse_quote! {
        pub fn write(lines: &mut Lines) { #(#calls)* }
    };
    let uses = syn::parse_quote!(
        use atc_sys::*;
    );
    let lines = syn::parse_quote!(
        use super::Lines;
    );
    let file = syn::File { shebang: None, attrs: Vec::new(), items: vec![uses, lines, function] };
    Ok(format!("{FIRST_LINES}\n{}", prettyplease::unparse(&file)))
}

fn record_calls(record: &syn::ItemStruct) -> Vec<proc_macro2::TokenStream> {
    let ident = &record.ident;
    let name = ident.to_string();
    let head = quote::quote!(lines.structure(#name, size_of::<#ident>(), align_of::<#ident>()););
    let fields = record.fields.iter().filter_map(|field| field.ident.as_ref()).map(|field| {
        // bindgen appends an underscore to Rust's keywords.
        let label = format!("{name}.{}", field.to_string().trim_end_matches('_'));
        quote::quote! {
            lines.field(#label, core::mem::offset_of!(#ident, #field), |all: &#ident| &all.#field);
        }
    });
    std::iter::once(head).chain(fields).collect()
}
