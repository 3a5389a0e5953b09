# Shared by Scripts/run and Scripts/demo; sourced in the project's folder.
sotto=.build/release/sotto
handbook=/usr/share/doc/debian-handbook/html/en-US

now() { local stamp=${EPOCHREALTIME//[!0-9]/}; printf '%d' "$((stamp / 1000))"; }
times=()
part() { # NAME COMMAND…
    local name=$1 start took
    shift
    printf '\n== %s\n' "$name" >&2
    start=$(now)
    "$@"
    took=$(($(now) - start))
    times+=("$(printf '%6d.%d s  %s' $((took / 1000)) $((took % 1000 / 100)) "$name")")
}
tell_times() { { printf '\n' && printf '%s\n' "${times[@]}"; } >&2; }

# What is already there is checked, not made again.
everything_set_up() {
    part "set-up: Debian packages" Scripts/setup-packages
    part "set-up: native runtimes" Scripts/setup-runtime
    part "build" Scripts/build
    part "set-up: models" "$sotto" models pull --set default
    part "library: Debian Administrator's Handbook" "$sotto" library add "$handbook"
}
