//! The elements that a model's strain limiters are for.

use super::{BuildError, StrainForm};
use crate::lanes::Scalar;
use crate::limit::{LimitError, LimitParts, LimitSpec, tets_of_batch, triangles_of_batch};
use crate::model::{Body, BodyKind, Model};

/// The elements of the bodies that limiter `number` is for, in the model's own vertex numbers.
pub(crate) fn limited_parts<T: Scalar>(
    model: &Model<T>,
    number: usize,
    spec: &LimitSpec,
) -> Result<LimitParts, BuildError> {
    let kind = spec.kind.name();
    if let Some(&body) = spec.bodies.iter().find(|&&b| b >= model.bodies.len()) {
        return Err(BuildError::LimitBody { number, kind, body, bodies: model.bodies.len() });
    }
    let chosen = |i: usize| spec.bodies.is_empty() || spec.bodies.contains(&i);
    let mut parts = LimitParts::default();
    for (_, body) in model.bodies.iter().enumerate().filter(|(i, _)| chosen(*i)) {
        let fits = match body.kind {
            BodyKind::Cloth => spec.kind.fits_cloth(),
            BodyKind::Solid => spec.kind.fits_solids(),
        };
        if fits {
            add(&mut parts, model, body);
        } else if !spec.bodies.is_empty() {
            return Err(BuildError::LimitKind { number, kind, body: body.name.clone() });
        }
    }
    if parts.triangles.is_empty() && parts.tets.is_empty() {
        return Err(BuildError::LimitKind { number, kind, body: String::new() });
    }
    Ok(parts)
}

fn add<T: Scalar>(parts: &mut LimitParts, model: &Model<T>, body: &Body) {
    let range = body.elements.start as usize..body.elements.end as usize;
    let e = &model.elements;
    match (body.kind, body.form) {
        (BodyKind::Cloth, form) => {
            let batch = match form {
                StrainForm::Improved => &e.triangles,
                StrainForm::Plain => &e.plain_triangles,
                StrainForm::StretchShear => &e.stretch_shear_triangles,
            };
            parts.triangles.extend(triangles_of_batch(batch).get(range).unwrap_or_default());
        }
        (BodyKind::Solid, form) => {
            let batch = if form == StrainForm::Plain { &e.plain_tetrahedra } else { &e.tetrahedra };
            parts.tets.extend(tets_of_batch(batch).get(range).unwrap_or_default());
        }
    }
}

impl From<LimitError> for BuildError {
    fn from(error: LimitError) -> Self {
        let body = String::new();
        match error {
            LimitError::TooManyVertices { count } => BuildError::TooManyVertices { count },
            LimitError::Index { element, number, vertex, vertices } => {
                BuildError::Index { body, element, number, vertex, vertices }
            }
            LimitError::Parameter { name, found, expected } => BuildError::Parameter { body, name, found, expected },
            LimitError::Length { list, found, expected } => BuildError::Length { body, list, found, expected },
        }
    }
}
