#!/usr/bin/env bash
# The tables of docs/measurements/cuda.md on this machine: the fields as shares of the pipe, every
# operation in milliseconds, and whole 32 GiB jobs from nothing, with the card's clock and power
# between them. Runs in the folder that gpu_pack.sh made, or packs first.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ ! -x "$here/gpu_tests" ]; then
    "$here/gpu_pack.sh"
    here=$here/../build-gpu/pack
fi
cd "$here"
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

card() {
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,temperature.gpu --format=csv,noheader
}
card
./gpu_field_bls12_381
./gpu_field_bn254
if [ $# -gt 0 ]; then
    ./gpu_tests speed "$@"
else
    ./gpu_tests speed bn254 transforms sums
    ./gpu_tests speed transforms spmv sums full_size tables multiples setup group_ntt point_spmv
    for circuit in porep update winning window; do
        card
        ./cuzk bench "$circuit-32GiB" --backend cuda --trace "$circuit.trace"
    done
fi
card
