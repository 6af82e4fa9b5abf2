//! Scenes that come with the program.

/// A scene that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// What people call it by.
    pub name: &'static str,
    /// Its scene file.
    pub text: &'static str,
}

macro_rules! builtin {
    ($($name:literal)*) => {
        /// Every built-in scene, the first the one to begin with.
        pub static BUILTIN: &[Builtin] = &[$(Builtin {
            name: $name,
            text: include_str!(concat!("../../scenes/", $name, ".toml")),
        }),*];
    };
}

builtin!("drape" "hang" "flag" "tablecloth" "curtain" "skirt" "pencil-skirt" "dress" "gown" "heap" "twist" "knot" "layers" "catch" "funnel" "trick" "trampoline" "anisotropy" "limits" "fabrics" "rubber" "torus" "tangle" "jelly" "skin");

/// The built-in scenes that contact is put to the test with: for each seed of their jitter, nothing may ever intersect.
pub const CONTACT_SCENES: [&str; 10] =
    ["drape", "heap", "twist", "knot", "trick", "funnel", "skirt", "dress", "catch", "layers"];

impl Builtin {
    /// What `--set` would say to give all its jitter another seed.
    pub fn with_seed(&self, seed: u32) -> Vec<String> {
        let scene = super::Scene::parse(self.name, self.text, None, &[]);
        let initial = scene.map(|scene| scene.settings.initial).unwrap_or_default();
        let shaken = initial.iter().enumerate().filter(|(_, initial)| initial.jitter.is_some());
        shaken.map(|(at, _)| format!("initial.{at}.jitter.seed={seed}")).collect()
    }
}

/// The built-in scene with this name.
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|builtin| builtin.name == name)
}

impl Builtin {
    /// Its title and a sentence about it, as the file has them.
    pub fn about(&self) -> (String, String) {
        match super::Scene::parse(self.name, self.text, None, &[]) {
            Ok(scene) => (scene.settings.scene.title, scene.settings.scene.description),
            Err(_) => (self.name.to_owned(), String::new()),
        }
    }
}
