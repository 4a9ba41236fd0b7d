/* The messages of both versions are the same, and so are those of proto/reflection_*.proto. A
 * FileDescriptorProto names itself in field 1, its package in 2, messages in 4, enums in 5 and
 * services in 6; each of these its name in field 1 (descriptor.proto). */
#include "daemon/service_reflection.h"

#include <pb_decode.h>
#include <pb_encode.h>
#include <string.h>

#include "base/mem.h"

extern const uint8_t descriptor_bytes[], descriptor_bytes_end[];

struct service_reflection {
    struct rpc *rpc;
    struct rpc_service v1, v1alpha;
};

/* A stretch of bytes: of the descriptors, or of a request. */
struct span {
    const uint8_t *bytes;
    size_t n;
};

enum {
    SET_FILE = 1,
    FILE_NAME = 1,
    FILE_PACKAGE = 2,
    FILE_MESSAGE = 4,
    FILE_ENUM = 5,
    FILE_SERVICE = 6,
    NAME = 1,

    REQUEST_FILE_BY_NAME = 3,
    REQUEST_SYMBOL = 4,
    REQUEST_EXTENSION = 5,
    REQUEST_EXTENSION_NUMBERS = 6,
    REQUEST_LIST = 7,

    RESPONSE_HOST = 1,
    RESPONSE_REQUEST = 2,
    RESPONSE_FILES = 4,
    RESPONSE_LIST = 6,
    RESPONSE_ERROR = 7,

    ERROR_CODE = 1,
    ERROR_MESSAGE = 2,
};

/* ---- walking --------------------------------------------------------------------------------- */

/* The next field at the head of *rest; of a field that is no string only the tag is told. False:
 * the end
 * (*rest is empty) or bytes that are no message (it is not). */
static bool next_field(struct span *rest, uint32_t *tag, struct span *value)
{
    pb_istream_t stream = pb_istream_from_buffer(rest->bytes, rest->n);
    pb_wire_type_t type;
    uint32_t n;
    bool eof;

    if (!pb_decode_tag(&stream, &type, tag, &eof))
        return false;
    *value = (struct span){0};
    if (type == PB_WT_STRING) {
        if (!pb_decode_varint32(&stream, &n) || n > stream.bytes_left)
            return false;
        *value = (struct span){rest->bytes + (rest->n - stream.bytes_left), n};
        rest->bytes = value->bytes + n;
        rest->n = stream.bytes_left - n;
        return true;
    }
    if (!pb_skip_field(&stream, type))
        return false;
    rest->bytes += rest->n - stream.bytes_left;
    rest->n = stream.bytes_left;
    return true;
}

static struct span field(struct span message, uint32_t wanted)
{
    struct span value;
    uint32_t tag;

    while (next_field(&message, &tag, &value))
        if (tag == wanted)
            return value;
    return (struct span){0};
}

