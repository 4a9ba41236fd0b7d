#!/usr/bin/env bash
# The README's first command: a development key for the 2 KiB PoRep circuit (made once), a proof of
# the C1 in tests/vectors, and its verification.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cuzk=build/cuzk
folder=${CUZK_DEMO_DIR:-build/demo}
c1=tests/vectors/filecoin/porep-2k/c1.json
mkdir -p "$folder"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

if ! compgen -G "$folder/dev-v28-stacked-*.params" >/dev/null; then
    say "A development key for porep-2KiB (once; 1.1 GB)"
    "$cuzk" setup porep-2KiB --insecure-seed porep-2k -o "$folder"
fi
say "A proof for the C1 of one 2 KiB sector"
"$cuzk" prove porep --c1 "$c1" --params "$folder" --allow-dev-key -o "$folder/proof.bin" "$@"
say "Verification, from the C1's public values alone"
"$cuzk" verify porep --c1 "$c1" --params "$folder" --allow-dev-key --proof "$folder/proof.bin"
