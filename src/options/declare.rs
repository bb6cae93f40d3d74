//! The macro that declares the options of a group.
//!
//! ```text
//! options! {
//!     limits: LimitOptions, limit_setters, "Limits";  the field of builders, its type, the macro that writes the setters
//!                                                     into a builder, and the heading of the help
//!
//!     /// Open no container that is deeper than this   the help, and the documentation of the setter
//!     number max_depth: usize = (3)                   kind of setter, name, type, and the value if none is set
//!     [Scan Normalize]                                the tasks that have it
//!     default "3"                                     the default in words
//!     { value: "N", is_fixed: true }                  what else differs from `OptionSpec::BASE`
//! }
//! ```
//!
//! The kind of a setter determines the type that a caller passes, and the type of the field:
//!
//! | kind | setter | field |
//! |---|---|---|
//! | `flag` | `bool` | `bool` |
//! | `number`, `value` | the type | `Option` of it; the type itself if there is a value for none |
//! | `text` | `impl Into<String>` | `Option<String>` |
//! | `path` | `impl AsRef<Path>` | `Option<PathBuf>` |
//! | `texts` | `impl Into<String>`, one more | `Vec<String>` |
//! | `list` | all texts at once | `Option<Vec<String>>` |

/// Declares a group of options: its struct, their specifications, and the macro for their setters.
macro_rules! options {
    ($($group:tt)+) => {
        // The dollar sign is passed on, since a macro cannot write one into the macro that it declares.
        options_with! { ($) $($group)+ }
    };
}