static bool equal(struct span a, struct span b)
{
    return a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Is `symbol` the name of something in the file, or of something within that
 * ("package.Service.Method")? */
static bool file_has(struct span file, struct span symbol)
{
    struct span package = field(file, FILE_PACKAGE), value;
    uint32_t tag;

    if (symbol.n <= package.n || memcmp(symbol.bytes, package.bytes, package.n) != 0 ||
        symbol.bytes[package.n] != '.')
        return false;
    symbol.bytes += package.n + 1;
    symbol.n -= package.n + 1;
    while (next_field(&file, &tag, &value)) {
        struct span name = field(value, NAME);

        if ((tag == FILE_MESSAGE || tag == FILE_ENUM || tag == FILE_SERVICE) &&
            symbol.n >= name.n && memcmp(symbol.bytes, name.bytes, name.n) == 0 &&
            (symbol.n == name.n || symbol.bytes[name.n] == '.'))
            return true;
    }
    return false;
}

/* Our files import nothing, so one file is the whole answer. n 0: there is none. */
static struct span find_file(struct span wanted, bool by_name)
{
    struct span all = {descriptor_bytes, (size_t)(descriptor_bytes_end - descriptor_bytes)}, file;
    uint32_t tag;

    while (next_field(&all, &tag, &file))
        if (tag == SET_FILE &&
            (by_name ? equal(field(file, FILE_NAME), wanted) : file_has(file, wanted)))
            return file;
    return (struct span){0};
}

/* ---- answering ------------------------------------------------------------------------------- */

static bool put(pb_ostream_t *out, uint32_t tag, struct span value)
{
    return pb_encode_tag(out, PB_WT_STRING, tag) && pb_encode_string(out, value.bytes, value.n);
}

static bool put_varint(pb_ostream_t *out, uint32_t tag, uint64_t value)
{
    return pb_encode_tag(out, PB_WT_VARINT, tag) && pb_encode_varint(out, value);
}

static struct span text(const char *text)
{
    return (struct span){(const uint8_t *)text, strlen(text)};
}

/* Each {1: {1: name}}. */
static bool put_services(pb_ostream_t *out, const struct rpc *rpc)
{
    for (const struct rpc_service *s = rpc_services(rpc); s; s = s->next) {
        pb_ostream_t size = PB_OSTREAM_SIZING;

        if (!put(&size, NAME, text(s->name)) || !pb_encode_tag(out, PB_WT_STRING, 1) ||
            !pb_encode_varint(out, size.bytes_written) || !put(out, NAME, text(s->name)))
            return false;
    }
    return true;
}

struct response {
    struct span request;
    const struct rpc *rpc;
    bool lists;
    struct span file; /* n 0: none */
    enum grpc_code code;
    const char *sentence;
};

static bool put_content(pb_ostream_t *out, const struct response *r)
{
    if (r->lists)
        return put_services(out, r->rpc);
    if (r->file.n > 0)
        return put(out, 1, r->file);
    return put_varint(out, ERROR_CODE, r->code) && put(out, ERROR_MESSAGE, text(r->sentence));
}

static bool put_response(pb_ostream_t *out, const struct response *r)
{
    pb_ostream_t size = PB_OSTREAM_SIZING;
    uint32_t tag = r->lists ? RESPONSE_LIST : (r->file.n > 0 ? RESPONSE_FILES : RESPONSE_ERROR);

    return put(out, RESPONSE_HOST, field(r->request, 1)) &&
           put(out, RESPONSE_REQUEST, r->request) && put_content(&size, r) &&
           pb_encode_tag(out, PB_WT_STRING, tag) && pb_encode_varint(out, size.bytes_written) &&
           put_content(out, r);
}

static void look_up(struct response *r)
{
    struct span rest = r->request, value;
    uint32_t tag;

    r->code = GRPC_INVALID_ARGUMENT;
    r->sentence = "nothing is asked";
    while (next_field(&rest, &tag, &value)) {
        if (tag == REQUEST_LIST)
            r->lists = true;
        if (tag == REQUEST_FILE_BY_NAME || tag == REQUEST_SYMBOL) {
            r->file = find_file(value, tag == REQUEST_FILE_BY_NAME);
            r->code = GRPC_NOT_FOUND;
            r->sentence = "there is no such file or symbol";
        }
        if (tag == REQUEST_EXTENSION || tag == REQUEST_EXTENSION_NUMBERS) {
            r->code = GRPC_NOT_FOUND;
            r->sentence = "there are no extensions";
        }
    }
}

static void reflect(void *ctx, struct rpc_call *call, const struct rpc_request *request)
{
    struct service_reflection *service = ctx;
    struct response r = {.request = {request->message, request->n}, .rpc = service->rpc};
    pb_ostream_t size = PB_OSTREAM_SIZING, out;
    uint8_t *bytes;

    if (!request->message) {
        rpc_finish(call, GRPC_OK, NULL);
        return;
    }
    look_up(&r);
    bytes = put_response(&size, &r) ? mem_new(size.bytes_written) : NULL;
    out = pb_ostream_from_buffer(bytes, size.bytes_written);
    if (!bytes || !put_response(&out, &r) || !rpc_send(call, bytes, out.bytes_written))
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory for the answer");
    mem_free(bytes);
}

static const struct rpc_method method_v1[] = {
    {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", RPC_EACH, reflect, NULL},
};
static const struct rpc_method method_v1alpha[] = {
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", RPC_EACH, reflect, NULL},
};

enum cuzk_status service_reflection_new(struct service_reflection **ret, struct rpc *rpc,
                                        struct cuzk_error *err)
{
    struct service_reflection *service = mem_new(sizeof *service);

    if (!service)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the reflection service");
    service->rpc = rpc;
    service->v1 = (struct rpc_service){
        .name = "grpc.reflection.v1.ServerReflection",
        .methods = method_v1,
        .n_methods = 1,
        .ctx = service,
    };
    service->v1alpha = (struct rpc_service){
        .name = "grpc.reflection.v1alpha.ServerReflection",
        .methods = method_v1alpha,
        .n_methods = 1,
        .ctx = service,
    };
    rpc_serve(rpc, &service->v1);
    rpc_serve(rpc, &service->v1alpha);
    *ret = service;
    return CUZK_OK;
}

void service_reflection_free(struct service_reflection *service)
{
    mem_free(service);
}
