#!/bin/sh
# Takes one file tree from an npm package, whose archive must have the given digest:
#
#     tools/npm_fetch.sh NAME VERSION SHA256 DIR      leaves the package in DIR/package
set -eu
name=$1 version=$2 sha256=$3 out=$4

mkdir -p "$out"
archive=$(cd "$out" && npm pack --silent "$name@$version" | tail -1)
echo "$sha256  $out/$archive" | sha256sum --check --quiet -
rm -rf "$out/package"
tar -xzf "$out/$archive" -C "$out"
rm "$out/$archive"
