#!/bin/sh
# What kills, races, stops, restarts and cancels do to the job store, with the control that must fail: Benchmarks/job-store.sh [KILLS [JOBS [ROUNDS]]]
# One line of JSON for each harness; exit status 1 when the store does not pass one, or when the control does.
set -eu
cd "$(dirname "$0")/.."
kills=${1:-1500} jobs=${2:-1000} rounds=${3:-20}
PKG_CONFIG_PATH=$PWD/.runtime/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
swift build -c release --product job-store-probe >&2
probe=.build/release/job-store-probe
status=0
$probe kills "$kills" store || status=1
for control in naive naive-reset; do
    if $probe kills $((kills / 15)) $control; then
        echo "the control $control passed: the harness shows nothing" >&2
        status=1
    fi
done
for workers in tasks processes; do $probe race $workers "$jobs" || status=1; done
$probe stop "$rounds" || status=1
$probe recovery "$rounds" || status=1
$probe cancel $((rounds * 5)) || status=1
exit $status
