//! Compares the public interface of the library with `tests/interface.txt`, so that each change is noticed.
//!
//! The text has each item that `src/lib.rs` exports, from any crate and with all features, with its public fields, methods and
//! implemented traits. It is read from the source, so it lacks the output of macros, such as the variants of `Rule`, except that of
//! `options!` and `task!`. `derive` is shown as the attribute.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::parse::{ParseStream, Parser};
use syn::{
    Attribute, Field, Fields, FnArg, Ident, ImplItem, Item, ItemImpl, ItemStruct, ItemUse, Token,
    TraitItem, Type, UseTree, Visibility,
};

const KEPT: &str = "tests/interface.txt";
/// Folders of the crates whose items the library exports.
const SOURCES: [&str; 7] = [
    "crates/core/src",
    "crates/documents/src",
    "crates/known/src",
    "crates/resolve/src",
    "crates/structure/src",
    "crates/tables/src",
    "src",
];

#[test]
fn the_public_interface_is_as_written_down() {
    let found = interface();
    let path = "target/interface.txt";
    fs::create_dir_all("target").unwrap();
    fs::write(path, &found).unwrap();
    let kept = fs::read_to_string(KEPT).unwrap_or_default();
    assert!(
        kept == found,
        "the public interface has changed; if it was meant to, copy {path} to {KEPT}"
    );
}

#[test]
fn private_parts_are_left_out() {
    let text = interface();
    assert!(
        text.contains("pub fn parse(text: &str) -> Result<Self, DoiError>;"),
        "{text}"
    );
    assert!(text.contains("pub offset: u64,"));
    assert!(
        !text.contains("pub(crate)")
            && !text.contains("fn from_checked")
            && !text.contains("slash: usize")
    );
    assert!(!text.contains("bench_support") && !text.contains("mod naive"));
}

/// Returns the whole interface as text.
fn interface() -> String {
    let root = syn::parse_file(&fs::read_to_string("src/lib.rs").unwrap()).unwrap();
    let exports = exports(&root.items);
    let mut public = Public {
        exports: &exports,
        items: BTreeMap::new(),
        traits: BTreeSet::new(),
    };
    let items = SOURCES.map(|folder| (folder, items_below(Path::new(folder))));
    for item in items.iter().flat_map(|(_, items)| items) {
        if let Item::Trait(own) = item {
            public.traits.insert(own.ident.to_string());
        }
    }
    for (folder, items) in items {
        items.into_iter().for_each(|item| public.add(folder, item));
    }
    let is_found = |name: &&String| public.items.contains_key(*name);
    let missing: Vec<_> = exports.keys().filter(|name| !is_found(name)).collect();
    assert!(missing.is_empty(), "not found in the source: {missing:?}");
    let items = public.items.into_values().flat_map(|mut items| {
        items.sort_by_key(|item| matches!(item, Item::Impl(_)));
        items
    });
    let text = prettyplease::unparse(&syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: items.collect(),
        frontmatter: None,
    });
    // Functions have no bodies here.
    text.replace(" {}\n", ";\n")
}

/// An exported name.
struct Export {
    conditions: Vec<Attribute>,
    /// The folder of the crate that has the item.
    folder: String,
}

/// Returns the names that the root of the crate exports.
fn exports(items: &[Item]) -> BTreeMap<String, Export> {
    let mut exports = BTreeMap::new();
    for item in items {
        match item {
            Item::Use(ItemUse {
                vis: Visibility::Public(_),
                attrs,
                tree,
                ..
            }) if !is_hidden(attrs) => {
                let mut names = Vec::new();
                leaves(tree, &mut names);
                exports.extend(names.into_iter().map(|name| {
                    let (conditions, folder) = (conditions(attrs), folder_of(tree));
                    (name, Export { conditions, folder })
                }));
            }
            _ => {}
        }
    }
    exports
}

/// Returns the folder of the crate that a path starts with.
fn folder_of(tree: &UseTree) -> String {
    let UseTree::Path(path) = tree else {
        panic!("the root exports items of modules and crates")
    };
    let first = path.ident.to_string();
    match first.strip_prefix("doisift_") {
        Some(name) => format!("crates/{name}/src"),
        None => "src".to_owned(),
    }
}

