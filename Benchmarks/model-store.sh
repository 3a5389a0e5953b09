#!/bin/sh
# Times hashing (verify) and the stamped check (list) of a store: Benchmarks/model-store.sh [STORE]
set -eu
cd "$(dirname "$0")/.."
store=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/sotto/models}
swift build -c release --product model-store-probe >&2
bytes=$(find "$store" -type f ! -name '.*' -printf '%s\n' | awk '{ s += $1 } END { print s }')
for command in verify list; do
    for pass in 1 2 3 4 5 6 7; do
        start=$(date +%s%N)
        .build/release/model-store-probe Models/manifest.json "$store" "${TMPDIR:-/tmp}" $command >/dev/null 2>&1
        echo $(($(date +%s%N) - start))
    done | sort -n | awk -v name="model-store $command" -v bytes="$bytes" -v commit="$(git rev-parse --short HEAD)" \
        '{ t[NR] = $1 } END { printf "{\"name\":\"%s\",\"commit\":\"%s\",\"bytes\":%d,\"medianSeconds\":%.4f,\"megabytesPerSecond\":%.0f}\n", name, commit, bytes, t[4] / 1e9, bytes / t[4] * 1000 }'
done
