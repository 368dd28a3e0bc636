//! Enums of the C ABI. In C the values are plain numbers. In Rust each enum has a variant `Other`, which keeps a number
//! that this version of the crate does not know.

/// Declares an enum whose variants stand for constants of libatc. `from_raw` converts a number of libatc to a variant.
/// A number that this version of the crate does not know becomes `Other`. So an unknown number of a newer libatc does
/// not cause undefined behaviour. Two values are equal if their numbers are equal. So `Other` with the number of a
/// named variant is equal to this variant.
macro_rules! c_enum {
    (
        $(#[$meta:meta])*
        $name:ident ($what:literal) {
            $($(#[$variant_meta:meta])* $variant:ident = $constant:ident => $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
            /// A number that this version of the crate does not know. It is from another version of libatc.
            Other(i32),
        }

        impl $name {
            /// All values of the enum that this version of the crate knows.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Converts libatc's number to a value of the enum. An unknown number becomes `Other`.
            #[must_use]
            pub fn from_raw(raw: i32) -> Self {
                match raw {
                    $($crate::sys::$constant => Self::$variant,)+
                    other => Self::Other(other),
                }
            }

            /// Returns the number that libatc uses for this value of the enum.
            #[must_use]
            pub fn to_raw(self) -> i32 {
                match self {
                    $(Self::$variant => $crate::sys::$constant,)+
                    Self::Other(raw) => raw,
                }
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.to_raw() == other.to_raw()
            }
        }

        impl Eq for $name {}

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.to_raw().hash(state);
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant => formatter.pad($text),)+
                    Self::Other(raw) => write!(formatter, "{raw}"),
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::raw::error::Error;

            /// Makes a value of the enum from a name that `Display` writes, or from libatc's
            /// number.
            fn from_str(text: &str) -> $crate::raw::error::Result<Self> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    other => other.parse().map(Self::from_raw).map_err(|_| {
                        $crate::raw::error::Error::invalid(format!(
                            "{other:?} is no {}: use one of {}", $what, [$($text),+].join(", ")
                        ))
                    }),
                }
            }
        }

        #[cfg(feature = "serde")]
        $crate::raw::c_enum::serde_by_text!($name);
    };
}

/// Implements `Serialize` and `Deserialize` for a type. The serialized form is the text that `Display` writes.
/// Deserialization parses this text with `FromStr`.
#[cfg(feature = "serde")]
macro_rules! serde_by_text {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use c_enum;
#[cfg(feature = "serde")]
pub(crate) use serde_by_text;
