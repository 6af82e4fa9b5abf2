#!/usr/bin/env bash
# What taut is made of: licences, sources and duplicates of all crates, advisories, and whether THIRD-PARTY.md fits.
#   scripts/supply.sh                needs no network; without cargo-deny it checks THIRD-PARTY.md and the committed
#                                    advisories alone, and says so
#   scripts/supply.sh --advisories   also fetches all advisories of today, from the network
set -euo pipefail
cd "$(dirname "$0")/.."
python3 scripts/licences.py --check
python3 scripts/advisories.py --test
python3 scripts/advisories.py
if ! command -v cargo-deny > /dev/null; then
    echo "cargo-deny is not installed, licences and sources are not checked: cargo install --locked cargo-deny --version 0.20.2"
    [[ "${1:-}" != "--advisories" ]]
    exit
fi
# Crates of all platforms are looked at, and have to be here once; those of the fuzzer, too.
for manifest in Cargo.toml fuzz/Cargo.toml; do
    cargo metadata --locked --offline --all-features --format-version 1 --manifest-path "$manifest" > /dev/null 2>&1 ||
        cargo fetch --locked --quiet --manifest-path "$manifest"
done
# Duplicates are warnings; they are listed by `cargo deny check bans`.
cargo deny --offline --log-level error check bans licenses sources
cargo deny --offline --log-level error --manifest-path fuzz/Cargo.toml --config deny.toml check bans licenses sources
if [[ "${1:-}" == "--advisories" ]]; then
    cargo deny check advisories
fi
