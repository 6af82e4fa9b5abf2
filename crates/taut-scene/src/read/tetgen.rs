//! TetGen's pairs of files: `name.node` with the nodes and `name.ele` with the tetrahedra.
//!
//! Nodes are numbered from 0 or from 1; the first one tells. Boundary markers become groups `marker_N`, region
//! attributes groups `region_N`.

use super::budget::Budget;
use super::cells::Cells;
use super::error::{ReadError, Result};
use super::source::unpack_owned;
use super::text::Scanner;
use super::{MeshFile, Options, Source};

pub(super) fn read(source: &Source, _: &Options) -> Result<MeshFile> {
    let mut budget = source.budget;
    let (partner_name, partner) = load_partner(source, &mut budget)?;
    let given = Source { budget, ..*source };
    let partner = Source { name: &partner_name, bytes: &partner, ..given };
    let (node, ele) = if source.extension() == "node" { (given, partner) } else { (partner, given) };
    let mut cells = Cells::default();
    let first = read_nodes(&node, &mut cells)?;
    read_tets(&ele, node.name, first, &mut cells)?;
    cells.finish(ele.name, "TetGen")
}

/// The other file of the pair, packed like this one or not.
fn load_partner(source: &Source, budget: &mut Budget) -> Result<(String, Vec<u8>)> {
    let name = source.file_name();
    let is_packed = name.to_ascii_lowercase().ends_with(".gz");
    let plain = if is_packed { &name[..name.len() - 3] } else { name };
    let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
    let other = if source.extension() == "node" { "ele" } else { "node" };
    let wanted = format!("{stem}.{other}");
    let packed = format!("{wanted}.gz");
    let order = if is_packed { [&packed, &wanted] } else { [&wanted, &packed] };
    let mut first_error = None;
    for name in order {
        match (source.files)(name) {
            Ok(loaded) => return Ok((name.clone(), unpack_owned(name, loaded, budget)?)),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    let why = first_error.map(|e| e.to_string()).unwrap_or_default();
    Err(ReadError::file(source.name, format!("needs its other half {wanted}, which cannot be read: {why}")))
}

/// Reads the nodes and returns the number of the first.
fn read_nodes(source: &Source, cells: &mut Cells) -> Result<i64> {
    let mut scanner = Scanner::new(source.name, source.bytes).with_comments(b'#');
    let nodes = scanner.count("nodes", 8)?;
    let dimension = scanner.integer("the dimension")?;
    if dimension != 3 {
        return Err(scanner.fail(format!("the dimension is {dimension}, expected 3")));
    }
    let attributes = scanner.count("attributes", 1)?;
    if attributes > 0 {
        let many = super::error::count(attributes, "attribute", "attributes");
        cells.warnings.push(format!("{many} of each node ignored: nothing is made of it"));
    }
    let has_markers = scanner.integer("whether there are boundary markers")? != 0;
    let mut first = 0;
    for i in 0..nodes {
        let number = scanner.integer("the node's number")?;
        if i == 0 {
            if number != 0 && number != 1 {
                return Err(scanner.fail(format!("the first node has the number {number}, expected 0 or 1")));
            }
            first = number;
        } else if number != first + i as i64 {
            let expected = first + i as i64;
            return Err(scanner.fail(format!("found node {number}, expected node {expected}")));
        }
        cells.positions.push([scanner.number("x")?, scanner.number("y")?, scanner.number("z")?]);
        for _ in 0..attributes {
            scanner.expect_word("an attribute")?;
        }
        if has_markers {
            let marker = scanner.integer("the boundary marker")?;
            if marker != 0 {
                let group = cells.groups.id(&format!("marker_{marker}"));
                cells.groups.add(group, [i as u32]);
            }
        }
        source.budget.check(source.name, cells.held())?;
    }
    Ok(first)
}

fn read_tets(source: &Source, node_name: &str, first: i64, cells: &mut Cells) -> Result<()> {
    let mut scanner = Scanner::new(source.name, source.bytes).with_comments(b'#');
    let tets = scanner.count("tetrahedra", 10)?;
    let corners = scanner.integer("the number of nodes per tetrahedron")?;
    if corners != 4 && corners != 10 {
        return Err(scanner.fail(format!("tetrahedra have {corners} nodes, expected 4 or 10")));
    }
    let attributes = scanner.count("attributes", 1)?;
    let nodes = cells.positions.len() as i64;
    for _ in 0..tets {
        scanner.integer("the tetrahedron's number")?;
        let mut tet = [0; 4];
        for k in 0..corners as usize {
            let found = scanner.integer("a node")?;
            // Checked before subtracting: the smallest of all numbers has no neighbour below.
            if found < first || found - first >= nodes {
                let last = first + nodes - 1;
                let message =
                    format!("tetrahedron refers to node {found}, but {node_name} has nodes {first} to {last}");
                return Err(scanner.fail(message));
            }
            if k < 4 {
                tet[k] = (found - first) as u32;
            }
        }
        if corners == 10 {
            cells.note_curved();
        }
        cells.tets.push(tet);
        for k in 0..attributes {
            let word = scanner.expect_word("an attribute")?;
            if k == 0 {
                let region = scanner.to_number(word, "the region")?;
                let group = cells.groups.id(&format!("region_{region}"));
                cells.groups.add(group, tet);
            }
        }
        source.budget.check(source.name, cells.held())?;
    }
    Ok(())
}