fn leaves(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, names),
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, names)),
        _ => panic!("the root exports each name by itself"),
    }
}

/// Returns all items of the files below `folder`, except those of inner modules, which are tests.
fn items_below(folder: &Path) -> Vec<Item> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let mut items = Vec::new();
    for path in entries {
        // The command is not a part of the library.
        if path.is_dir() && !path.ends_with("bin") {
            items.extend(items_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let file = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
            items.extend(file.items.iter().flat_map(generated).collect::<Vec<_>>());
            items.extend(file.items);
        }
    }
    items
}

/// Returns the items that `options!` and `task!` make: the public groups, and the methods of tasks.
fn generated(item: &Item) -> Vec<Item> {
    let Item::Macro(call) = item else {
        return Vec::new();
    };
    let tokens = call.mac.tokens.clone();
    match call.mac.path.get_ident() {
        Some(name) if name == "options" => declared.parse2(tokens).unwrap(),
        Some(name) if name == "task" => task.parse2(tokens).unwrap(),
        _ => Vec::new(),
    }
}

/// Parses a group of options: a public one, `value Group, "", [Tasks];` before its fields, or one with setters, `name: Group, "";`
/// before its options.
fn declared(group: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    group.call(Attribute::parse_outer)?;
    let (first, is_value) = (group.parse::<Ident>()?, group.peek(Ident));
    let head = is_value.then(|| group.parse::<Ident>()).transpose()?;
    while !group.peek(Token![;]) {
        skip(group)?;
    }
    group.parse::<Token![;]>()?;
    match head {
        Some(name) if first == "value" => fields(group, &name),
        _ => setters(group),
    }
}

/// Parses the fields of a public group: `name: Type = initial, default "", { … }` for each.
fn fields(group: ParseStream<'_>, name: &Ident) -> syn::Result<Vec<Item>> {
    let empty = format!("#[derive(Clone, Debug)] pub struct {name} {{}}");
    let mut own: ItemStruct = syn::parse_str(&empty).unwrap();
    while !group.is_empty() {
        group.call(Attribute::parse_outer)?;
        let mut field = Field::parse_named(group)?;
        field.vis = syn::parse_str("pub").unwrap();
        if let Fields::Named(named) = &mut own.fields {
            named.named.push(field);
        }
        while !group.peek(syn::token::Brace) {
            skip(group)?;
        }
        skip(group)?;
    }
    let default = syn::parse_str(&format!("impl Default for {name} {{}}")).unwrap();
    Ok(vec![Item::Struct(own), default])
}

/// Parses options with setters: `kind name: Type = initial [Tasks] default "" { … }` for each.
fn setters(group: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    let mut methods: BTreeMap<String, Vec<ImplItem>> = BTreeMap::new();
    while !group.is_empty() {
        group.call(Attribute::parse_outer)?;
        let (kind, name): (Ident, Ident) = (group.parse()?, group.parse()?);
        let typed = group.parse::<Option<Token![:]>>()?.is_some();
        let own: Option<Type> = typed.then(|| group.parse()).transpose()?;
        while !group.peek(syn::token::Bracket) {
            skip(group)?;
        }
        let tasks;
        syn::bracketed!(tasks in group);
        while !tasks.is_empty() {
            let task = tasks.parse::<Ident>()?.to_string();
            let methods = methods.entry(task).or_default();
            methods.extend(setter(&kind.to_string(), &name, own.as_ref()));
        }
        while !group.peek(syn::token::Brace) {
            skip(group)?;
        }
        skip(group)?;
    }
    let methods = methods.iter().filter(|(_, methods)| !methods.is_empty());
    Ok(methods
        .map(|(task, methods)| implementation(task, methods))
        .collect())
}

