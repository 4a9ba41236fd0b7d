#!/usr/bin/env bash
# Builds what a bare GPU machine needs into one folder: programs that bring their CUDA run time, the
# two shared libraries that a plain CUDA image may lack, a vector, and the two scripts to run there.
#
#     tools/gpu_pack.sh [FOLDER]      default build-gpu/pack
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:-build-gpu/pack}
programs=(gpu_tests gpu_field_bls12_381 gpu_field_bn254)

cmake -G Ninja -B build-gpu -S . -DCUZK_CUDA=ON -DCUZK_DAEMON=OFF -DCUZK_TESTS=ON >/dev/null
ninja -C build-gpu --quiet cuzk "${programs[@]}"

rm -rf "$folder"
mkdir -p "$folder/lib" "$folder/vectors"
for program in "${programs[@]}"; do
    strip -o "$folder/$program" "build-gpu/gpu/$program"
done
strip -o "$folder/cuzk" build-gpu/cuzk
ldd build-gpu/cuzk | awk '/libcrypto|libstdc\+\+/ { print $3 }' | xargs -I{} cp -L {} "$folder/lib/"
cp -r tests/vectors/filecoin/porep-2k "$folder/vectors/"
cp tools/gpu_check.sh tools/gpu_bench.sh "$folder/"
du -sh "$folder"
