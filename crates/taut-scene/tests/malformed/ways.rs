//! Ways to break a file.

use std::io::Write;

/// A file packed with gzip.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

/// Every break of a file that one way makes.
type Way = fn(&[u8]) -> Vec<Vec<u8>>;

/// All ways, by name.
pub const ALL: [(&str, Way); 22] = [
    ("nothing left", |_| vec![Vec::new(), b"\n".to_vec(), vec![0], vec![b' '; 4096]]),
    ("cut off", |bytes| places(bytes, 40).map(|at| bytes[..at].to_vec()).collect()),
    ("beginning cut off", |bytes| places(bytes, 20).map(|at| bytes[at..].to_vec()).collect()),
    ("a piece missing", |bytes| {
        places(bytes, 30).map(|at| [&bytes[..at], &bytes[(at + 7).min(bytes.len())..]].concat()).collect()
    }),
    ("a piece twice", |bytes| {
        places(bytes, 30).map(|at| [&bytes[..at], &bytes[at.saturating_sub(9)..]].concat()).collect()
    }),
    ("the whole twice", |bytes| vec![[bytes, bytes].concat()]),
    ("lines missing", |bytes| {
        lines(bytes)
            .map(|at| {
                with_lines(bytes, |all| {
                    all.remove(at);
                })
            })
            .collect()
    }),
    ("lines twice", |bytes| lines(bytes).map(|at| with_lines(bytes, |all| all.insert(at, all[at]))).collect()),
    ("lines swapped", |bytes| lines(bytes).map(|at| with_lines(bytes, |all| all.swap(0, at))).collect()),
    ("lines backwards", |bytes| vec![with_lines(bytes, |all| all.reverse())]),
    ("bytes flipped", |bytes| places(bytes, 60).map(|at| put(bytes, at, &[bytes.get(at).map_or(0, |b| !b)])).collect()),
    ("zeros inside", |bytes| places(bytes, 30).map(|at| put(bytes, at, &[0; 8])).collect()),
    ("ones inside", |bytes| places(bytes, 60).map(|at| put(bytes, at, &[0xff; 8])).collect()),
    ("large counts inside", |bytes| places(bytes, 60).map(|at| put(bytes, at, &[0xff, 0xff, 0xff, 0x7f])).collect()),
    ("numbers not finite", |bytes| numbers(bytes, &["nan", "inf", "-1e999", "1e308"])),
    ("numbers out of range", |bytes| numbers(bytes, &["-1", "0", "4294967295", "99999999999999999999", "2147483648"])),
    ("numbers that are words", |bytes| numbers(bytes, &["x", "0x10", "1.5.5", "\"", ""])),
    ("a number without end", |bytes| numbers(bytes, &["7".repeat(1 << 16).as_str()])),
    ("other line ends", |bytes| {
        vec![replaced(bytes, b'\n', b"\r\n"), replaced(bytes, b'\n', b"\r"), replaced(bytes, b'\n', b" ")]
    }),
    ("other encodings", |bytes| {
        let wide = bytes.iter().flat_map(|&byte| [byte, 0]).collect();
        vec![
            wide,
            [b"\xef\xbb\xbf", bytes].concat(),
            replaced(bytes, b'a', b"\xff"),
            replaced(bytes, b'e', "é".as_bytes()),
        ]
    }),
    ("brackets", |bytes| {
        let nested = |open: &str| [open.repeat(100_000).as_bytes(), bytes].concat();
        vec![nested("["), nested("{"), nested("{\"a\":"), replaced(bytes, b'[', b"{"), replaced(bytes, b'}', b"")]
    }),
    ("packed badly", |bytes| {
        let packed = gzip(bytes);
        let mut wrong = packed.clone();
        let last = wrong.len() - 1;
        wrong[last] ^= 0x55;
        let cut = packed[..packed.len() / 2].to_vec();
        vec![packed.clone(), cut, wrong, [&packed[..], b"rubbish"].concat(), gzip(&packed), packed[..10].to_vec()]
    }),
];

/// Some places in a file, all over it.
fn places(bytes: &[u8], most: usize) -> impl Iterator<Item = usize> {
    let (length, step) = (bytes.len(), (bytes.len() / most).max(1));
    (0..length).step_by(step)
}

fn lines(bytes: &[u8]) -> std::ops::Range<usize> {
    0..bytes.split(|&byte| byte == b'\n').count().min(40)
}

fn with_lines(bytes: &[u8], change: impl Fn(&mut Vec<&[u8]>)) -> Vec<u8> {
    let mut all: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    change(&mut all);
    all.join(&b'\n')
}

fn put(bytes: &[u8], at: usize, value: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let end = (at + value.len()).min(out.len());
    out[at..end].copy_from_slice(&value[..end - at]);
    out
}

fn replaced(bytes: &[u8], byte: u8, by: &[u8]) -> Vec<u8> {
    bytes.split(|&found| found == byte).collect::<Vec<_>>().join(by)
}

/// The file with one of its numbers replaced, for each of some numbers and values.
fn numbers(bytes: &[u8], values: &[&str]) -> Vec<Vec<u8>> {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let starts: Vec<usize> = (0..bytes.len()).filter(|&at| digit(at) && (at == 0 || !digit(at - 1))).collect();
    let step = (starts.len() / 40).max(1);
    let one = |start: usize, value: &str| {
        let end = (start..).find(|&at| !digit(at)).unwrap_or(bytes.len());
        [&bytes[..start], value.as_bytes(), &bytes[end..]].concat()
    };
    starts.iter().step_by(step).flat_map(|&start| values.iter().map(move |value| one(start, value))).collect()
}
