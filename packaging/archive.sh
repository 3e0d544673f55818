#!/usr/bin/env bash
# Builds the release binary and packs it with README, changelog and licences:
# target/dist/tailbone-VERSION-TARGET.tar.gz, the same bytes for the same sources and toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
target=$(rustc -vV | sed -n 's/^host: //p')
name="tailbone-$version-$target"
cargo build --release --locked
folder=target/dist/$name
rm -rf "$folder"
mkdir -p "$folder"
cp target/release/tailbone README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$folder/"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C target/dist -cf - "$name" | gzip -n >"target/dist/$name.tar.gz"
echo "target/dist/$name.tar.gz"
