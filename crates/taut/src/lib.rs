//! taut: cloth and soft bodies whose stretch you control.

pub mod element;
pub mod lanes;
pub mod mesh;
pub mod pack;
pub mod solve;
