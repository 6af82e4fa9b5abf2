//! The fastest swing of a model: what explicit integrators have to follow.

use super::evaluate::{Corners, Sample};
use super::small;
use super::table::Table;
use crate::constraint::Elements;
use crate::lanes::Scalar;
use crate::solve::user::UserRows;

/// Rounds of the power method. The fastest modes of a mesh lie close together, and it is their frequency that is
/// wanted, not their shape: on sheets and bars 60 rounds come within 3 %, from below.
const ROUNDS: u32 = 60;

/// [`measure::fastest_mode`](crate::measure) of elements with vertices at `rest` (m) and their masses (kg).
pub(crate) fn fastest_mode<T: Scalar>(elements: &Elements<T>, rest: &[[f64; 3]], masses: &[f64]) -> f64 {
    let mut table = Table::default();
    table.gather(Some(elements), &UserRows::default(), rest.len());
    if table.items.is_empty() {
        return 0.0;
    }
    let gradients = gradients(rest, &table);
    let weights: Vec<f64> = masses.iter().map(|&mass| if mass > 0.0 { 1.0 / mass } else { 0.0 }).collect();
    // Neighbours against each other, in no direction that a mesh is aligned with.
    let signs = |i: usize, d: usize| f64::from((i as u32).wrapping_mul(2_654_435_761) >> (28 + d) & 1) - 0.47;
    let mut v: Vec<[f64; 3]> = (0..rest.len()).map(|i| [signs(i, 0), signs(i, 1), signs(i, 2)]).collect();
    let mut square = 0.0;
    for _ in 0..ROUNDS {
        let mut a = forces(&table, &gradients, &v);
        a.iter_mut().zip(&weights).for_each(|(a, w)| *a = a.map(|c| c * w));
        // Rayleigh's quotient in the masses' measure, of v and M⁻¹ K v.
        let (mut over, mut under) = (0.0, 0.0);
        for ((a, v), w) in a.iter().zip(&v).zip(&weights).filter(|(_, w)| **w > 0.0) {
            over += small::dot(*a, *a) / w;
            under += small::dot(*v, *v) / w;
        }
        if !(over > 0.0 && under > 0.0 && over.is_finite() && under.is_finite()) {
            break;
        }
        square = (over / under).sqrt();
        let scale = 1.0 / over.sqrt();
        v = a.into_iter().map(|a| a.map(|c| c * scale)).collect();
    }
    square.sqrt()
}

/// The gradients of all rows at rest, as the items number them.
fn gradients(rest: &[[f64; 3]], table: &Table) -> Vec<[f64; 3]> {
    let mut out = vec![[0.0; 3]; table.gradients];
    let mut sample = Sample::ZERO;
    for kind in &table.kinds {
        for item in &table.items[kind.items.clone()] {
            let at = |k: usize| rest[item.vertices[k] as usize];
            let x: Corners = core::array::from_fn(|k| if k < item.arms() { at(k) } else { [0.0; 3] });
            kind.sample(&table.rest[item.rest as usize..], &x, &mut sample);
            for (j, r) in item.own_rows().enumerate() {
                (0..item.arms()).for_each(|k| out[item.gradient(j, k)] = sample.gradients[r][k]);
            }
        }
    }
    out
}

/// K v = Jᵀ E J v.
fn forces(table: &Table, gradients: &[[f64; 3]], v: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mut out = vec![[0.0; 3]; v.len()];
    for (item, block) in table.items.iter().zip(&table.blocks) {
        let mut strain = [0.0; super::evaluate::ROWS];
        let arms = || (0..item.arms()).map(|k| (k, item.vertices[k] as usize));
        for (j, r) in item.own_rows().enumerate() {
            strain[r] = arms().map(|(k, i)| small::dot(gradients[item.gradient(j, k)], v[i])).sum();
        }
        let stress = block.stiffness.times(&strain);
        for (j, r) in item.own_rows().enumerate() {
            for (k, i) in arms() {
                out[i] = small::plus(out[i], stress[r], gradients[item.gradient(j, k)]);
            }
        }
    }
    out
}
