//! Snapshots as bytes, between a page and the worker that computes for it.
//!
//! What did not change since the last message is not sent again: the receiver has it.

use crate::session::{ClothReach, Heat, History, Shape, SideView, Snapshot};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use taut_scene::scene::Scene;

/// What colours show, as its number among all; painted maps come behind them.
pub(crate) mod heat {
    use super::Heat;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(heat: &Heat, to: S) -> Result<S::Ok, S::Error> {
        let map = |heat: &Heat| if let Heat::Map(at) = heat { Heat::ALL.len() + usize::from(*at) } else { 0 };
        Heat::ALL.iter().position(|known| known == heat).unwrap_or_else(|| map(heat)).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Heat, D::Error> {
        let at = usize::deserialize(from)?;
        let map = || at.checked_sub(Heat::ALL.len()).and_then(|at| u8::try_from(at).ok()).map(Heat::Map);
        let known = Heat::ALL.get(at).copied().or_else(map);
        known.ok_or_else(|| serde::de::Error::custom("there is no such map of colours"))
    }
}

/// The name, text and changes that a scene is read from.
type Said = (String, String, Vec<String>);

/// All of a snapshot but its sides.
#[derive(Serialize, Deserialize)]
struct Head {
    version: (u64, u64),
    heard: u64,
    name: String,
    frames: (u32, u32),
    times: (f64, f64),
    playing: bool,
    endless: bool,
    #[serde(with = "heat")]
    heat: Heat,
    hand: Option<(usize, u32)>,
    recording: bool,
    error: Option<String>,
    note: Option<String>,
    written: Option<(u64, Result<String, String>)>,
}

/// What changes of a side; by reference when it is sent.
#[derive(Serialize, Deserialize)]
struct Moving<P, V, F, H> {
    places: [P; 2],
    floor: Option<f64>,
    pins: Vec<[f64; 3]>,
    values: V,
    fields: F,
    history: H,
    sets: Vec<(String, String)>,
    reach: Vec<ClothReach>,
    warnings: Vec<String>,
}

type Places = Vec<Vec<[f64; 3]>>;
type Values = Vec<Option<Vec<f32>>>;
type Fields = Vec<Vec<Vec<f64>>>;
type Sent<'a> = Moving<&'a Places, &'a Values, &'a Fields, &'a History>;
type Got = Moving<Places, Values, Fields, History>;

/// A snapshot as bytes, without what the receiver has from the one `before`.
pub fn pack(snapshot: &Snapshot, before: Option<&Snapshot>) -> Result<Vec<u8>, String> {
    let head = Head {
        version: snapshot.version,
        heard: snapshot.heard,
        name: snapshot.name.clone(),
        frames: (snapshot.frame, snapshot.last),
        times: (snapshot.time, snapshot.speed),
        playing: snapshot.playing,
        endless: snapshot.endless,
        heat: snapshot.heat,
        hand: snapshot.hand,
        recording: snapshot.recording,
        error: snapshot.error.clone(),
        note: snapshot.note.clone(),
        written: snapshot.written.clone(),
    };
    let sides = snapshot.sides.iter().enumerate().map(|(at, side)| {
        let known = before.and_then(|before| before.sides.get(at));
        let same = known.is_some_and(|known| Arc::ptr_eq(&known.scene, &side.scene));
        let scene = &side.scene;
        let said: Option<Said> =
            (!same).then(|| (scene.name().to_owned(), scene.text().to_owned(), scene.sets().to_vec()));
        let shape = known.is_none_or(|known| !Arc::ptr_eq(&known.shape, &side.shape)).then_some(&*side.shape);
        (said, shape, sent(side))
    });
    let sides: Vec<_> = sides.collect();
    postcard::to_stdvec(&(head, sides)).map_err(|error| error.to_string())
}

fn sent(side: &SideView) -> Sent<'_> {
    Moving {
        places: [&side.positions, &side.colliders],
        floor: side.floor,
        pins: side.pins.clone(),
        values: &side.values,
        fields: &side.fields,
        history: &side.history,
        sets: side.sets.clone(),
        reach: side.reach.clone(),
        warnings: side.warnings.clone(),
    }
}

/// The snapshot that was packed; `before` is the one that was received last.
pub fn unpack(bytes: &[u8], before: Option<&Snapshot>) -> Result<Snapshot, String> {
    type Side = (Option<Said>, Option<Shape>, Got);
    let (head, sides): (Head, Vec<Side>) = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
    let side = |(at, (said, shape, moving)): (usize, Side)| {
        let known = before.and_then(|before| before.sides.get(at));
        let scene = match said {
            Some((name, text, sets)) => read(&name, &text, &sets)?,
            None => known.map(|known| known.scene.clone()).ok_or("a scene is missing")?,
        };
        let shape = match shape {
            Some(shape) => Arc::new(shape),
            None => known.map(|known| known.shape.clone()).ok_or("a shape is missing")?,
        };
        let Moving { places: [positions, colliders], floor, pins, values, fields, history, sets, reach, warnings } =
            moving;
        let side = SideView {
            scene,
            shape,
            positions,
            colliders,
            floor,
            pins,
            values,
            fields,
            history,
            sets,
            reach,
            warnings,
        };
        Ok::<_, String>(side)
    };
    Ok(Snapshot {
        version: head.version,
        heard: head.heard,
        name: head.name,
        frame: head.frames.0,
        last: head.frames.1,
        time: head.times.0,
        playing: head.playing,
        endless: head.endless,
        speed: head.times.1,
        heat: head.heat,
        sides: sides.into_iter().enumerate().map(side).collect::<Result<_, _>>()?,
        hand: head.hand,
        recording: head.recording,
        error: head.error,
        note: head.note,
        written: head.written,
    })
}

/// A scene that has been read before, elsewhere.
fn read(name: &str, text: &str, sets: &[String]) -> Result<Arc<Scene>, String> {
    Scene::parse(name, text, None, sets).map(Arc::new).map_err(|error| error.to_string())
}
