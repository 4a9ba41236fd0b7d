/* Any text as a configuration: refused with one sentence, or read; what was read is printed and
 * reads back to the same. */
#include <stdlib.h>
#include <string.h>

#include "daemon/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config config, again;
    static char text[1 << 16];
    struct cuzk_error err = {0};
    FILE *out;
    long n;

    config_defaults(&config);
    if (config_read_text(&config, (const char *)data, size, "fuzz.toml", &err) != CUZK_OK) {
        if (!err.message[0])
            abort();
        return 0;
    }
    (void)!config_check(&config, &err);
    out = fmemopen(text, sizeof text, "w");
    config_print(&config, out, "fuzz.toml");
    n = ftell(out);
    fclose(out);
    config_defaults(&again);
    if (config_read_text(&again, text, (size_t)n, "printed.toml", &err) != CUZK_OK ||
        memcmp(&config, &again, offsetof(struct config, origin)) != 0)
        abort();
    return 0;
}
