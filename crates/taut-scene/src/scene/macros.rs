//! The declarations from which reading, schema and reference come.
//!
//! - [`section!`] declares a table: `key: type = default => rule;`, with documentation. A key without a default must be
//!   written; a type of `Option` and the default `None` mean that nothing holds in its place.
//! - [`choice!`] declares a text out of a list.
//! - [`variants!`] declares a table whose key `kind` says which other keys it has.
//!
//! The generated functions are never inlined: each is called once, so that the optimiser would make one function of all
//! sections together and then spend minutes on it.

/// Declares a table. With `+ Default` after its name, where every key has a default, it gets a [`Default`] too.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident + Default {
            $(
                $(#[doc = $doc:literal])+
                $field:ident $(as $key:literal)? : $ty:ty = $default:expr $(=> $rule:expr)? ;
            )*
        }
    ) => {
        section! {
            $(#[doc = $about])+
            pub struct $name {
                $($(#[doc = $doc])+ $field $(as $key)? : $ty = $default $(=> $rule)? ;)*
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default),* }
            }
        }
    };
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident $(as $key:literal)? : $ty:ty $(= $default:expr)? $(=> $rule:expr)? ;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $ty,)*
        }

        impl $crate::scene::decode::Section for $name {
            const ABOUT: &'static str = concat!($($about),+);

            #[inline(never)]
            fn fields() -> Vec<$crate::scene::decode::Field> {
                vec![$({
                    let rule = section!(@rule $($rule)?);
                    let default: Option<$ty> = section!(@default $($default)?);
                    $crate::scene::decode::Field {
                        name: section!(@key $field $($key)?),
                        doc: concat!($($doc),+).trim_ascii(),
                        rule,
                        default: default.map(|value| $crate::scene::decode::Value::json(&value)),
                        schema: <$ty as $crate::scene::decode::Value>::schema(&rule),
                    }
                },)*]
            }

            fn keys() -> Vec<&'static str> {
                vec![$(section!(@key $field $($key)?)),*]
            }

            #[inline(never)]
            fn parse(
                reader: &mut $crate::scene::decode::Reader,
                entries: &[$crate::scene::document::Entry],
                at: $crate::scene::error::Span,
            ) -> Option<Self> {
                // A section without keys looks at nothing.
                let _ = (&reader, entries, at);
                $(
                    let about = (
                        section!(@key $field $($key)?),
                        concat!($($doc),+).trim_ascii(),
                        &section!(@rule $($rule)?),
                    );
                    let $field: Option<$ty> = reader.field(entries, about, section!(@default $($default)?), at);
                )*
                Some($name { $($field: $field?),* })
            }

            #[inline(never)]
            fn json(&self) -> serde_json::Value {
                let all: Vec<(&str, serde_json::Value)> = vec![$((
                    section!(@key $field $($key)?),
                    $crate::scene::decode::Value::json(&self.$field),
                )),*];
                all.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.to_owned(), value)).collect()
            }
        }
    };
    (@rule) => { $crate::scene::decode::Rule::ANY };
    (@rule $rule:expr) => { $rule };
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
}

/// Declares a table whose keys are those of several sections together, in their order.
macro_rules! joined {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident {
            $($(#[doc = $doc:literal])+ $part:ident: $section:ty;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $part: $section,)+
        }

        impl $crate::scene::decode::Section for $name {
            const ABOUT: &'static str = concat!($($about),+);

            fn keys() -> Vec<&'static str> {
                [$(<$section>::keys()),+].concat()
            }

            fn fields() -> Vec<$crate::scene::decode::Field> {
                [$(<$section>::fields()),+].into_iter().flatten().collect()
            }

            fn parse(
                reader: &mut $crate::scene::decode::Reader,
                entries: &[$crate::scene::document::Entry],
                at: $crate::scene::error::Span,
            ) -> Option<Self> {
                $(let $part = <$section>::parse(reader, entries, at);)+
                Some($name { $($part: $part?),+ })
            }

            fn json(&self) -> serde_json::Value {
                let mut all = serde_json::Map::new();
                $(if let serde_json::Value::Object(mut part) = $crate::scene::decode::Section::json(&self.$part) {
                    all.append(&mut part);
                })+
                serde_json::Value::Object(all)
            }
        }
    };
}

