//! Where files go that a person asks for: the folder that the program was started in, or the browser's downloads.

/// Saves a file under a name that nothing has yet, and says where it is.
#[cfg(not(target_arch = "wasm32"))]
pub fn save(stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String> {
    use std::io::Write as _;
    for number in 0..10_000 {
        let name = if number == 0 { format!("{stem}.{ending}") } else { format!("{stem}-{number}.{ending}") };
        match std::fs::File::create_new(&name) {
            Ok(mut file) => {
                file.write_all(bytes).map_err(|error| format!("cannot write {name}: {error}"))?;
                return Ok(format!("saved {name}"));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("cannot create {name}: {error}")),
        }
    }
    Err(format!("there are too many files called {stem}.{ending}"))
}

/// A folder that does not exist yet, named after something.
#[cfg(not(target_arch = "wasm32"))]
pub fn fresh_folder(stem: &str) -> std::path::PathBuf {
    let name = |number: usize| if number == 0 { stem.to_owned() } else { format!("{stem}-{number}") };
    (0..).map(|number| std::path::PathBuf::from(name(number))).find(|path| !path.exists()).unwrap_or_default()
}

/// Hands a file to the browser, and says so.
#[cfg(target_arch = "wasm32")]
pub fn save(stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String> {
    use wasm_bindgen::JsCast as _;
    let name = format!("{stem}.{ending}");
    let offer = || -> Result<(), wasm_bindgen::JsValue> {
        let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
        let blob = web_sys::Blob::new_with_u8_array_sequence(&parts)?;
        let url = web_sys::Url::create_object_url_with_blob(&blob)?;
        let document = web_sys::window().and_then(|window| window.document()).ok_or("no document")?;
        let link: web_sys::HtmlAnchorElement = document.create_element("a")?.dyn_into().map_err(|_| "no link")?;
        link.set_href(&url);
        link.set_download(&name);
        link.click();
        web_sys::Url::revoke_object_url(&url)
    };
    offer().map_err(|error| format!("the browser does not take {name}: {error:?}"))?;
    Ok(format!("{name} is among your downloads"))
}
