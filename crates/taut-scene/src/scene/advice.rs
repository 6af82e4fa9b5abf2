//! What a scene says that has no effect, or will not hold: nothing that keeps it from running, all of it worth knowing
//! before.

use super::document::{Node, Tree};
use super::settings::{AlphaBeta, Integrator, Newmark, Settings, Solver};

/// What is to be known of the model: how fast it swings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timescale {
    /// Length of a substep, s.
    pub substep: f64,
    /// The fastest elastic mode, rad/s.
    pub fastest: f64,
}

/// Over-relaxation of this or more goes round for ever: errors shrink by relaxation − 1 in a sweep at best.
const RESTLESS: f64 = 1.95;

/// A sentence for each thing, in the file's order.
pub(crate) fn advice(settings: &Settings, root: &Node, timescale: Timescale) -> Vec<String> {
    let mut out = Vec::new();
    solver(settings, root, &mut out);
    steps(settings, timescale, &mut out);
    bodies(settings, root, &mut out);
    colliders(root, &mut out);
    pins(settings, root, &mut out);
    layers(settings, root, &mut out);
    limits(root, &mut out);
    out
}

/// Limits of 100 % and more that were written as bare numbers: percent, most likely.
fn limits(root: &Node, out: &mut Vec<String>) {
    let mut look = |path: String, node: Option<&Node>| {
        let found = match node.map(|node| &node.tree) {
            Some(Tree::Integer(whole)) => *whole as f64,
            Some(Tree::Float(number)) => *number,
            _ => return,
        };
        if found >= 1.0 {
            let percent = 100.0 * found;
            out.push(format!("`{path}` is {found}, which is {percent} %; {found} % is written \"{found} %\""));
        }
    };
    let solver = root.get("solver");
    look("solver.max_stretch".into(), solver.and_then(|solver| solver.get("max_stretch")));
    for (at, limit) in root.list("limit").iter().enumerate() {
        if limit.get("kind").is_some_and(|kind| matches!(&kind.tree, Tree::Text(kind) if kind.ends_with("rate"))) {
            continue;
        }
        for key in ["weft", "warp", "any", "edge", "strain"] {
            let bound = limit.get(key);
            look(format!("limit.{at}.{key}"), bound);
            look(format!("limit.{at}.{key}.tension"), bound.and_then(|bound| bound.get("tension")));
        }
    }
}

/// Layers that nothing brings apart.
fn layers(settings: &Settings, root: &Node, out: &mut Vec<String>) {
    let first = settings.cloth.iter().position(|cloth| cloth.surface.layer > 0);
    if let Some(at) = first.filter(|_| settings.start.duration == 0.0) {
        let path = root.element_path("cloth", at);
        out.push(format!("`{path}.layer` has no effect without a start phase: give `start.duration`"));
    }
}

/// Pins that never hold anything.
fn pins(settings: &Settings, root: &Node, out: &mut Vec<String>) {
    let end = f64::from(settings.time.frame_count()) / settings.time.fps;
    for (at, pin) in settings.pin.iter().enumerate() {
        let path = root.element_path("pin", at);
        match pin.until {
            Some(until) if until <= pin.from => out
                .push(format!("`{path}` never holds: `until` is {until} s, not after `from`, which is {} s", pin.from)),
            _ if pin.from >= end => {
                out.push(format!(
                    "`{path}` never holds: `from` is {} s, but the scene ends after {end:.2} s",
                    pin.from
                ));
            }
            _ => {}
        }
    }
}

/// Whether the file, or a change to it, gives the key.
fn given(table: Option<&Node>, key: &str) -> bool {
    table.is_some_and(|table| table.get(key).is_some())
}

fn explicit(settings: &Settings) -> Option<&AlphaBeta> {
    match settings.solver.integrator() {
        Integrator::AlphaBeta(s) if s.alpha * s.beta == 0.0 => Some(s),
        _ => None,
    }
}

/// Bodies with a physical stiffness, and bodies with shares of stiffness.
fn kinds(settings: &Settings) -> (bool, bool) {
    let cloth = settings.cloth.iter().map(|cloth| cloth.material.params().elasticity.is_some());
    let elastic: Vec<bool> = cloth.chain(settings.solid.iter().map(|solid| solid.material.elastic.is_some())).collect();
    (elastic.contains(&true), elastic.contains(&false))
}