/// Declares a text out of a list. The first is the default.
macro_rules! choice {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident {
            $(#[doc = $first_doc:literal])+ $first:ident = $first_text:literal,
            $($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = $first_doc])+ #[default] $first,
            $($(#[doc = $doc])+ $variant,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[Self::$first, $(Self::$variant),*];

            /// As scene files write it.
            pub fn name(self) -> &'static str {
                match self {
                    Self::$first => $first_text,
                    $(Self::$variant => $text,)*
                }
            }

            fn about(self) -> &'static str {
                match self {
                    Self::$first => concat!($($first_doc),+).trim_ascii(),
                    $(Self::$variant => concat!($($doc),+).trim_ascii(),)*
                }
            }
        }

        impl $crate::scene::decode::Value for $name {
            #[inline(never)]
            fn expected(_: &$crate::scene::decode::Rule) -> String {
                $crate::scene::decode::one_of(&[$first_text, $($text),*])
            }

            #[inline(never)]
            fn decode(
                reader: &mut $crate::scene::decode::Reader,
                node: &$crate::scene::document::Node,
                rule: &$crate::scene::decode::Rule,
            ) -> Option<Self> {
                $crate::scene::choose::named(reader, node, &Self::expected(rule), Self::ALL, Self::name)
            }

            #[inline(never)]
            fn schema(_: &$crate::scene::decode::Rule) -> serde_json::Value {
                let each = |&one: &Self| serde_json::json!({ "const": one.name(), "description": one.about() });
                serde_json::json!({ "oneOf": Self::ALL.iter().map(each).collect::<Vec<_>>() })
            }

            #[inline(never)]
            fn json(&self) -> serde_json::Value {
                self.name().into()
            }
        }
    };
}

/// Declares a table whose key `kind` says which section it is. The kind alone, as text, stands for all its defaults.
/// With `default $kind`, a table without `kind` is of that one.
macro_rules! variants {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident $(default $default:literal)? {
            $($(#[doc = $doc:literal])+ $variant:ident($section:ty) = $kind:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        // A scene has a handful of these; boxing one would only make them harder to match.
        #[allow(clippy::large_enum_variant)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant($section),)+
        }

        impl $name {
            /// The names of all kinds, as scene files write them.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            /// Its kind, as scene files write it.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $kind,)+
                }
            }
        }

        impl $crate::scene::decode::Value for $name {
            #[inline(never)]
            fn expected(_: &$crate::scene::decode::Rule) -> String {
                format!("a table with `kind` = {}", $crate::scene::decode::one_of(Self::KINDS))
            }

            #[inline(never)]
            fn decode(
                reader: &mut $crate::scene::decode::Reader,
                node: &$crate::scene::document::Node,
                rule: &$crate::scene::decode::Rule,
            ) -> Option<Self> {
                use $crate::scene::decode::Section;
                let default: Option<&str> = None $(.or(Some($default)))?;
                let expected = Self::expected(rule);
                let (kind, entries) = $crate::scene::choose::kind(reader, node, &expected, Self::KINDS, default)?;
                reader.among(vec![$(($kind, <$section>::keys())),+], |reader| match kind {
                    $($kind => <$section>::read(reader, entries, Some("kind"), node.span).map(Self::$variant),)+
                    _ => None,
                })
            }

            #[inline(never)]
            fn schema(_: &$crate::scene::decode::Rule) -> serde_json::Value {
                let default: Option<&str> = None $(.or(Some($default)))?;
                $crate::scene::schema::of_variants(default, vec![$((
                    $kind,
                    concat!($($doc),+).trim_ascii(),
                    $crate::scene::schema::of_section::<$section>(Some($kind)),
                )),+])
            }

            #[inline(never)]
            fn json(&self) -> serde_json::Value {
                use $crate::scene::decode::Section;
                let (kind, mut json) = match self {
                    $(Self::$variant(section) => ($kind, Section::json(section)),)+
                };
                json["kind"] = kind.into();
                json
            }
        }
    };
}
