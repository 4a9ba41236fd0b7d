#include "daemon/assets.h"

#include <string.h>

/* asset_bytes.S */
extern const uint8_t asset_page[], asset_page_end[], asset_style[], asset_style_end[],
    asset_script[], asset_script_end[], asset_uplot[], asset_uplot_end[], asset_uplot_style[],
    asset_uplot_style_end[];

#define ASSET(name) asset_##name, (size_t)(asset_##name##_end - asset_##name)

bool asset_find(struct asset *ret, const char *path)
{
    static const char style[] = "text/css; charset=utf-8";
    static const char script[] = "text/javascript; charset=utf-8";
    const struct asset assets[] = {
        {"/", "text/html; charset=utf-8", ASSET(page)}, {"/style.css", style, ASSET(style)},
        {"/script.js", script, ASSET(script)},          {"/uplot.js", script, ASSET(uplot)},
        {"/uplot.css", style, ASSET(uplot_style)},
    };

    for (size_t i = 0; i < sizeof assets / sizeof assets[0]; i++)
        if (strcmp(path, assets[i].path) == 0) {
            *ret = assets[i];
            return true;
        }
    return false;
}
