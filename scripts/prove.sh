#!/usr/bin/env bash
# Slow proofs behind one command; docs/design/ci.md says what each proves.
#   scripts/prove.sh [--quick] [--resume] [--minutes N] [--write] [NAME[:PIECE]…]
#     NAME: seeds limits papers fuzz kills python sanitizers soak; all if none is given
#     --quick      in small
#     --resume     leaves out what has passed already with these sources, so that a run can be cut into parts
#     --minutes N  begins nothing new after N minutes; what is left is told, and --resume goes on with it
#     --write      puts a summary of all that was run so far into docs/measured/proofs.md
# Logs and results: target/proofs/NAME/PIECE.log, .result. TAUT=FILE uses a program that is built already, THREADS=1 one
# thread; SEEDS, FUZZ, KILLS and SOAK say how many seeds, seconds for a target, kills and seconds of soaking, and the
# summary says how many it were. A piece without its tool is skipped, and told so.
set -uo pipefail
cd "$(dirname "$0")/.."
ALL=(seeds limits papers fuzz kills python sanitizers soak)
quick="" resume="" write="" minutes="" names=()
while [[ $# -gt 0 ]]; do
    case "$1" in
        --quick) quick=yes ;;
        --resume) resume=yes ;;
        --write) write=yes ;;
        --minutes) minutes="${2:?}"; shift ;;
        *) [[ " ${ALL[*]} " == *" ${1%%:*} "* ]] || { sed -n '2,11p' "$0"; exit 2; }; names+=("$1") ;;
    esac
    shift
done
[[ ${#names[@]} -gt 0 || -n "$write" ]] || names=("${ALL[@]}")
logs="target/proofs"
mkdir -p "$logs"
taut="${TAUT:-${CARGO_TARGET_DIR:-target}/release/taut}"
flags=()
[[ -z "${THREADS:-}" ]] || flags+=(--threads "$THREADS")
SKIPPED=77
# What is proved is proved of these sources; pages may change beside them.
sources="$(git rev-parse --short HEAD:crates)"
[[ -z "$(git status --porcelain --untracked-files=no crates Cargo.lock)" ]] || sources+="+changes"

# The program, built when it is first needed.
need_taut() {
    [[ -n "${TAUT:-}" ]] || cargo build --release --locked -p taut-cli
}

# How much of a proof is asked for, in a word for the summary.
either() { if [[ -n "$quick" ]]; then echo "$1"; else echo "$2"; fi; }
much() { # name
    case "$1" in
        seeds) echo "${SEEDS:-$(either 1 10)}-seeds" ;;
        limits) either 10-frames all-frames ;;
        papers) either small full-size ;;
        fuzz) echo "${FUZZ:-$(either 10 60)}-s-each" ;;
        kills) echo "${KILLS:-$(either 10 200)}-kills" ;;
        soak) echo "${SOAK:-$(either 20 3600)}-s" ;;
        *) either small full ;;
    esac
}
number() { echo "${size%%-*}"; }

# Every proof is a list of pieces, and what to do for one.
pieces_seeds() {
    sed -n '/CONTACT_SCENES/,/];/p' crates/taut-scene/src/scene/builtin.rs | grep -o '"[a-z-]*"' | tr -d '"'
}
prove_seeds() {
    local less=()
    [[ -z "$quick" ]] || less=(--frames 10)
    cargo run --release --locked -q -p taut-scene --example contact_scenes -- "$1" --seeds "$(number)" "${less[@]}"
}

pieces_limits() { printf '%s\n' drape hang flag tablecloth curtain skirt pencil-skirt dress heap layers limits; }
prove_limits() {
    need_taut || return 1
    local out="$logs/limits/out/$1" less=()
    [[ -z "$quick" ]] || less+=(--frames 10)
    rm -rf "$out"
    "$taut" run "$1" --out "$out" --formats pc2 --no-pictures --verify "${less[@]}" "${flags[@]}" || return 1
    # The same by a meter that shares no code with the engine, where all cloth has one limit that is easily named.
    case "$1" in
        drape) python3 scripts/check_tension.py "$out" cloth --limit 0.01 ;;
        hang) python3 scripts/check_tension.py "$out" sheet --limit 0.01 ;;
    esac
}

pieces_papers() {
    need_taut >&2 || return 1
    "$taut" paper list --json | python3 -c 'import json,sys; print("\n".join(e["name"] for e in json.load(sys.stdin)))'
}
prove_papers() {
    local small=()
    [[ -z "$quick" ]] || small=(--small)
    "$taut" paper "$1" --out "$logs/papers/out" "${small[@]}"
}

pieces_fuzz() { sed -n 's/^targets=.*:-\(.*\)}$/\1/p' scripts/fuzz.sh | tr ' ' '\n'; }
prove_fuzz() { scripts/fuzz.sh "$(number)" "$1"; }

# In four, so that a busy machine cannot cost all of them.
pieces_kills() { seq 4; }
prove_kills() {
    need_taut || return 1
    python3 scripts/check_faults.py "$taut" --kills "$(($(number) / 4))" --seed "$1"
}

