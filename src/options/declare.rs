//! The macros that declare options and tasks.
//!
//! `options!` declares a group of options. One with setters is private, and has a row for each option:
//!
//! ```text
//! options! {
//!     resources: ResourceOptions, "Resources";        the field of tasks, its type, and the heading of the help
//!
//!     /// Folder for temporary files                   the help, and the documentation of the setter
//!     path tmp_dir                                    kind of setter, name, and the type if the kind does not have it
//!     [Scan Merge BuildIndex Diff]                    the tasks that have it
//!     default "that of the output"                    the default in words
//!     { kind: OptionKind::Folder, value: "DIR" }      what else differs from `OptionSpec::BASE`
//! }
//! ```
//!
//! | kind | setter | field |
//! |---|---|---|
//! | `flag` | `bool` | `bool` |
//! | `value` | the type | `Option` of it |
//! | `plain` | the type | the type |
//! | `text` | `impl Into<String>` | `Option<String>` |
//! | `path` | `impl AsRef<Path>` | `Option<PathBuf>` |
//! | `texts` | `impl Into<String>`, one more | `Vec<String>` |
//! | `list` | all texts at once | `Option<Vec<String>>` |
//! | `with` | the type of a group, which is stored in the field of this name | `bool` |
//! | `named` | none: the option is only set by its name | the type |
//!
//! The other form, `value Limits, "Limits", [Scan Check];`, declares a public struct whose rows are fields with types. All tasks in the
//! brackets have all of its options.
//!
//! `task!` implements what all tasks have. It lists the groups of a task, in the order of the help. `=> limits` after a group is the
//! setter that replaces the whole group.

