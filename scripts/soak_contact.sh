#!/usr/bin/env bash
# Random small worlds of contact for an hour, or as many seconds as are given: each round other ones. Stops at the first that fails,
# whose message names its seed.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-3600}"
cargo test --release -p taut --test contact --no-run
end=$((SECONDS + seconds))
for ((seed = 1; SECONDS < end; seed++)); do
    TAUT_SEED=$seed TAUT_WORLDS=200 cargo test --release -q -p taut --test contact -- worlds --nocapture
done
echo "$((seed - 1)) rounds of 200 worlds"
