/* What this machine and this build can do, for `cuzk info`. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include "engine/report.h"

/* version; processors of the machine, those we may run on, the quota of our control groups and the
 * threads that follow from these; processor features; one line a back end: "available (...)" or why
 * not. */
void machine_report(struct report *report);

#endif
