#include "format/json_sax.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

namespace
{

/* RapidJSON's view of a byte source. The end is '\0' to it, and so is every failure. */
class Stream
{
  public:
    typedef char Ch;

    Stream(struct byte_source *source, uint8_t *buffer, size_t room)
        : source_(source), buffer_(buffer), room_(room)
    {
        fill();
    }
    Ch Peek() const
    {
        return at_ < n_ ? (Ch)buffer_[at_] : '\0';
    }
    Ch Take()
    {
        Ch c = Peek();

        if (at_ < n_ && ++at_ == n_)
            fill();
        return c;
    }
    size_t Tell() const
    {
        return offset_ + at_;
    }
    /* In-situ parsing and output: not for a source. */
    Ch *PutBegin()
    {
        return nullptr;
    }
    void Put(Ch)
    {
    }
    size_t PutEnd(Ch *)
    {
        return 0;
    }

    /* A token ends here. */
    void mark()
    {
        token_ = Tell();
    }
    bool at_end() const
    {
        return at_ == n_;
    }

    enum cuzk_status status = CUZK_OK;
    struct cuzk_error error = {};

  private:
    void fill()
    {
        offset_ += n_;
        at_ = n_ = 0;
        if (status != CUZK_OK)
            return;
        if (offset_ - token_ > SAX_TOKEN_MAX)
            status = error_set(&error, CUZK_BAD_INPUT,
                               "offset %zu: a string or a run of blanks of more than %d bytes",
                               token_, SAX_TOKEN_MAX);
        else
            status = source_->read(source_, buffer_, room_, &n_, &error);
        if (status != CUZK_OK)
            n_ = 0;
    }

    struct byte_source *source_;
    uint8_t *buffer_;
    size_t room_, offset_ = 0, at_ = 0, n_ = 0, token_ = 0;
};

/* Passes events on, counts the depth. A false return ends RapidJSON's loop. */
class Handler
{
  public:
    Handler(Stream &stream, unsigned depth_max, sax_fn *handle, void *ctx)
        : stream_(stream), depth_max_(depth_max), handle_(handle), ctx_(ctx)
    {
    }
    bool Null()
    {
        return plain(SAX_NULL);
    }
    bool Bool(bool value)
    {
        return plain(value ? SAX_TRUE : SAX_FALSE);
    }
    bool Uint(unsigned value)
    {
        return integer(value);
    }
    bool Uint64(uint64_t value)
    {
        return integer(value);
    }
    bool Int(int) /* RapidJSON calls this for negative numbers only */
    {
        return plain(SAX_NUMBER);
    }
    bool Int64(int64_t)
    {
        return plain(SAX_NUMBER);
    }
    bool Double(double)
    {
        return plain(SAX_NUMBER);
    }
    bool RawNumber(const char *, rapidjson::SizeType, bool)
    {
        return plain(SAX_NUMBER);
    }
    bool String(const char *text, rapidjson::SizeType n, bool)
    {
        return textual(SAX_STRING, text, n);
    }
    bool Key(const char *text, rapidjson::SizeType n, bool)
    {
        return textual(SAX_KEY, text, n);
    }
    bool StartObject()
    {
        return enter() && plain(SAX_OBJECT_BEGIN);
    }
    bool EndObject(rapidjson::SizeType)
    {
        depth_--;
        return plain(SAX_OBJECT_END);
    }
    bool StartArray()
    {
        return enter() && plain(SAX_ARRAY_BEGIN);
    }
    bool EndArray(rapidjson::SizeType)
    {
        depth_--;
        return plain(SAX_ARRAY_END);
    }

    enum cuzk_status status = CUZK_OK;
    struct cuzk_error error = {};

  private:
    bool pass(struct sax_event &event)
    {
        stream_.mark();
        event.offset = stream_.Tell();
        status = handle_(ctx_, &event, &error);
        return status == CUZK_OK;
    }
    bool plain(enum sax_kind kind)
    {
        struct sax_event event = {};

        event.kind = kind;
        return pass(event);
    }
    bool integer(uint64_t value)
    {
        struct sax_event event = {};

        event.kind = SAX_UINT;
        event.number = value;
        return pass(event);
    }
    bool textual(enum sax_kind kind, const char *text, size_t n)
    {
        struct sax_event event = {};

        event.kind = kind;
        event.text = text;
        event.n = n;
        return pass(event);
    }
    bool enter()
    {
        if (++depth_ <= depth_max_)
            return true;
        status = error_set(&error, CUZK_BAD_INPUT, "offset %zu: nested deeper than %u",
                           stream_.Tell(), depth_max_);
        return false;
    }

    Stream &stream_;
    unsigned depth_ = 0, depth_max_;
    sax_fn *handle_;
    void *ctx_;
};

/* RapidJSON's stack: one fixed piece. */
class FixedStack
{
  public:
    explicit FixedStack(uint8_t *base = nullptr) : base_(base)
    {
    }
    void *Malloc(size_t n)
    {
        return n <= SAX_STACK_BYTES ? base_ : nullptr;
    }
    void *Realloc(void *, size_t, size_t n)
    {
        return Malloc(n);
    }
    static void Free(void *)
    {
    }

  private:
    uint8_t *base_;
};

} // namespace

enum cuzk_status json_sax(struct byte_source *source, unsigned depth_max, void *room,
                          sax_fn *handle, void *ctx, struct cuzk_error *err)
{
    using namespace rapidjson;
    uint8_t *buffer = static_cast<uint8_t *>(room);
    FixedStack memory(buffer + SAX_BUFFER_BYTES);
    Stream stream(source, buffer, SAX_BUFFER_BYTES);
    Handler handler(stream, depth_max, handle, ctx);
    GenericReader<UTF8<>, UTF8<>, FixedStack> reader(&memory);
    ParseResult result =
        reader.Parse<kParseIterativeFlag | kParseValidateEncodingFlag | kParseStopWhenDoneFlag>(
            stream, handler);

    if (stream.status != CUZK_OK)
        return error_set(err, stream.status, "%s", stream.error.message);
    if (handler.status != CUZK_OK)
        return error_set(err, handler.status, "%s", handler.error.message);
    if (result.IsError())
        return error_set(err, CUZK_BAD_INPUT, "offset %zu: not JSON: %s", result.Offset(),
                         GetParseError_En(result.Code()));
    SkipWhitespace(stream);
    if (stream.status != CUZK_OK)
        return error_set(err, stream.status, "%s", stream.error.message);
    if (!stream.at_end())
        return error_set(err, CUZK_BAD_INPUT, "offset %zu: expected the end, found more",
                         stream.Tell());
    return CUZK_OK;
}

const char *sax_kind_name(enum sax_kind kind)
{
    static const char *const names[] = {
        "null",
        "false",
        "true",
        "an integer",
        "a number that is no integer >= 0",
        "a string",
        "a key",
        "an object",
        "the end of an object",
        "an array",
        "the end of an array",
    };

    return names[kind];
}
