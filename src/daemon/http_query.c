#include "daemon/http_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hex.h"

bool query_number(const char *text, uint64_t max, uint64_t *ret)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *ret = strtoul(text, &end, 10);
    return errno == 0 && *end == 0 && *ret <= max;
}

static bool read_kind(const char *text, enum job_kind *ret)
{
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++)
        if (strcmp(text, job_kind_name(kind)) == 0) {
            *ret = kind;
            return true;
        }
    return false;
}

static bool read_priority(const char *text, enum job_priority *ret)
{
    for (enum job_priority priority = PRIORITY_LOW; priority < N_PRIORITIES; priority++)
        if (strcasecmp(text, job_priority_name(priority)) == 0) {
            *ret = priority;
            return true;
        }
    return false;
}

/* "10,20,30": the body is that many vanilla proofs, of so many bytes. Said once. */
static bool read_lengths(struct job_request *request, const char *text)
{
    uint64_t offset = 0, n;
    char number[24];

    if (job_request_n_ranges(request) > 0)
        return false;
    while (*text) {
        size_t digits = strcspn(text, ",");

        if (digits >= sizeof number)
            return false;
        snprintf(number, sizeof number, "%.*s", (int)digits, text);
        if (!query_number(number, UINT32_MAX, &n) || n == 0 ||
            job_request_add_range(request, (struct job_range){offset, n}, NULL) != CUZK_OK)
            return false;
        offset += n;
        text += digits + (text[digits] == ',');
    }
    return offset > 0;
}

static bool read_commitment(const char *text, uint8_t out[32], uint8_t *ret_n)
{
    *ret_n = 32;
    return hex_decode(out, 32, text);
}

bool query_take_field(struct job_request *r, const char *name, const char *text, bool *ret_known)
{
    uint64_t number = 0;

    *ret_known = true;
    if (strcmp(name, "request_id") == 0)
        return (size_t)snprintf(r->request_id, sizeof r->request_id, "%s", text) <
               sizeof r->request_id;
    if (strcmp(name, "kind") == 0)
        return read_kind(text, &r->kind);
    if (strcmp(name, "priority") == 0)
        return read_priority(text, &r->priority);
    if (strcmp(name, "deadline_ms") == 0)
        return query_number(text, UINT64_MAX, &r->deadline_ms);
    if (strcmp(name, "sector_size") == 0)
        return query_number(text, UINT64_MAX, &r->sector_size);
    if (strcmp(name, "registered_proof") == 0)
        return query_number(text, UINT64_MAX, &r->registered_proof);
    if (strcmp(name, "sector_number") == 0)
        return query_number(text, UINT64_MAX, &r->sector_number);
    if (strcmp(name, "miner_id") == 0)
        return query_number(text, UINT64_MAX, &r->miner_id);
    if (strcmp(name, "partition_index") == 0) {
        r->has_partition = query_number(text, UINT32_MAX, &number);
        r->partition_index = (uint32_t)number;
        return r->has_partition;
    }
    if (strcmp(name, "randomness") == 0)
        return read_commitment(text, r->randomness, &r->n_randomness);
    if (strcmp(name, "comm_r_old") == 0)
        return read_commitment(text, r->comm_r_old, &r->n_comm_r_old);
    if (strcmp(name, "comm_r_new") == 0)
        return read_commitment(text, r->comm_r_new, &r->n_comm_r_new);
    if (strcmp(name, "comm_d_new") == 0)
        return read_commitment(text, r->comm_d_new, &r->n_comm_d_new);
    if (strcmp(name, "lengths") == 0)
        return read_lengths(r, text);
    *ret_known = false;
    return false;
}
