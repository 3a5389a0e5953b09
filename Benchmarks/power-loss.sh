#!/bin/sh
# Power cuts: the job store on a simulated disk that loses, reorders and tears unsynced writes; with synchronous = FULL nothing acknowledged may be
# lost, with NORMAL something must (the control). A line of JSON for each; status 1 when either does not hold. The argument is the number of
# images, 3000 if not given; the control opens a tenth of that.
set -eu
cd "$(dirname "$0")/.."
PKG_CONFIG_PATH=$PWD/.runtime/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
swift build -c release --product power-loss >&2
exec .build/release/power-loss "$@"
