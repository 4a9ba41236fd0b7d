/* What this machine and this build can do, for `cuzk info`. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include "engine/report.h"

/* version, processor features, one line a back end: "available (...)" or why not. */
void machine_report(struct report *report);

#endif
