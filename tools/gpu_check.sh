#!/usr/bin/env bash
# Everything of the CUDA back end against the portable code, a key and a proof against bellperson's
# bytes, then whole jobs of every kind.
# Runs in the folder that gpu_pack.sh made, or packs first. SANITIZE=1 adds compute-sanitizer on
# the small cases.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ ! -x "$here/gpu_tests" ]; then
    "$here/gpu_pack.sh" || exit 1
    here=$here/../build-gpu/pack
fi
cd "$here" || exit 1
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
passed=0 failed=0

# a program's own closing line counts; one without counts as one
run() {
    local log status
    log=$(mktemp)
    "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    if line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -1); then
        passed=$((passed + ${line%% *}))
        line=${line#*, }
        failed=$((failed + ${line%% *}))
    elif [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $* (exit $status)"
    fi
    rm -f "$log"
}

keys=$(mktemp -d)
trap 'rm -rf "$keys"' EXIT
key_equals_bellpersons() {
    local expected
    expected=$(grep -A4 '"params": {' vectors/porep-2k/meta.json | sed -n 's/.*"sha256": "\(.*\)".*/\1/p')
    ./cuzk setup porep-2KiB --insecure-seed porep-2k --backend cuda -o "$keys" >/dev/null &&
        [ "$(cat "$keys"/*.params | sha256sum | cut -d' ' -f1)" = "$expected" ]
}

proof_equals_bellpersons() {
    ./cuzk prove porep --c1 vectors/porep-2k/c1.json --params "$keys" --allow-dev-key \
        --insecure-seed porep-2k --backend cuda -o "$keys/proof" &&
        cmp "$keys/proof" vectors/porep-2k/proof.bin
}

# H on the coset and C in L, made on the card from the key's points
folded_key_gives_the_same_proof() {
    mkdir -p "$keys/folded" &&
        ./cuzk key prepare "$keys"/*.params --circuit porep-2KiB --fold --backend cuda \
            -o "$keys/folded" &&
        ./cuzk prove porep --c1 vectors/porep-2k/c1.json --params "$keys/folded" --allow-dev-key \
            --insecure-seed porep-2k --backend cuda -o "$keys/folded/proof" &&
        cmp "$keys/folded/proof" vectors/porep-2k/proof.bin
}

# a tool that does not come to an end has failed
sanitized() {
    timeout 600 compute-sanitizer --tool "$1" --error-exitcode 9 "${@:2}" >/dev/null 2>&1
}

./cuzk info
run ./gpu_field_bls12_381
run ./gpu_field_bn254
for tests in matrices sums setup key_transforms memory faults transforms; do
    run ./gpu_tests "$tests"
done
run key_equals_bellpersons
run proof_equals_bellpersons
run folded_key_gives_the_same_proof
run ./gpu_tests forms "$keys" vectors/porep-2k/c1.json vectors/porep-2k/proof.bin # one key more
# whole jobs, verified from their bytes; 100 proofs, each beside the making of the next one's witness
for circuit in porep-2KiB winning-2KiB update-2KiB update-32KiB; do
    run ./cuzk bench "$circuit" --backend cuda
done
run ./cuzk bench window-2KiB --partitions 100 --backend cuda
if [ "${SANITIZE:-0}" = 1 ]; then
    for tool in memcheck racecheck initcheck synccheck; do
        for tests in matrices sums setup key_transforms; do
            run sanitized "$tool" ./gpu_tests "$tests" tiny
        done
        run sanitized "$tool" ./gpu_tests transforms root_of_5
        run sanitized "$tool" ./cuzk bench window-2KiB --partitions 3 --backend cuda
    done
fi
echo "gpu-check: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
