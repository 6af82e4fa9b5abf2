//! taut: cloth and soft bodies whose stretch you control.

pub mod mesh;
