//! The sections of version 4.1, all of them wholly binary in binary files.

use super::Content;
use super::input::Input;
use super::shapes::Shape;
use crate::read::budget::held;
use crate::read::error::Result;

/// `$Entities`: points, curves, surfaces and volumes, of which we want the physical groups.
pub(super) fn read_entities(input: &mut Input, content: &mut Content) -> Result<()> {
    input.begin_data();
    let mut counts = [0; 4];
    for (count, what) in counts.iter_mut().zip(["points", "curves", "surfaces", "volumes"]) {
        *count = input.count(what, 2, 4)?;
    }
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let tag = input.int("an entity's tag")?;
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                input.skip_float("a bounding box")?;
            }
            let mut physical = Vec::new();
            for _ in 0..input.count("physical tags", 2, 4)? {
                physical.push(input.int("a physical tag")?);
            }
            if dimension > 0 {
                for _ in 0..input.count("bounding entities", 2, 4)? {
                    input.int("a bounding entity")?;
                }
            }
            if !physical.is_empty() {
                content.tags += held(&physical);
                content.physical.insert((dimension as i64, tag), physical);
                content.check_memory(input)?;
            }
        }
    }
    input.end_data();
    Ok(())
}

/// `$Nodes`: blocks of nodes of one entity, first all numbers, then all positions.
pub(super) fn read_nodes(input: &mut Input, content: &mut Content) -> Result<()> {
    input.begin_data();
    let blocks = input.count("blocks of nodes", 8, 12)?;
    input.count("nodes", 8, 24)?;
    input.number("the smallest node number")?;
    input.number("the largest node number")?;
    for _ in 0..blocks {
        let dimension = input.int("an entity's dimension")?;
        if !(0..=3).contains(&dimension) {
            return Err(input.fail(format!("an entity's dimension is {dimension}, expected 0 to 3")));
        }
        input.int("an entity's tag")?;
        let is_parametric = input.int("whether nodes are parametric")? != 0;
        let nodes = input.count("nodes in the block", 8, 24)?;
        for _ in 0..nodes {
            let number = input.number("a node's number")?;
            content.nodes.push(number);
            content.check_memory(input)?;
        }
        for _ in 0..nodes {
            let position = [input.coordinate("x")?, input.coordinate("y")?, input.coordinate("z")?];
            content.cells.positions.push(position);
            content.check_memory(input)?;
            for _ in 0..if is_parametric { dimension } else { 0 } {
                input.skip_float("a parameter")?;
            }
        }
    }
    input.end_data();
    content.nodes.close(input)
}

/// `$Elements`: blocks of elements of one kind and entity.
pub(super) fn read_elements(input: &mut Input, content: &mut Content) -> Result<()> {
    input.begin_data();
    let blocks = input.count("blocks of elements", 8, 12)?;
    input.count("elements", 4, 8)?;
    input.number("the smallest element number")?;
    input.number("the largest element number")?;
    let mut nodes = Vec::new();
    for _ in 0..blocks {
        let dimension = input.int("an entity's dimension")?;
        let entity = input.int("an entity's tag")?;
        let kind = input.int("an element's type")?;
        let Some(shape) = Shape::find(kind) else {
            return Err(input.fail(format!("element type {kind} is not known")));
        };
        for _ in 0..input.count("elements in the block", 4, 8)? {
            input.number("an element's number")?;
            nodes.clear();
            for _ in 0..shape.nodes {
                let number = input.number("a node's number")?;
                nodes.push(content.nodes.index(number, input)?);
            }
            content.add_element(shape, &nodes);
            content.add_to_entity((dimension, entity), &nodes);
            content.check_memory(input)?;
        }
    }
    input.end_data();
    Ok(())
}
