#!/usr/bin/env bash
# Builds the documentation as a static site in target/site/book and checks every link of it.
#   scripts/site.sh          needs mdbook: cargo install --locked mdbook --version 0.5.4
set -euo pipefail
cd "$(dirname "$0")/.."
python3 scripts/check_links.py
if ! command -v mdbook > /dev/null; then
    echo "mdbook is not installed: cargo install --locked mdbook --version 0.5.4" >&2
    exit 1
fi
mkdir -p target/site
rm -rf target/site/book
python3 scripts/stage_site.py target/site
mdbook build target/site
python3 scripts/check_links.py --site target/site/book
echo "target/site/book/index.html"
