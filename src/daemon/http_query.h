/* The fields of a request for a proof as query parameters (http_api.h lists them). */
#ifndef DAEMON_HTTP_QUERY_H
#define DAEMON_HTTP_QUERY_H

#include "engine/job.h"

/* Decimal digits and nothing else, up to max. */
bool query_number(const char *text, uint64_t max, uint64_t *ret);

/* Takes one field; false: there is no such field (*ret_known is false then), or the value is none
 * of it. `lengths` adds ranges, which job_request_done frees. */
bool query_take_field(struct job_request *request, const char *name, const char *text,
                      bool *ret_known);

#endif
