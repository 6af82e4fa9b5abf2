#!/usr/bin/env bash
# Slow proofs behind one command; docs/design/ci.md says what each proves.
#   scripts/prove.sh [--quick] [--write] [NAME…]     NAME: seeds limits papers fuzz kills python sanitizers; all if none is given
# --quick runs them in small, --write puts the summary into docs/measured/proofs.md. Logs: target/proofs/NAME.log.
# TAUT=FILE uses a program that is built already, THREADS=1 one thread, for busy machines.
# A proof without its script or tool is skipped, and told so.
set -uo pipefail
cd "$(dirname "$0")/.."
quick="" write="" names=()
for word in "$@"; do
    case "$word" in
        --quick) quick=yes ;;
        --write) write=yes ;;
        seeds | limits | papers | fuzz | kills | python | sanitizers) names+=("$word") ;;
        *) sed -n '2,6p' "$0"; exit 2 ;;
    esac
done
[[ ${#names[@]} -gt 0 ]] || names=(seeds limits papers fuzz kills python sanitizers)
logs="target/proofs"
mkdir -p "$logs"
taut="${TAUT:-${CARGO_TARGET_DIR:-target}/release/taut}"
SKIPPED=77

# The program, built when it is first needed.
need_taut() {
    [[ -n "${TAUT:-}" ]] || cargo build --release --locked -p taut-cli
}

prove_seeds() {
    local size=(--seeds 10)
    [[ -z "$quick" ]] || size=(--seeds 1 --frames 10)
    cargo run --release --locked -q -p taut-scene --example contact_scenes -- "${size[@]}"
}

prove_limits() {
    need_taut || return 1
    local scene failed=0 flags=() out="$logs/limits"
    local scenes=(drape hang flag tablecloth curtain skirt pencil-skirt dress heap layers limits)
    [[ -z "$quick" ]] || flags+=(--frames 10)
    [[ -z "${THREADS:-}" ]] || flags+=(--threads "$THREADS")
    rm -rf "$out"
    for scene in "${scenes[@]}"; do
        echo "== $scene"
        "$taut" run "$scene" --out "$out/$scene" --formats pc2 --no-pictures --verify "${flags[@]}" || failed=$((failed + 1))
    done
    # The same by a meter that shares no code with the engine, where all cloth has one limit that is easily named.
    python3 scripts/check_tension.py "$out/drape" cloth --limit 0.01 || failed=$((failed + 1))
    python3 scripts/check_tension.py "$out/hang" sheet --limit 0.01 || failed=$((failed + 1))
    echo "${#scenes[@]} scenes with --verify, 2 of them by a second meter: $failed failed"
    [[ "$failed" == 0 ]]
}

prove_papers() {
    need_taut || return 1
    local small=()
    [[ -z "$quick" ]] || small=(--small)
    "$taut" paper all --out "$logs/papers" "${small[@]}"
}

prove_fuzz() {
    [[ -x scripts/fuzz.sh ]] || { echo "scripts/fuzz.sh is not there"; return "$SKIPPED"; }
    if [[ -n "$quick" ]]; then scripts/fuzz.sh 10; else scripts/fuzz.sh; fi
}

prove_kills() {
    need_taut || return 1
    local kills=200
    [[ -z "$quick" ]] || kills=10
    python3 scripts/check_faults.py "$taut" --kills "$kills"
}

prove_python() {
    python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' || return "$SKIPPED"
    PROFILE=${quick:+dev} scripts/python.sh wheel || return 1
    [[ -n "$quick" ]] || scripts/python.sh test -q -m slow
}

prove_sanitizers() {
    scripts/sanitize.sh ${quick:+address}
}

table="| proof | result | time | last line |
| --- | --- | --- | --- |"
all=0
for name in "${names[@]}"; do
    echo "== $name, see $logs/$name.log"
    begin=$SECONDS
    "prove_$name" > "$logs/$name.log" 2>&1
    code=$?
    took=$((SECONDS - begin))
    case "$code" in
        0) result="passed" ;;
        "$SKIPPED") result="skipped" ;;
        *) result="**failed**"; all=1 ;;
    esac
    last="$(grep -v '^[[:space:]]*$' "$logs/$name.log" | tail -1 | tr '|' '/' | cut -c1-100)"
    table+="
| \`$name\` | $result | $((took / 3600)) h $((took / 60 % 60)) min $((took % 60)) s | $last |"
done
echo
echo "$table"
if [[ -n "$write" ]]; then
    changes="$([[ -z "$(git status --porcelain --untracked-files=no)" ]] || echo " with changes")"
    {
        echo "# Proofs"
        echo
        echo "<!-- Written by \`scripts/prove.sh --write\`; do not edit. -->"
        echo
        echo "Slow proofs${quick:+, in small}, at commit $(git rev-parse --short HEAD)$changes, $(date -u +%F)."
        echo "What each proves: [What is tested, and when](../design/ci.md)."
        echo
        echo "$table"
    } > docs/measured/proofs.md
    echo "docs/measured/proofs.md"
fi
exit "$all"