pieces_python() { printf '%s\n' wheel slow; }
prove_python() {
    python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' || return "$SKIPPED"
    case "$1" in
        wheel) PROFILE=${quick:+dev} scripts/python.sh wheel ;;
        slow) [[ -z "$quick" ]] || return "$SKIPPED"; scripts/python.sh test -q -m slow ;;
    esac
}

pieces_sanitizers() { printf '%s\n' address thread miri; }
prove_sanitizers() { scripts/sanitize.sh "$1"; }

pieces_soak() { echo worlds; }
prove_soak() { scripts/soak_contact.sh "$(number)"; }

# The last thing that a log says, fit for a table.
last_line() { grep -v '^[[:space:]]*$' "$1" | tail -1 | tr '|' '/' | cut -c1-110; }

# One piece of a proof; leaves RESULT SECONDS SIZE SOURCES DATE.
prove() { # name, piece
    local dir="$logs/$1" begin=$SECONDS code result was
    mkdir -p "$dir"
    if [[ -n "$resume" && -f "$dir/$2.result" ]]; then
        read -r -a was < "$dir/$2.result"
        [[ "${was[0]} ${was[2]} ${was[3]}" != "passed $size $sources" ]] || return 0
    fi
    if [[ -n "$minutes" ]] && ((SECONDS >= 60 * minutes)); then
        # What an earlier run found is still worth knowing.
        [[ -f "$dir/$2.result" ]] || echo "left 0 $size $sources $(date -u +%F)" > "$dir/$2.result"
        return 0
    fi
    echo "== $1:$2"
    "prove_$1" "$2" > "$dir/$2.log" 2>&1
    code=$?
    case "$code" in
        0) result="passed" ;;
        "$SKIPPED") result="skipped" ;;
        *) result="failed" ;;
    esac
    echo "$result $((SECONDS - begin)) $size $sources $(date -u +%F)" > "$dir/$2.result"
    echo "   $result after $((SECONDS - begin)) s: $(last_line "$dir/$2.log")"
}

# The row of a proof in the summary; nothing if none of it was run.
row() { # name
    local file piece was count=0 passed=0 took=0 words="" sizes="" of=""
    for file in "$logs/$1"/*.result; do
        [[ -f "$file" ]] || continue
        piece="$(basename "$file" .result)"
        read -r -a was < "$file"
        count=$((count + 1)) took=$((took + was[1]))
        [[ "$sizes" == *"${was[2]//-/ }"* ]] || sizes+="${sizes:+, }${was[2]//-/ }"
        [[ "$of" == *"${was[3]}"* ]] || of+="${of:+, }${was[3]}"
        if [[ "${was[0]}" == passed ]]; then
            passed=$((passed + 1))
        else
            words+="; $piece ${was[0]}"
            [[ "${was[0]}" == left ]] || words+=" ($(last_line "${file%.result}.log"))"
        fi
    done
    [[ "$count" -gt 0 ]] || return 0
    [[ "$count$passed" != 11 ]] || words+="; $(last_line "${file%.result}.log")"
    took="$((took / 3600)) h $((took / 60 % 60)) min $((took % 60)) s"
    echo "| \`$1\` | $sizes | $passed of $count passed$words | $took | $of |"
}

failed=0
for name in "${names[@]}"; do
    # A piece may have its proof's name: limits:limits.
    only=""
    [[ "$name" != *:* ]] || only="${name#*:}"
    name="${name%%:*}"
    size="$(much "$name")"
    pieces="$("pieces_$name")" || exit 1
    if [[ -n "$only" ]] && ! grep -qx -- "$only" <<< "$pieces"; then
        echo "$name has no piece $only; there are:" $pieces >&2
        exit 2
    fi
    for piece in $pieces; do
        [[ -z "$only" || "$only" == "$piece" ]] || continue
        prove "$name" "$piece"
        read -r result _ < "$logs/$name/$piece.result"
        [[ "$result" != failed ]] || failed=1
    done
done

table="| proof | how much | result | time | sources |
| --- | --- | --- | --- | --- |
$(for name in "${ALL[@]}"; do row "$name"; done)"
echo
echo "$table"
if [[ -n "$write" ]]; then
    # What a person wrote there stays.
    notes="$(sed -n '/^## Notes/,$p' docs/measured/proofs.md)"
    {
        echo "# Proofs"
        echo
        echo "<!-- Written by \`scripts/prove.sh --write\`; do not edit above the notes. -->"
        echo
        echo "Slow proofs, as they were last run; $(date -u +%F)."
        echo "What each proves: [What is tested, and when](../design/ci.md)."
        echo "Sources: the hash of the folder \`crates\` (\`git rev-parse --short HEAD:crates\`); now it is $sources."
        echo
        echo "$table"
        [[ -z "$notes" ]] || printf '\n%s\n' "$notes"
    } > docs/measured/proofs.md
    echo "docs/measured/proofs.md"
fi
exit "$failed"
