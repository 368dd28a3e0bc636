//! Collects the declarations of a file of Rust bindings in a map. By their maps two such files can be compared.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

/// The declarations of a file of bindings. A key is the kind and the name of a declaration, for example
/// `fn atc1_version`. The value is the text of the declaration.
pub type Facts = BTreeMap<String, String>;

/// Collects the declarations of a file of bindings: prototypes, symbol names, fields, aliases,
/// sizes, alignments, offsets and the values of constants. Three things are left out, because they
/// are lost if a C header is generated from Rust bindings: the contents of opaque types, comments,
/// and whether a constant comes from an enum or a macro.
pub fn of(bindings: &str) -> Result<Facts, String> {
    let mut file = syn::parse_file(bindings).map_err(|error| error.to_string())?;
    Plain.visit_file_mut(&mut file);
    let mut collector = Collector::default();
    collector.visit_file(&file);
    Ok(collector.facts)
}

/// Returns one line for each declaration that differs between the two files.
pub fn differences(first: &Facts, second: &Facts) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = first.keys().chain(second.keys()).collect();
    let missing = "(nothing)".to_owned();
    names
        .into_iter()
        .map(|name| {
            (name, first.get(name).unwrap_or(&missing), second.get(name).unwrap_or(&missing))
        })
        .filter(|(_, before, after)| before != after)
        .map(|(name, before, after)| format!("{name}:\n  before: {before}\n  after:  {after}"))
        .collect()
}

/// Returns whether a struct is a handle (an object of libatc that programs know only by pointer). Such a struct has a
/// field `_unused` if bindgen has written it, or `_data` if [`crate::bindings`] has changed it.
pub fn is_opaque(record: &syn::ItemStruct) -> bool {
    let mut names = record.fields.iter().filter_map(|field| field.ident.as_ref());
    names.any(|name| name == "_data" || name == "_unused")
}

/// Removes all attributes except symbol names (`link_name`).
struct Plain;

impl VisitMut for Plain {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        attributes.retain(|attribute| attribute.path().is_ident("link_name"));
    }
}

#[derive(Default)]
struct Collector {
    facts: Facts,
}

impl Collector {
    fn say(&mut self, kind: &str, name: impl ToString, fact: impl ToTokens) {
        let fact = fact.to_token_stream().to_string();
        self.facts.insert(format!("{kind} {}", name.to_string()), fact);
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_foreign_item_fn(&mut self, function: &'ast syn::ForeignItemFn) {
        self.say("fn", &function.sig.ident, function);
    }

    fn visit_item_struct(&mut self, record: &'ast syn::ItemStruct) {
        let fields = (!is_opaque(record)).then_some(&record.fields);
        self.say("struct", &record.ident, fields);
    }

    fn visit_item_type(&mut self, alias: &'ast syn::ItemType) {
        self.say("type", &alias.ident, &alias.ty);
    }

    fn visit_item_const(&mut self, constant: &'ast syn::ItemConst) {
        if constant.ident == "_" {
            // A layout assertion of bindgen: ["Size of X"][size_of::<X>() - 8usize];
            syn::visit::visit_item_const(self, constant);
        } else {
            self.say("const", &constant.ident, &constant.expr);
        }
    }

    fn visit_expr_index(&mut self, assertion: &'ast syn::ExprIndex) {
        let (syn::Expr::Array(array), syn::Expr::Binary(difference)) =
            (&*assertion.expr, &*assertion.index)
        else {
            return;
        };
        if let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(what), .. })) =
            array.elems.first()
        {
            self.say("layout", what.value(), &difference.right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = r#"
        /// a comment
        pub const ATC_A: i32 = 1;
        #[repr(C)] pub struct atc_s { pub a: i32, pub b: *const u8 }
        const _: () = { ["Size of atc_s"][size_of::<atc_s>() - 16usize]; };
        #[repr(C)] pub struct atc_h { _data: [u8; 1 - 1], _marker: PhantomData<u8> }
        unsafe extern "C" { pub fn atc1_f(s: *const atc_s, n: u64) -> i32; }
    "#;

    #[test]
    fn comments_and_the_inside_of_handles_make_no_difference() {
        let after = BEFORE
            .replace("/// a comment", "")
            .replace("_data: [u8; 1 - 1], _marker: PhantomData<u8>", "_unused: [u8; 0]")
            .replace("ATC_A: i32", "ATC_A: u32");
        assert_eq!(differences(&of(BEFORE).unwrap(), &of(&after).unwrap()), [""; 0]);
    }

    #[test]
    fn everything_a_caller_relies_on_makes_a_difference() {
        for (what, with) in [
            ("*const atc_s", "*mut atc_s"),
            ("n: u64", "n: u32"),
            ("-> i32", "-> i64"),
            ("b: *const u8", "b: *const i8"),
            ("16usize", "24usize"),
            ("i32 = 1", "i32 = 2"),
            ("pub fn atc1_f", "pub fn atc1_g"),
            ("pub fn atc1_f", "#[link_name = \"atc1_g\"] pub fn atc1_f"),
        ] {
            let after = BEFORE.replace(what, with);
            assert_ne!(after, BEFORE, "{what} does not occur");
            let found = differences(&of(BEFORE).unwrap(), &of(&after).unwrap());
            assert!(!found.is_empty(), "{what} became {with} unseen");
        }
    }
}
