/* Fr32: data as field elements. Every 254 bits of the data get two zero bits behind them, so that
 * each 32 bytes are a reduced scalar; 127 bytes become 128. */
#ifndef FILECOIN_FR32_H
#define FILECOIN_FR32_H

#include <stddef.h>
#include <stdint.h>

#define FR32_UNPADDED_UNIT 127u
#define FR32_PADDED_UNIT 128u

/* out: 128 * n_units bytes; data: 127 * n_units. No overlap. */
void fr32_pad(uint8_t *out, const uint8_t *data, size_t n_units);
/* The opposite; the two top bits of each 32 bytes are ignored. */
void fr32_unpad(uint8_t *out, const uint8_t *padded, size_t n_units);

#endif
