//! Every figure and table of the papers in a small size: what they claim still holds, as far as it did.

use taut_papers::{ENTRIES, Size, entry};

/// Runs one, and names what no longer holds.
fn check(name: &str) {
    let entry = entry(name).unwrap_or_else(|| panic!("there is no {name}"));
    let outcome = (entry.run)(Size::Small).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(!outcome.claims.is_empty(), "{name} claims nothing");
    assert!(!outcome.figures.is_empty() || !outcome.tables.is_empty(), "{name} shows nothing");
    for figure in &outcome.figures {
        let png = figure.bytes.starts_with(b"\x89PNG");
        assert!(png || figure.bytes.starts_with(b"<svg"), "{}: {} is no picture", name, figure.file);
    }
    let broken: Vec<_> = outcome.claims.iter().filter(|claim| claim.broken()).collect();
    assert!(broken.is_empty(), "{name}: {broken:#?}");
}

macro_rules! entries {
    ($($test:ident $name:literal)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn every_entry_is_tested() {
            let tested = [$($name),*];
            let all: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
            assert_eq!(all, tested);
        }
    };
}

entries! {
    sbd_1 "sbd-1"
    sbd_2 "sbd-2"
    sbd_3 "sbd-3"
    sbd_4 "sbd-4"
    sbd_5 "sbd-5"
    sbd_6 "sbd-6"
    sbd_3_4 "sbd-3.4"
    soft_1 "soft-1"
    soft_2 "soft-2"
    soft_3 "soft-3"
    soft_4 "soft-4"
    soft_5 "soft-5"
    apsl_1 "apsl-1"
    apsl_5 "apsl-5"
    apsl_6 "apsl-6"
    apsl_7 "apsl-7"
    csl_6 "csl-6"
    csl_7 "csl-7"
    csl_8 "csl-8"
    csl_table_1 "csl-table-1"
}
