/* Time, and time and memory of this process. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

double clock_seconds(void);        /* monotonic wall time */
double clock_unix_seconds(void);   /* since 1970 */
double clock_cpu_seconds(void);    /* user + system time of all threads */
double clock_thread_seconds(void); /* of this one */
size_t memory_anonymous(void);     /* anonymous + shared resident bytes now (/proc/self/status) */
size_t memory_peak(void);          /* highest resident bytes, mapped files included (VmHWM) */

#endif
