#!/usr/bin/env bash
# Everything that must hold, on a Debian or Ubuntu machine that has only the Rust toolchain.
# `tests/run.sh` is what CI runs; `tests/run.sh --full` adds the slow sweeps (1,000 characters, the real window, Blender).
set -euo pipefail
cd "$(dirname "$0")/.."
full=0
[ "${1:-}" = "--full" ] && full=1

step() { printf '\n== %s\n' "$*"; }

install() {
    step "installing $*"
    local sudo=""
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}
# Installs a Debian package where a command, or a shared library, is missing.
need() { command -v "$1" >/dev/null || install "$2"; }
need_library() { ls /usr/lib/*/"$1" /usr/lib/"$1" >/dev/null 2>&1 || install "${@:2}"; }
need c++ build-essential # the meshopt decoder is C++
need node nodejs
need npm npm
# Pictures are drawn by Mesa in software, without a display.
need_library libEGL.so.1 libegl1 libegl-mesa0 libgl1-mesa-dri

step "format"
cargo fmt --check

step "clippy"
cargo clippy --all-targets -- -D warnings
cargo clippy --lib --bins --no-default-features -- -D warnings

step "the core is headless"
if cargo tree --no-default-features -e normal | grep -E '\b(egui|eframe|three-d|rfd|winit|glow) v'; then
    echo "error: the core must not depend on window code" >&2
    exit 1
fi

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --quiet

step "tests"
rm -rf target/written
[ $full = 1 ] && export TAILBONE_FULL=1
if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --no-fail-fast
else
    cargo test --no-fail-fast --lib --bins --tests
fi
cargo test --doc

step "the official validator over every file the tests wrote"
mkdir -p target/npm
cp tests/package.json target/npm/
(cd target/npm && npm install --silent --no-audit --no-fund --no-package-lock)
NODE_PATH=target/npm/node_modules node tests/validate.mjs target/written

step "VRM's own springs still move as recorded"
NODE_PATH=target/npm/node_modules node --no-deprecation tests/reference/vrm_springs.mjs |
    diff -q - tests/reference/vrm_springs.json

if [ $full = 1 ]; then
    step "the real window, driven by mouse and keys"
    need Xvfb xvfb
    need xdotool xdotool
    need import imagemagick
    cargo build --quiet
    tests/e2e.sh

    step "memory of every shared file"
    need python3 python3
    shared=${TAILBONE_SHARED:-../shared}/data
    if [ -d "$shared" ]; then
        cargo build --release --quiet
        python3 tests/memory.py target/release/tailbone "$shared"
    else
        echo "NOT RUN: $shared is missing (set TAILBONE_SHARED)"
    fi

    step "Blender opens what was baked"
    tests/blender.sh
fi

step "all green"