/// Keys of `[solver]` that do nothing here.
fn solver(settings: &Settings, root: &Node, out: &mut Vec<String>) {
    let table = root.get("solver");
    let (elastic, shares) = kinds(settings);
    let projected = matches!(settings.solver, Solver::Pbd(_) | Solver::Auto(_));
    let idle = |keys: &[&str]| {
        let named: Vec<String> = keys.iter().filter(|key| given(table, key)).map(|key| format!("`{key}`")).collect();
        (!named.is_empty()).then(|| named.join(", "))
    };
    if !elastic {
        if let Some(keys) = idle(&["block", "tolerance", "warm_start"]) {
            out.push(format!("`solver`: {keys} only matter to bodies with `elastic` or `fabric`, and there are none"));
        }
        if !projected {
            out.push(
                "`solver.kind`: all bodies are projected: only those with `elastic` or `fabric` know other solvers"
                    .into(),
            );
        }
    }
    if shares && !matches!(settings.solver.integrator(), Integrator::ImplicitEuler(_)) {
        let who = if elastic { "a body" } else { "every body" };
        out.push(format!(
            "`solver.integrator` has no effect: {who} has shares of stiffness, which know implicit Euler only; give it `elastic` or `fabric`"
        ));
    } else if explicit(settings).is_some() {
        let mut keys = vec!["iterations", "relaxation", "block", "tolerance", "warm_start"];
        keys.extend((!projected).then_some("kind"));
        if let Some(keys) = idle(&keys) {
            out.push(format!("`solver`: {keys} have no effect: an explicit integrator solves nothing"));
        }
        if settings.limits().iter().any(|limit| !limit.kind.limits_rate()) {
            out.push(
                "`limit`: an explicit integrator keeps no limits but those of rates; an implicit one keeps all of them"
                    .into(),
            );
        }
    }
    if let Solver::Pbd(pbd) = &settings.solver
        && pbd.relaxation >= RESTLESS
    {
        let left = 100.0 * (pbd.relaxation - 1.0);
        out.push(format!(
            "`solver.relaxation` is {}: a sweep leaves {left:.0} % of some errors, and the cloth trembles; below 1.9 is calmer",
            pbd.relaxation
        ));
    }
}

/// Integrators that feed the motion, whatever the steps or with these.
fn steps(settings: &Settings, timescale: Timescale, out: &mut Vec<String>) {
    if !kinds(settings).0 || kinds(settings).1 {
        return;
    }
    match settings.solver.integrator() {
        Integrator::AlphaBeta(s) => weighted(settings, s, timescale, out),
        Integrator::Newmark(s) => newmark(settings, s, timescale, out),
        _ => {}
    }
}

/// "; at least N substeps hold", for steps of at most `most` seconds.
fn enough(settings: &Settings, timescale: Timescale, most: f64) -> String {
    let substeps = settings.solver.params().substeps;
    // The fastest mode is found a few percent low.
    let wanted = (f64::from(substeps) * timescale.substep / most * 1.05).ceil();
    match wanted <= 10_000.0 {
        true => format!("; `solver.substeps = {wanted}` would hold"),
        false => "; an implicit integrator would hold".to_owned(),
    }
}

fn weighted(settings: &Settings, s: &AlphaBeta, timescale: Timescale, out: &mut Vec<String>) {
    let Timescale { substep, fastest } = timescale;
    if s.alpha == 0.0 && s.beta == 0.0 {
        out.push(
            "`solver.integrator`: explicit Euler (alpha = 0, beta = 0) gains energy in every step; beta = 1 does not"
                .into(),
        );
        return;
    }
    if explicit(settings).is_some() {
        // h² + 2 γ h ≤ 4/ω², with the largest damping time there is.
        let gamma = damping(settings);
        let most = (gamma * gamma + 4.0 / (fastest * fastest)).sqrt() - gamma;
        if fastest > 0.0 && substep > most {
            let help = enough(settings, timescale, most);
            out.push(format!(
                "`solver.integrator` is explicit and holds up to substeps of {most:.2e} s here; these are {substep:.2e} s{help}"
            ));
        }
        return;
    }
    if s.alpha < 0.5 || s.beta < 0.5 {
        let (a, b) = (s.alpha, s.beta);
        out.push(format!(
            "`solver.integrator`: alpha = {a}, beta = {b} gains energy from fast motion; 0.5 or more of both does not"
        ));
    } else if s.alpha + s.beta <= 1.0 && substep * fastest > 2.0 {
        out.push(midpoint("alpha = beta = 0.5", "0.52", timescale));
    }
}

