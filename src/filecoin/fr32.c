#include "filecoin/fr32.h"

#include <string.h>

/* A unit is four elements; element i takes the 254 bits that begin at bit 254 i = 256 i - 2 i, so
 * its bytes are those of the data from 32 i, moved up by 2 i bits. */
void fr32_pad(uint8_t *out, const uint8_t *data, size_t n_units)
{
    for (; n_units > 0; n_units--, data += FR32_UNPADDED_UNIT, out += FR32_PADDED_UNIT) {
        memcpy(out, data, 32);
        out[31] &= 0x3f;
        for (unsigned i = 1; i < 4; i++) {
            const uint8_t *from = data + 32 * i;

            for (unsigned j = 0; j < 32; j++) {
                const unsigned above = 32 * i + j < FR32_UNPADDED_UNIT ? from[j] : 0;

                out[32 * i + j] = (uint8_t)(above << (2 * i) | from[(int)j - 1] >> (8 - 2 * i));
            }
            out[32 * i + 31] &= 0x3f;
        }
    }
}

void fr32_unpad(uint8_t *out, const uint8_t *padded, size_t n_units)
{
    for (; n_units > 0; n_units--, padded += FR32_PADDED_UNIT, out += FR32_UNPADDED_UNIT) {
        memset(out, 0, FR32_UNPADDED_UNIT);
        for (unsigned i = 0; i < 4; i++)
            for (unsigned j = 0; j < 32; j++) {
                const unsigned byte = padded[32 * i + j] & (j == 31 ? 0x3fu : 0xffu);

                if (32 * i + j < FR32_UNPADDED_UNIT)
                    out[32 * i + j] |= (uint8_t)(byte >> (2 * i));
                if (32 * i + j > 0)
                    out[32 * i + j - 1] |= (uint8_t)(byte << (8 - 2 * i));
            }
    }
}
