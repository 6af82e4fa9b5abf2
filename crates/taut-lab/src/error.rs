//! Why a test could not be made.

use std::fmt;
use taut_scene::fabric::UnknownFabric;
use taut_scene::scene::SceneError;

/// Why a test could not be made. Tests that were made and found something odd say so in their notes.
#[derive(Debug)]
pub enum LabError {
    /// There is no such fabric.
    Fabric(UnknownFabric),
    /// The test's scene cannot be built: a figure of the fabric, the mesh or the solver does not fit.
    Scene(Box<SceneError>),
    /// A parameter of the test itself.
    Parameter(String),
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::Fabric(error) => error.fmt(f),
            LabError::Scene(error) => error.fmt(f),
            LabError::Parameter(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LabError {}

impl From<UnknownFabric> for LabError {
    fn from(error: UnknownFabric) -> Self {
        LabError::Fabric(error)
    }
}

impl From<SceneError> for LabError {
    fn from(error: SceneError) -> Self {
        LabError::Scene(Box::new(error))
    }
}
