//! The sections of version 2.

use super::Content;
use super::input::Input;
use super::shapes::Shape;
use crate::read::error::Result;

/// `$Nodes`: a count as text, then number and position of each node.
pub(super) fn read_nodes(input: &mut Input, content: &mut Content) -> Result<()> {
    let claimed = input.scanner.integer("the number of nodes")?;
    input.begin_data();
    for _ in 0..input.room_for(claimed, 28, "nodes")? {
        let number = input.int("a node's number")?;
        content.nodes.push(number);
        let position = [input.coordinate("x")?, input.coordinate("y")?, input.coordinate("z")?];
        content.cells.positions.push(position);
        content.check_memory(input)?;
    }
    input.end_data();
    content.nodes.close(input)
}

/// `$Elements`: a count as text, then the elements; in binary files in blocks of one kind.
pub(super) fn read_elements(input: &mut Input, content: &mut Content) -> Result<()> {
    let claimed = input.scanner.integer("the number of elements")?;
    input.begin_data();
    let elements = input.room_for(claimed, 8, "elements")?;
    let mut nodes = Vec::new();
    let mut done = 0;
    while done < elements {
        if input.is_binary() {
            let shape = find_shape(input)?;
            let block = input.int("the number of elements in the block")?;
            let tags = input.int("the number of tags")?;
            if block < 0 || block as usize > elements - done {
                let left = elements - done;
                return Err(
                    input.fail(format!("a block claims {block} elements, but only {left} are left of {elements}"))
                );
            }
            for _ in 0..block {
                input.int("an element's number")?;
                read_element(input, content, shape, tags, &mut nodes)?;
            }
            done += block as usize;
        } else {
            input.int("an element's number")?;
            let shape = find_shape(input)?;
            let tags = input.int("the number of tags")?;
            read_element(input, content, shape, tags, &mut nodes)?;
            done += 1;
        }
    }
    input.end_data();
    Ok(())
}

fn find_shape(input: &mut Input) -> Result<&'static Shape> {
    let kind = input.int("an element's type")?;
    Shape::find(kind).ok_or_else(|| input.fail(format!("element type {kind} is not known")))
}

/// Tags and nodes of an element. The first tag is its physical group (0 for none), the second its entity.
fn read_element(
    input: &mut Input,
    content: &mut Content,
    shape: &Shape,
    tags: i64,
    nodes: &mut Vec<u32>,
) -> Result<()> {
    let mut groups = [0; 2];
    for k in 0..input.room_for(tags, 4, "tags")? {
        let tag = input.int("a tag")?;
        if let Some(group) = groups.get_mut(k) {
            *group = tag;
        }
    }
    nodes.clear();
    for _ in 0..shape.nodes {
        let number = input.int("a node's number")?;
        nodes.push(content.nodes.index(number, input)?);
    }
    content.add_element(shape, nodes);
    let [physical, entity] = groups;
    if physical != 0 {
        content.add_to_physical((shape.dimension, physical), nodes);
    }
    if entity != 0 {
        content.add_to_entity((shape.dimension, entity), nodes);
    }
    content.check_memory(input)
}