/// Returns the setter of an option. `None` if the option has none.
fn setter(kind: &str, name: &Ident, own: Option<&Type>) -> Option<ImplItem> {
    let (parameters, given) = match kind {
        "named" => return None,
        "text" | "texts" => ("", "impl Into<String>"),
        "path" => ("", "impl AsRef<std::path::Path>"),
        "list" => ("<S: Into<String>>", "impl IntoIterator<Item = S>"),
        _ => ("", "bool"),
    };
    let mut setter = method(&format!(
        "{name}{parameters}(mut self, {name}: {given}) -> Self"
    ));
    if let (ImplItem::Fn(method), Some(own)) = (&mut setter, own)
        && let Some(FnArg::Typed(argument)) = method.sig.inputs.last_mut()
    {
        *argument.ty = own.clone();
    }
    Some(setter)
}

/// Parses a task: `Task { group: Group => setter, … }`, and `input` if it has that method.
fn task(task: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    let name = task.parse::<Ident>()?.to_string();
    let groups;
    syn::braced!(groups in task);
    let mut methods = Vec::new();
    task.call(Attribute::parse_outer)?;
    if task.parse::<Option<Ident>>()?.is_some() {
        methods.push(method("new() -> Self"));
        let input = "input(mut self, path: impl AsRef<std::path::Path>) -> Self";
        methods.push(method(input));
    }
    while !groups.is_empty() {
        groups.parse::<Ident>()?;
        groups.parse::<Token![:]>()?;
        let group: Ident = groups.parse()?;
        if groups.parse::<Option<Token![=>]>>()?.is_some() {
            let setter: Ident = groups.parse()?;
            let signature = format!("{setter}(mut self, {setter}: crate::{group}) -> Self");
            methods.push(method(&signature));
        }
        groups.parse::<Token![,]>()?;
    }
    let monitor = "monitor(mut self, monitor: &Monitor) -> Self";
    methods.push(method(monitor));
    Ok(vec![implementation(&name, &methods)])
}

/// Parses a public method without a body.
fn method(signature: &str) -> ImplItem {
    syn::parse_str(&format!("pub fn {signature} {{}}")).unwrap()
}

fn implementation(task: &str, methods: &[ImplItem]) -> Item {
    let mut own: ItemImpl = syn::parse_str(&format!("impl {task} {{}}")).unwrap();
    own.items = methods.to_vec();
    Item::Impl(own)
}

/// Skips one token, or a pair of brackets with its content.
fn skip(stream: ParseStream<'_>) -> syn::Result<()> {
    stream.step(|cursor| match cursor.token_tree() {
        Some((_, rest)) => Ok(((), rest)),
        None => Err(cursor.error("a token is missing")),
    })
}

/// The public items by name, each with its implementations.
struct Public<'e> {
    exports: &'e BTreeMap<String, Export>,
    items: BTreeMap<String, Vec<Item>>,
    /// Traits of this crate.
    traits: BTreeSet<String>,
}

