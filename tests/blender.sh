#!/usr/bin/env bash
# Opens what was baked in Blender (PyPI `bpy`, headless) and compares every joint's rotation with the file's keys.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=target/blender-venv
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet "bpy==5.0.1" "numpy<3"
fi
cargo run --release --quiet -- bake sample:fox -o target/blender-fox.glb --clip Walk --target blender --force
"$venv/bin/python" tests/blender_check.py target/blender-fox.glb
