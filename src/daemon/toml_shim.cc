/* The only file that sees toml++. Its exceptions end here. */
#include "daemon/toml_shim.h"

#include <cstring>
#include <exception>
#include <string>

#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

namespace
{

struct visitor {
    const char *name;
    toml_value_fn *fn;
    void *ctx;
    cuzk_error *err;

    cuzk_status scalar(const toml::node &node, toml_value &value)
    {
        value.line = node.source().begin.line;
        value.type = TOML_OTHER;
        if (const auto *text = node.as_string()) {
            value.type = TOML_TEXT;
            value.text = text->get().c_str();
            if (std::strlen(value.text) != text->get().size())
                return error_set(err, CUZK_BAD_INPUT, "%s:%u: '%s' holds a zero byte", name,
                                 value.line, value.key);
        } else if (const auto *integer = node.as_integer()) {
            value.type = TOML_INTEGER;
            value.integer = integer->get();
        } else if (const auto *truth = node.as_boolean()) {
            value.type = TOML_BOOL;
            value.truth = truth->get();
        }
        return fn(ctx, &value, err);
    }

    cuzk_status list(const toml::array &array, const std::string &key)
    {
        toml_value value = {};

        value.key = key.c_str();
        value.type = TOML_LIST;
        value.line = array.source().begin.line;
        TRY(fn(ctx, &value, err));
        for (const toml::node &element : array) {
            value = {};
            value.key = key.c_str();
            value.in_list = true;
            TRY(scalar(element, value));
        }
        return CUZK_OK;
    }

    cuzk_status table(const toml::table &members, const std::string &prefix)
    {
        for (auto &&[member, node] : members) {
            std::string key = prefix.empty() ? std::string(member.str())
                                             : prefix + "." + std::string(member.str());
            toml_value value = {};

            value.key = key.c_str();
            if (const auto *inner = node.as_table(); inner && !inner->empty())
                TRY(table(*inner, key));
            else if (inner) {
                value.type = TOML_TABLE;
                value.line = node.source().begin.line;
                TRY(fn(ctx, &value, err));
            } else if (const auto *array = node.as_array())
                TRY(list(*array, key));
            else
                TRY(scalar(node, value));
        }
        return CUZK_OK;
    }
};

} // namespace

extern "C" cuzk_status toml_visit(const char *text, size_t n, const char *name, toml_value_fn *fn,
                                  void *ctx, cuzk_error *err)
{
    try {
        toml::table document = toml::parse(std::string_view(text, n));
        visitor visit = {name, fn, ctx, err};

        return visit.table(document, "");
    } catch (const toml::parse_error &bad) {
        return error_set(err, CUZK_BAD_INPUT, "%s:%u: %s", name, bad.source().begin.line,
                         std::string(bad.description()).c_str());
    } catch (const std::exception &bad) {
        return error_set(err, CUZK_NO_MEMORY, "%s: %s", name, bad.what());
    }
}
