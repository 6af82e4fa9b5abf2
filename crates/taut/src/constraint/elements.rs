//! One batch for each kind of element, made from the one list of kinds.

use super::batch::{Batch, Loose};
use crate::element::{Element, element_kinds};
use crate::lanes::Scalar;

/// Something done to the elements of every kind, written once.
pub trait Visit<T: Scalar> {
    /// Does it to the elements of kind `E`.
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>;
}

macro_rules! containers {
    ($($(#[$when:meta])* $field:ident: $kind:ty [$v:literal, $d:literal, $p:literal, $r:literal],)*) => {
        /// The packed elements, one batch for each kind.
        #[derive(Clone, Debug)]
        pub struct Elements<T> {
            $($(#[$when])* #[doc = concat!("Batch of `", stringify!($kind), "`.")] pub $field: Batch<T, $v, $p, $r>,)*
            /// How many multipliers the elastic rows have, in blocks.
            pub(crate) multipliers: usize,
            /// Whether any row has a stiffness of projection.
            pub(crate) projected: bool,
            /// Whether any row is damped by projection.
            pub(crate) damped: bool,
        }

        impl<T: Scalar> Elements<T> {
            /// Calls `visitor` for every kind, in the order of a sweep.
            pub fn for_each(&self, visitor: &mut impl Visit<T>) {
                $($(#[$when])* {
                    if self.$field.count > 0 {
                        visitor.visit::<$kind, $v, $d, $p, $r>(&self.$field);
                    }
                })*
            }

            /// The same for those with a physical stiffness. Kinds that never have one are not compiled for it.
            pub(crate) fn for_each_elastic(&self, visitor: &mut impl Visit<T>) {
                $($(#[$when])* {
                    if <$kind as Element<$v, $d, $p, $r>>::ELASTIC && !self.$field.elastic.is_empty() {
                        visitor.visit::<$kind, $v, $d, $p, $r>(&self.$field);
                    }
                })*
            }
        }

        impl<T: Scalar> Elements<T> {
            /// The elements with a physical stiffness, in another precision; their places and multipliers are where
            /// they were.
            #[cfg(feature = "global")]
            pub(crate) fn elastic_in<U: Scalar>(&self) -> Elements<U> {
                Elements {
                    $($(#[$when])* $field: self.$field.elastic_in(),)*
                    multipliers: self.multipliers,
                    projected: false,
                    damped: false,
                }
            }
        }

        /// Elements before packing, in the order they were added.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct LooseElements {
            $($(#[$when])* pub(crate) $field: Vec<Loose<$v, $p, $r>>,)*
        }

        impl LooseElements {
            /// Renumbers vertices by `own` and packs.
            pub(crate) fn pack<T: Scalar>(mut self, own: &[u32]) -> Elements<T> {
                $($(#[$when])* {
                    self.$field.iter_mut().for_each(|e| e.index = e.index.map(|v| own[v as usize]));
                })*
                let mut all = Elements {
                    $($(#[$when])* $field: Batch::pack(&self.$field, own.len() as u32),)*
                    multipliers: 0,
                    projected: false,
                    damped: false,
                };
                $($(#[$when])* {
                    all.$field.multipliers = all.multipliers;
                    all.multipliers += all.$field.elastic.len() * $r;
                    all.projected |= all.$field.stiff_rows != 0;
                    all.damped |= all.$field.damped_rows != 0;
                })*
                all
            }
        }
    };
}
element_kinds!(containers);