/// Declares a group of options.
macro_rules! options {
    (
        $(#[$about:meta])*
        value $Group:ident, $heading:literal, $tasks:tt;
        $(
            $(#[doc = $doc:literal])+
            $name:ident: $type:ty $(= $initial:expr)?, $(default $default:literal,)? {$($attributes:tt)*}
        )+
    ) => {
        group! {
            $(#[$about])* pub $Group $heading;
            $([$($doc)+] $name ($type) ($($initial)?) $tasks ($($default)?) {$($attributes)*})+
        }
    };
    (
        $(#[$about:meta])*
        $group:ident: $Group:ident, $heading:literal;
        $(
            $(#[doc = $doc:literal])+
            $kind:ident $name:ident $(: $type:ty)? $(= $initial:literal)? [$($task:ident)+]
            $(default $default:literal)? {$($attributes:tt)*}
        )+
    ) => {
        group! {
            $(#[$about])* pub(crate) $Group $heading;
            $([$($doc)+] $name (field!($kind $(, $type)?)) ($($initial)?) [$($task)+] ($($default)?) {$($attributes)*})+
        }

        $(setters! {
            [$($task)+] $group
            [$(#[doc = $doc])+ $(#[doc = concat!("\n\nDefault: ", $default, ".")])?]
            $kind $name ($($type)?)
        })+
    };
}

/// The type of the field of an option.
macro_rules! field {
    (flag) => { bool };
    (with, $type:ty) => { bool };
    (value, $type:ty) => { Option<$type> };
    (plain, $type:ty) => { $type };
    (named, $type:ty) => { $type };
    (text) => { Option<String> };
    (path) => { Option<std::path::PathBuf> };
    (texts) => { Vec<String> };
    (list) => { Option<Vec<String>> };
}

/// Declares the struct of a group, and the specifications of its options.
macro_rules! group {
    (
        $(#[$about:meta])* $vis:vis $Group:ident $heading:literal;
        $(
            [$($doc:literal)+] $name:ident ($type:ty) ($($initial:expr)?) [$($task:ident)+] ($($default:literal)?)
            {$($attribute:ident: $set:expr),* $(,)?}
        )+
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        $vis struct $Group {
            $($(#[doc = $doc])+ $(#[doc = concat!("\n\nDefault: ", $default, ".")])? $vis $name: $type,)+
        }

        const _: () = {
            use crate::options::{
                BadOption, OptionField, OptionGroup, OptionSpec, OptionValue, Task,
            };

            impl Default for $Group {
                fn default() -> Self {
                    $Group { $($name: group!(@initial $($initial)?),)+ }
                }
            }

            impl OptionGroup for $Group {
                const SPECS: &'static [OptionSpec] = &[$(OptionSpec {
                    $($attribute: $set,)*
                    ..OptionSpec {
                        name: stringify!($name),
                        doc: concat!($($doc, "\n"),+),
                        default: concat!($($default)?),
                        heading: $heading,
                        kind: <$type as OptionField>::KIND,
                        tasks: &[$(Task::$task),+],
                        check: |value| <$type as OptionField>::read(value).map(drop),
                        ..OptionSpec::BASE
                    }
                },)+];

                fn set(&mut self, name: &str, value: &OptionValue) -> Result<bool, BadOption> {
                    match name {
                        $(stringify!($name) => self.$name = OptionField::read(value)?,)+
                        _ => return Ok(false),
                    }
                    Ok(true)
                }

                fn values(&self) -> Vec<OptionValue> {
                    vec![$(OptionField::shown(&self.$name)),+]
                }
            }
        };
    };
    (@initial) => { Default::default() };
    (@initial $initial:expr) => { $initial };
}

/// Writes the setter of an option into each of its tasks.
macro_rules! setters {
    ([] $($option:tt)+) => {};
    ([Resolve $($others:ident)*] $($option:tt)+) => {
        #[cfg(feature = "resolve")]
        setters! { @into Resolve $($option)+ }
        setters! { [$($others)*] $($option)+ }
    };
    ([$Task:ident $($others:ident)*] $($option:tt)+) => {
        setters! { @into $Task $($option)+ }
        setters! { [$($others)*] $($option)+ }
    };
    (@into $Task:ident $($option:tt)+) => {
        impl crate::$Task {
            setter! { $($option)+ }
        }
    };
}

/// The setter of an option, by its kind.
macro_rules! setter {
    ($group:ident [$($docs:tt)+] named $name:ident ($type:ty)) => {};
    ($group:ident [$($docs:tt)+] flag $name:ident ()) => {
        $($docs)+
        pub fn $name(mut self, $name: bool) -> Self {
            self.$group.$name = $name;
            self
        }
    };
    ($group:ident [$($docs:tt)+] with $name:ident ($type:ty)) => {
        $($docs)+
        pub fn $name(mut self, $name: $type) -> Self {
            self.$group.$name = true;
            self.$name = $name;
            self
        }
    };
    ($group:ident [$($docs:tt)+] value $name:ident ($type:ty)) => {
        $($docs)+
        pub fn $name(mut self, $name: $type) -> Self {
            self.$group.$name = Some($name);
            self
        }
    };
    ($group:ident [$($docs:tt)+] plain $name:ident ($type:ty)) => {
        $($docs)+
        pub fn $name(mut self, $name: $type) -> Self {
            self.$group.$name = $name;
            self
        }
    };
    ($group:ident [$($docs:tt)+] text $name:ident ()) => {
        $($docs)+
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.$group.$name = Some($name.into());
            self
        }
    };
    ($group:ident [$($docs:tt)+] path $name:ident ()) => {
        $($docs)+
        pub fn $name(mut self, $name: impl AsRef<std::path::Path>) -> Self {
            self.$group.$name = Some($name.as_ref().to_owned());
            self
        }
    };
    ($group:ident [$($docs:tt)+] texts $name:ident ()) => {
        $($docs)+
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.$group.$name.push($name.into());
            self
        }
    };
    ($group:ident [$($docs:tt)+] list $name:ident ()) => {
        $($docs)+
        pub fn $name<S: Into<String>>(mut self, $name: impl IntoIterator<Item = S>) -> Self {
            self.$group.$name = Some($name.into_iter().map(Into::into).collect());
            self
        }
    };
}

/// Implements what all tasks have: the setters of groups and of the monitor, and options by their names. The fields of the task are
/// `monitor` and the groups. A task with `input`, whose documentation is last, also has the field `inputs`.
macro_rules! task {
    (
        $Task:ident {
            $($group:ident: $Group:ident $(=> $setter:ident)?),+ $(,)?
        }
        $($(#[doc = $doc:literal])+ input)?
    ) => {
        impl crate::$Task {
            $(
                /// Creates the task without inputs. Its rows go to standard output.
                pub fn new() -> Self {
                    Self::default()
                }

                $(#[doc = $doc])+
                pub fn input(mut self, path: impl AsRef<std::path::Path>) -> Self {
                    self.inputs.push(path.as_ref().to_owned().into());
                    self
                }
            )?

            $($(
                #[doc = concat!("Sets all [`", stringify!($Group), "`](crate::", stringify!($Group), ") at once.")]
                pub fn $setter(mut self, $setter: crate::$Group) -> Self {
                    self.$group = $setter;
                    self
                }
            )?)+

            /// Lets `monitor` observe and cancel the run.
            pub fn monitor(mut self, monitor: &Monitor) -> Self {
                self.monitor = monitor.clone();
                self
            }
        }

        const _: () = {
            use crate::error::Error;
            use crate::options::{
                BadOption, ChosenOptions, GivenOptions, OptionGroup, OptionSpec, OptionTask, OptionValue, Task,
            };

            impl OptionTask for crate::$Task {
                fn options() -> Vec<&'static OptionSpec> {
                    let specs = [$($Group::SPECS),+].into_iter().flatten();
                    specs.filter(|spec| spec.tasks.contains(&Task::$Task)).collect()
                }

                fn set(mut self, name: &str, value: OptionValue) -> Result<Self, BadOption> {
                    let own = Self::options().into_iter().find(|spec| spec.name == name);
                    let value = own.ok_or(BadOption::Unknown)?.read(value)?;
                    let _ = $(self.$group.set(name, &value)?)||+;
                    Ok(self)
                }

                fn chosen(&self) -> Result<ChosenOptions, Error> {
                    let settings = self.settings()?;
                    Ok(ChosenOptions {
                        reported: settings.for_report(),
                        tmp_dir: settings.tmp,
                    })
                }
            }

            impl crate::$Task {
                /// Returns all options with their values.
                pub(crate) fn given(&self) -> GivenOptions {
                    let groups = [$(($Group::SPECS, self.$group.values())),+];
                    let options = groups.into_iter().flat_map(|(specs, values)| specs.iter().zip(values));
                    options.filter(|(spec, _)| spec.tasks.contains(&Task::$Task)).collect()
                }
            }
        };
    };
}