impl Public<'_> {
    /// Adds an item of the crate in `folder`, if it is in the interface.
    fn add(&mut self, folder: &str, mut item: Item) {
        let Some(name) = self.public_name(&item) else {
            return;
        };
        let Export {
            conditions,
            folder: own,
        } = &self.exports[&name];
        if own != folder {
            return;
        }
        match &mut item {
            Item::Struct(own) => {
                own.attrs = shown(&own.attrs, conditions);
                own.fields = public_fields(&own.fields);
            }
            Item::Enum(own) => {
                own.attrs = shown(&own.attrs, conditions);
                for variant in &mut own.variants {
                    variant.attrs.clear();
                    variant
                        .fields
                        .iter_mut()
                        .for_each(|field| field.attrs.clear());
                }
            }
            Item::Fn(own) => {
                own.attrs = shown(&own.attrs, conditions);
                own.block.stmts.clear();
            }
            Item::Trait(own) => {
                own.attrs = shown(&own.attrs, conditions);
                for item in &mut own.items {
                    if let TraitItem::Fn(method) = item {
                        method.attrs.clear();
                        method.default = None;
                    }
                }
            }
            Item::Impl(own) => {
                own.attrs = shown(&own.attrs, conditions);
                own.items = public_parts(own);
                if own.items.is_empty() && own.trait_.is_none() {
                    return;
                }
            }
            _ => return,
        }
        self.items.entry(name).or_default().push(item);
    }

    /// Returns the exported name that `item` belongs to, or `None` if it is not in the interface.
    fn public_name(&self, item: &Item) -> Option<String> {
        let is_public = |vis: &Visibility| matches!(vis, Visibility::Public(_));
        let name = match item {
            Item::Struct(own) if is_public(&own.vis) => own.ident.to_string(),
            Item::Enum(own) if is_public(&own.vis) => own.ident.to_string(),
            Item::Fn(own) if is_public(&own.vis) => own.sig.ident.to_string(),
            Item::Trait(own) if is_public(&own.vis) => own.ident.to_string(),
            Item::Impl(own) if self.is_public_impl(own) => last_word(&own.self_ty)?,
            _ => return None,
        };
        self.exports.contains_key(&name).then_some(name)
    }

    /// Whether an implementation is not for tests, and not of a private trait.
    fn is_public_impl(&self, own: &ItemImpl) -> bool {
        let private = own.trait_.as_ref().is_some_and(|(path, _)| {
            let name = path.segments.last().unwrap().ident.to_string();
            path.segments.len() == 1
                && self.traits.contains(&name)
                && !self.exports.contains_key(&name)
        });
        !private && !is_hidden(&own.attrs) && !is_test(&own.attrs)
    }
}

fn last_word(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    Some(path.path.segments.last()?.ident.to_string())
}

fn public_fields(fields: &Fields) -> Fields {
    let is_public = |field: &&Field| matches!(field.vis, Visibility::Public(_));
    let mut public = fields.clone();
    let kept = fields.iter().filter(is_public).cloned().map(|mut field| {
        field.attrs.clear();
        field
    });
    match &mut public {
        Fields::Named(named) => named.named = kept.collect(),
        Fields::Unnamed(unnamed) => unnamed.unnamed = kept.collect(),
        Fields::Unit => {}
    }
    public
}

/// Returns the public functions and constants of an inherent implementation, without bodies. Of a trait's implementation, returns
/// the types.
fn public_parts(own: &ItemImpl) -> Vec<ImplItem> {
    let is_inherent = own.trait_.is_none();
    let parts = own.items.iter().cloned().filter_map(|mut part| {
        let is_shown = match &mut part {
            ImplItem::Fn(method) => {
                let hidden = is_hidden(&method.attrs) || is_test(&method.attrs);
                method.attrs = conditions(&method.attrs);
                method.block.stmts.clear();
                is_inherent && !hidden && matches!(method.vis, Visibility::Public(_))
            }
            ImplItem::Const(value) => {
                value.attrs.clear();
                is_inherent && matches!(value.vis, Visibility::Public(_))
            }
            ImplItem::Type(_) => true,
            _ => false,
        };
        is_shown.then_some(part)
    });
    parts.collect()
}

/// Returns the conditions of the export, and the attributes that a caller can notice.
fn shown(own: &[Attribute], conditions: &[Attribute]) -> Vec<Attribute> {
    let mut shown = conditions.to_vec();
    let is_noticed = |attr: &&Attribute| {
        ["cfg", "derive", "non_exhaustive", "must_use"]
            .iter()
            .any(|name| attr.path().is_ident(name))
    };
    for attr in own.iter().filter(is_noticed) {
        if !shown.contains(attr) {
            shown.push(attr.clone());
        }
    }
    shown
}

fn conditions(attrs: &[Attribute]) -> Vec<Attribute> {
    let conditions = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    conditions.cloned().collect()
}

fn is_hidden(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let list = attr.meta.require_list().ok();
        attr.path().is_ident("doc") && list.is_some_and(|list| list.tokens.to_string() == "hidden")
    })
}

fn is_test(attrs: &[Attribute]) -> bool {
    let texts = conditions(attrs)
        .into_iter()
        .map(|attr| attr.meta.require_list().unwrap().tokens.to_string());
    texts.into_iter().any(|text| text.contains("test"))
}
