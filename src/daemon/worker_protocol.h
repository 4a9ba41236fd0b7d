/* What the daemon and a worker process say to each other: one struct a message over a pair of
 * SOCK_SEQPACKET sockets between two processes of one program, so plain host layout.
 *
 *     daemon ── order ──► worker        prove (with the payload's descriptor), load, evict, plan;
 *                                       at any time: cancel, pause, resume
 *     daemon ◄── note ─── worker        hello once; stages, used bytes, partitions as they come;
 *                                       one `end` for every order of the first four
 *
 * A worker does one order after the other. It ends when the socket does. */
#ifndef DAEMON_WORKER_PROTOCOL_H
#define DAEMON_WORKER_PROTOCOL_H

#include "daemon/payload.h"
#include "engine/circuit_job.h"
#include "engine/proof_job.h"

enum { WORKER_CIRCUIT = 32, WORKER_KEYS_MAX = 8, CARDS_MAX = 16 };

enum order_kind {
    ORDER_PROVE,
    ORDER_LOAD,  /* make circuit and key resident */
    ORDER_EVICT, /* forget them */
    ORDER_PLAN,  /* record the circuit and tell what a proof takes */
    ORDER_CANCEL,
    ORDER_PAUSE, /* no grain of work begins until RESUME */
    ORDER_RESUME,
};

struct order {
    enum order_kind kind;
    uint32_t number; /* told again in the notes; CANCEL: of the order that is meant */
    uint64_t budget; /* host bytes that the worker may hold in all while it does this */
    uint64_t device; /* prove, load: bytes of its card for this circuit; 0: it has no card */
    char circuit[WORKER_CIRCUIT];      /* load, evict, plan */
    bool skip[PAYLOAD_PARTITIONS_MAX]; /* prove: partition first + i is stored already */
};

enum note_kind { NOTE_HELLO, NOTE_STAGE, NOTE_PARTITION, NOTE_END };

struct note_hello {
    char backend[16], device[64]; /* device: the card's name; "" on a processor */
    uint64_t device_total, device_free;
    uint64_t device_room;   /* of the free bytes, what arenas may take */
    struct card_bytes device_urgent; /* what the largest WinningPoSt takes */
};
struct note_stage {
    struct stage stage; /* as engine.h has it: begun, or ended */
    uint64_t class_now[MEM_N_CLASSES];
};
struct note_partition {
    uint32_t k;
    uint8_t proof[PARTITION_PROOF_BYTES];
};
struct note_end {
    enum cuzk_status status;
    char sentence[512];
    uint64_t resident_bytes; /* prove, load: of this circuit; evict: that were freed */
    uint64_t file_bytes;     /* prove, load: mapped of the key file */
    uint64_t key_ms, synthesis_ms, compute_ms;
    struct job_plan plan;
};

struct note {
    enum note_kind kind;
    uint32_t number; /* 0: hello */
    union {
        struct note_hello hello;
        struct note_stage stage;
        struct note_partition partition;
        struct note_end end;
    } of;
};

#endif
