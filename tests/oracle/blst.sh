#!/bin/sh
# Builds blst, the peer of tests and benchmarks, from the sources inside the npm package c-kzg:
#
#     tests/oracle/blst.sh DIR     leaves DIR/blst/libblst.a and DIR/blst/blst.h
#
# Nothing of it is committed or shipped. CMake finds it in <build>/oracle.
set -eu

version=4.1.0
sha256=c56d9ed6aaa17bafa95c337c28837c68d2e54dabd76d91a185e2600a26480965

out=$1/blst
[ -f "$out/libblst.a" ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$(dirname "$0")"/../../tools/npm_fetch.sh c-kzg "$version" "$sha256" "$work"
blst=$work/package/deps/blst
(cd "$blst" && CC="${CC:-cc}" ./build.sh) >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }

mkdir -p "$out"
cp "$blst"/bindings/blst.h "$blst"/bindings/blst_aux.h "$out"
cp "$blst"/libblst.a "$out/libblst.a.new"
mv "$out/libblst.a.new" "$out/libblst.a"