macro_rules! options_with {
    (
        ($dollar:tt)
        $(#[$about:meta])*
        $group:ident: $Group:ident, $setters:ident, $heading:literal;
        $(
            $(#[doc = $doc:literal])+
            $kind:ident $name:ident $(: $type:ty)? $(= $initial:tt)? [$($task:ident)+]
            $(default $default:literal)? {$($attribute:ident: $set:expr),* $(,)?}
        )+
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub(crate) struct $Group {
            $($(#[doc = $doc])+ pub(crate) $name: option_field!($kind $(, $type)? $(= $initial)?),)+
        }

        const _: () = {
            use crate::options::{
                BadOption, OptionField, OptionGroup, OptionSpec, OptionType, OptionValue, Task,
            };

            impl $Group {
                pub(crate) const SPECS: &'static [OptionSpec] = &[$(OptionSpec {
                    $($attribute: $set,)*
                    ..OptionSpec {
                        name: stringify!($name),
                        doc: concat!($($doc, "\n"),+),
                        default: concat!($($default)?),
                        heading: $heading,
                        kind: <option_type!($kind $(, $type)?) as OptionType>::KIND,
                        tasks: &[$(Task::$task),+],
                        check: |value| <option_type!($kind $(, $type)?) as OptionType>::read(value).map(drop),
                        ..OptionSpec::BASE
                    }
                },)+];
            }

            impl Default for $Group {
                fn default() -> Self {
                    $Group { $($name: option_initial!($($initial)?),)+ }
                }
            }

            impl OptionGroup for $Group {
                fn set(&mut self, name: &str, value: &OptionValue) -> Result<bool, BadOption> {
                    match name {
                        $(stringify!($name) => self.$name = OptionField::read(value)?,)+
                        _ => return Ok(false),
                    }
                    Ok(true)
                }

                fn values(&self, task: Task) -> Vec<(&'static OptionSpec, OptionValue)> {
                    let values = [$(OptionField::shown(&self.$name)),+];
                    let options = $Group::SPECS.iter().zip(values);
                    options.filter(|(spec, _)| spec.tasks.contains(&task)).collect()
                }
            }
        };

        /// Writes the setters of the options that a task has into its builder.
        macro_rules! $setters {
            ($dollar Builder:ident for $dollar Task:ident) => {
                impl $dollar Builder {
                    $(option_setter! {
                        $dollar Task [$($task)+] $group
                        [$(#[doc = $doc])+ $(#[doc = concat!("\n\nDefault: ", $default, ".")])?]
                        $kind $name [$($type)?] [$($initial)?]
                    })+
                }
            };
        }
    };
}

/// The type of one value.
macro_rules! option_type {
    (flag) => { bool };
    (number, $type:ty) => { $type };
    (value, $type:ty) => { $type };
    (text) => { String };
    (path) => { std::path::PathBuf };
    (texts) => { Vec<String> };
    (list) => { Vec<String> };
}

/// The type of the field.
macro_rules! option_field {
    (flag) => { bool };
    (texts) => { Vec<String> };
    ($kind:ident, $type:ty = $initial:tt) => { $type };
    ($kind:ident $(, $type:ty)?) => { Option<option_type!($kind $(, $type)?)> };
}

/// The value of the field if none is set.
macro_rules! option_initial {
    () => {
        Default::default()
    };
    ($initial:tt) => {
        $initial
    };
}

/// The setter of an option, if the task is among those of the option.
macro_rules! option_setter {
    (Scan [Scan $($others:ident)*] $($option:tt)+) => { option_method! { $($option)+ } };
    (Merge [Merge $($others:ident)*] $($option:tt)+) => { option_method! { $($option)+ } };
    (Normalize [Normalize $($others:ident)*] $($option:tt)+) => { option_method! { $($option)+ } };
    (Index [Index $($others:ident)*] $($option:tt)+) => { option_method! { $($option)+ } };
    (Check [Check $($others:ident)*] $($option:tt)+) => { option_method! { $($option)+ } };
    (Diff [Diff $($others:ident)*] $($option:tt)+) => { option_method! { $($option)+ } };
    (Resolve [Resolve $($others:ident)*] $($option:tt)+) => { option_method! { $($option)+ } };
    ($Task:ident [] $($option:tt)+) => {};
    ($Task:ident [$first:ident $($others:ident)*] $($option:tt)+) => {
        option_setter! { $Task [$($others)*] $($option)+ }
    };
}

/// The setter of an option.
macro_rules! option_method {
    ($group:ident [$($docs:tt)+] flag $name:ident [] []) => {
        $($docs)+
        pub fn $name(mut self, $name: bool) -> Self {
            self.$group.$name = $name;
            self
        }
    };
    ($group:ident [$($docs:tt)+] text $name:ident [] []) => {
        $($docs)+
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.$group.$name = Some($name.into());
            self
        }
    };
    ($group:ident [$($docs:tt)+] path $name:ident [] []) => {
        $($docs)+
        pub fn $name(mut self, $name: impl AsRef<std::path::Path>) -> Self {
            self.$group.$name = Some($name.as_ref().to_owned());
            self
        }
    };
    ($group:ident [$($docs:tt)+] texts $name:ident [] []) => {
        $($docs)+
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.$group.$name.push($name.into());
            self
        }
    };
    ($group:ident [$($docs:tt)+] list $name:ident [] []) => {
        $($docs)+
        pub fn $name<S: Into<String>>(mut self, $name: impl IntoIterator<Item = S>) -> Self {
            self.$group.$name = Some($name.into_iter().map(Into::into).collect());
            self
        }
    };
    ($group:ident [$($docs:tt)+] $kind:ident $name:ident [$type:ty] []) => {
        $($docs)+
        pub fn $name(mut self, $name: $type) -> Self {
            self.$group.$name = Some($name);
            self
        }
    };
    ($group:ident [$($docs:tt)+] $kind:ident $name:ident [$type:ty] [$initial:tt]) => {
        $($docs)+
        pub fn $name(mut self, $name: $type) -> Self {
            self.$group.$name = $name;
            self
        }
    };
}

/// Writes the setters of a builder, and lets its options be set by their names. Its fields are the groups.
macro_rules! option_builder {
    ($Builder:ident for $Task:ident: $($group:ident: $Group:ident, $setters:ident;)+) => {
        $($setters! { $Builder for $Task })+

        const _: () = {
            use crate::options::{BadOption, OptionBuilder, OptionGroup, OptionSpec, OptionValue, Task};

            impl OptionBuilder for $Builder {
                fn options() -> Vec<&'static OptionSpec> {
                    let specs = [$($Group::SPECS),+].into_iter().flatten();
                    specs.filter(|spec| spec.tasks.contains(&Task::$Task)).collect()
                }

                fn set(mut self, name: &str, value: OptionValue) -> Result<Self, BadOption> {
                    let own = Self::options().into_iter().find(|spec| spec.name == name);
                    let value = own.ok_or(BadOption::Unknown)?.read(value)?;
                    let groups: Vec<&mut dyn OptionGroup> = vec![$(&mut self.$group),+];
                    for group in groups {
                        if group.set(name, &value)? {
                            break;
                        }
                    }
                    Ok(self)
                }
            }

            impl $Builder {
                /// Returns all options, with their values.
                pub(crate) fn values(&self) -> Vec<(&'static OptionSpec, OptionValue)> {
                    let groups: Vec<&dyn OptionGroup> = vec![$(&self.$group),+];
                    groups.iter().flat_map(|group| group.values(Task::$Task)).collect()
                }
            }
        };
    };
}
