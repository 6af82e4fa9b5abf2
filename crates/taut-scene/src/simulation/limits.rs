//! What strain limiters did: for metrics, and in checkpoints.

use serde_json::{Value as Json, json};
use taut::limit::{LimitReport, Skipped, Violation};

/// As JSON: sweeps of all limiters, and strain beyond its limits as they found it and left it.
pub(super) fn limit_json(limit: &LimitReport) -> Json {
    let beyond =
        |v: &Violation| json!({ "weft": v.weft, "warp": v.warp, "shear": v.shear, "edge": v.edge, "size": v.size });
    json!({
        "iterations": limit.iterations,
        "cg_iterations": limit.cg_iterations,
        "converged": limit.converged,
        "before": beyond(&limit.before),
        "after": beyond(&limit.after),
        "held": limit.skipped.held,
        "skipped": limit.skipped.degenerate + limit.skipped.not_finite,
    })
}

/// As plain numbers, for checkpoints. How many threads worked is not part of it.
pub(super) fn numbers(limit: &LimitReport) -> Vec<u64> {
    let beyond = |v: &Violation| [v.weft, v.warp, v.shear, v.edge, v.size].map(f64::to_bits);
    let Skipped { degenerate, not_finite, held } = limit.skipped;
    let counts = [
        u64::from(limit.iterations),
        u64::from(limit.converged),
        limit.cg_iterations,
        limit.collapsed,
        limit.contained,
        degenerate,
        not_finite,
        held,
    ];
    counts.into_iter().chain(beyond(&limit.before)).chain(beyond(&limit.after)).collect()
}

/// What [`numbers`] gave.
pub(super) fn from_numbers(numbers: &[u64]) -> Option<LimitReport> {
    let (counts, beyond) = numbers.split_first_chunk::<8>()?;
    let &[iterations, converged, cg_iterations, collapsed, contained, degenerate, not_finite, held] = counts;
    let beyond: [f64; 10] = beyond.iter().map(|&bits| f64::from_bits(bits)).collect::<Vec<_>>().try_into().ok()?;
    let violation = |at: usize| Violation {
        weft: beyond[at],
        warp: beyond[at + 1],
        shear: beyond[at + 2],
        edge: beyond[at + 3],
        size: beyond[at + 4],
    };
    Some(LimitReport {
        iterations: u32::try_from(iterations).ok()?,
        converged: converged != 0,
        before: violation(0),
        after: violation(5),
        skipped: Skipped { degenerate, not_finite, held },
        collapsed,
        contained,
        cg_iterations,
        threads: 0,
    })
}