fn newmark(settings: &Settings, s: &Newmark, timescale: Timescale, out: &mut Vec<String>) {
    if s.gamma < 0.5 {
        out.push(format!(
            "`solver.integrator`: Newmark's gamma = {} gains energy in every step; 0.5 or more does not",
            s.gamma
        ));
    } else if 2.0 * s.beta < s.gamma {
        let most = 1.0 / (timescale.fastest * (0.5 * s.gamma - s.beta).sqrt());
        if timescale.fastest > 0.0 && timescale.substep > most {
            let help = enough(settings, timescale, most);
            out.push(format!(
                "`solver.integrator`: Newmark's beta below half of gamma holds up to substeps of {most:.2e} s here; these are {:.2e} s{help}",
                timescale.substep
            ));
        }
    } else if s.gamma <= 0.5 && timescale.substep * timescale.fastest > 2.0 {
        out.push(midpoint("Newmark's gamma = 0.5", "gamma = 0.55 with beta = 0.28", timescale));
    }
}

fn midpoint(what: &str, instead: &str, timescale: Timescale) -> String {
    let ratio = timescale.substep * timescale.fastest / 2.0;
    format!(
        "`solver.integrator`: {what} damps nothing, and with substeps {ratio:.0} times as long as stiff parts can follow it may gain energy; {instead} or shorter steps do not"
    )
}

/// The largest damping time of any body, s.
fn damping(settings: &Settings) -> f64 {
    let cloth = settings.cloth.iter().filter_map(|cloth| cloth.material.params().elasticity).map(|e| e.damping);
    let cloth = cloth.flat_map(|d| [d.stretch, d.shear, d.bend]);
    let solids = settings.solid.iter().filter_map(|solid| solid.material.elastic.as_ref()).map(|e| e.damping);
    cloth.chain(solids).fold(0.0, f64::max)
}

/// Keys of bodies that exclude each other.
fn bodies(settings: &Settings, root: &Node, out: &mut Vec<String>) {
    let cloth = settings.cloth.iter().map(|cloth| cloth.material.fabric.is_some());
    for (list, fabrics) in [("cloth", cloth.collect::<Vec<_>>()), ("solid", vec![false; settings.solid.len()])] {
        let Some(Tree::Array(items)) = root.get(list).map(|node| &node.tree) else { continue };
        for (at, (item, fabric)) in items.iter().zip(fabrics).enumerate() {
            body(&root.element_path(list, at), item, fabric, out);
        }
    }
}

fn body(path: &str, item: &Node, fabric: bool, out: &mut Vec<String>) {
    let (elastic, has) = (given(Some(item), "elastic"), |key: &str| given(Some(item), key));
    of_files(path, item, out);
    if elastic && fabric {
        let rest = if has("density") { "nothing" } else { "only the density" };
        out.push(format!(
            "`{path}.elastic` takes the place of all the fabric's stiffness: {rest} of `{path}.fabric` is used"
        ));
    }
    let winner = if elastic { "elastic" } else { "fabric" };
    if elastic || fabric {
        for key in ["form", "stiffness", "damping"].into_iter().filter(|key| has(key)) {
            let help = if key == "damping" { "; `elastic` has a `damping` of its own" } else { "" };
            out.push(format!("`{path}.{key}` has no effect beside `{path}.{winner}`{help}"));
        }
    } else if has("bending") {
        out.push(format!("`{path}.bending` has no effect without `{path}.elastic` or `{path}.fabric`"));
    }
}

/// What only a mesh from a file listens to.
const OF_FILES: [&str; 11] =
    ["part", "up", "unit", "weld", "without", "animation", "cache", "fps", "start", "speed", "loop"];

/// Keys for a mesh from a file where it is made from numbers.
fn of_files(path: &str, item: &Node, out: &mut Vec<String>) {
    if !given(Some(item), "generate") {
        return;
    }
    for key in OF_FILES.into_iter().filter(|key| given(Some(item), key)) {
        out.push(format!("`{path}.{key}` has no effect beside `{path}.generate`: it is about a file"));
    }
}

/// Shapes of colliders, which have a list of their own.
fn colliders(root: &Node, out: &mut Vec<String>) {
    let Some(Tree::Array(items)) = root.get("collider").map(|node| &node.tree) else { return };
    for (at, item) in items.iter().enumerate() {
        if let Some(shape) = item.get("shape") {
            of_files(&format!("{}.shape", root.element_path("collider", at)), shape, out);
        }
    }
}
