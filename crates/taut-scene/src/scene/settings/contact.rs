//! `[contact]`, and what bodies say about it.

use super::{Cloth, Solid};
use crate::scene::decode::Rule;

/// Whether surfaces meet each other in a scene that does not say.
pub const CONTACT_BY_DEFAULT: bool = true;

/// A distance kept between surfaces.
pub(super) const THICKNESS: Rule = Rule::ANY.from(0.0).to(1.0).unit("m");
/// Coulomb's coefficient.
pub(super) const FRICTION: Rule = Rule::ANY.from(0.0).to(100.0);

section! {
    /// Contact of surfaces with each other, with themselves and with meshes.
    pub struct Contact + Default {
        /// Whether surfaces meet. If not, they pass through each other, themselves and meshes, and only their vertices
        /// meet the other colliders.
        on: bool = CONTACT_BY_DEFAULT;
        /// The distance kept between surfaces, for bodies that give none of their own.
        thickness: f64 = taut::ContactMaterial::default().thickness => THICKNESS;
        /// Friction coefficient between surfaces, for bodies that give none of their own.
        friction: f64 = taut::ContactMaterial::default().friction => FRICTION;
        /// Substeps after which near pairs are looked for again. More save time; less is removed from fast motion with
        /// fewer.
        every: u32 = taut::Contact::default().every => Rule::ANY.from(1.0).to(1000.0);
    }
}

impl Contact {
    /// How a cloth meets others: as it says itself, or its fabric, or the scene.
    pub fn cloth(&self, cloth: &Cloth) -> taut::ContactMaterial {
        let fabric = cloth.material.fabric.map(|fabric| fabric.0);
        let (thickness, friction) =
            (fabric.map(|f| f.figures.thickness.value), fabric.map(|f| f.figures.friction.value));
        // What is painted is a share of the largest.
        let painted = cloth.paint.vary.iter().map(super::paint::Vary::most_contact);
        let [thicker, rougher] = painted.fold([1.0, 1.0], |all, own| [all[0] * own[0], all[1] * own[1]]);
        taut::ContactMaterial {
            thickness: thicker * cloth.surface.thickness.or(thickness).unwrap_or(self.thickness),
            friction: rougher * cloth.surface.friction.or(friction).unwrap_or(self.friction),
            self_contact: cloth.surface.self_collision,
        }
    }

    /// How a solid meets others: as it says itself, or the scene.
    pub fn solid(&self, solid: &Solid) -> taut::ContactMaterial {
        taut::ContactMaterial {
            thickness: solid.surface.thickness.unwrap_or(self.thickness),
            friction: solid.surface.friction.unwrap_or(self.friction),
            self_contact: solid.surface.self_collision,
        }
    }
}
