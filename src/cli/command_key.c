/* cuzk key info FILE, cuzk key verify FILE, cuzk key prepare FILE. */
#include <string.h>

#include "cli/cli.h"
#include "engine/inspect.h"
#include "engine/key_check.h"
#include "engine/key_prepare.h"

struct arguments {
    struct engine_arguments engine;
    struct key_check check;
    struct key_prepare prepare;
    const char *verb;
    bool json;
};

static error_t take_word(struct arguments *a, char *word, struct argp_state *state)
{
    if (!a->verb) {
        if (strcmp(word, "info") != 0 && strcmp(word, "verify") != 0 &&
            strcmp(word, "prepare") != 0)
            argp_error(state, "info, verify or prepare, not '%s'", word);
        a->verb = word;
    } else if (!a->check.path) {
        a->check.path = word;
    } else {
        argp_error(state, "one file at a time, found '%s'", word);
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->engine; return 0;
    case 'd': a->check.deep = true; return 0;
    case 'p': a->check.digests = arg; return 0;
    case 'c': a->prepare.circuit = arg; return 0;
    case 'o': a->prepare.folder = arg; return 0;
    case 'f': a->prepare.fold = true; return 0;
    case 'j': a->json = true; return 0;
    case ARGP_KEY_ARG: return take_word(a, arg, state);
    case ARGP_KEY_END:
        if (!a->check.path)
            argp_error(state, "which file? `cuzk key info|verify|prepare FILE`");
        if (strcmp(a->verb, "prepare") != 0 &&
            (a->prepare.circuit || a->prepare.folder || a->prepare.fold))
            argp_error(state, "--circuit, --output and --fold are for `cuzk key prepare`");
        if (strcmp(a->verb, "info") == 0 && a->check.digests)
            argp_error(state, "--parameters is for `cuzk key verify` and `cuzk key prepare`");
        if (strcmp(a->verb, "verify") != 0 && a->check.deep)
            argp_error(state, "--deep is for `cuzk key verify`; prepare checks everything anyway");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum cuzk_status answer(struct engine *engine, const void *arguments, struct report *report,
                               struct cuzk_error *err)
{
    const struct arguments *a = arguments;
    struct key_prepare prepare = a->prepare;

    if (strcmp(a->verb, "info") == 0)
        return inspect_file(engine, a->check.path, report, err);
    if (strcmp(a->verb, "verify") == 0)
        return key_check(engine, &a->check, report, err);
    prepare.path = a->check.path;
    prepare.digests = a->check.digests;
    return key_prepare(engine, &prepare, report, err);
}

int command_key(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"deep", 'd', 0, 0,
         "verify: every point is in the subgroup, too (about 4 us a point); of a prepared key also "
         "checksums, points and the circuit's digests",
         0},
        {"parameters", 'p', "FILE", 0,
         "verify, prepare: the parameters.json to compare with; default the one beside the key", 0},
        {"circuit", 'c', "NAME", 0, "prepare: of a key without an official file name", 0},
        {"output", 'o', "DIR", 0, "prepare: where to write <name>.cuzk; default beside the key", 0},
        {"fold", 'f', 0, 0,
         "prepare: in the basis that proofs are made from fastest: H on the coset, C folded into "
         "L; "
         "a transform that wants a card (a 32 GiB PoRep key: some 12 minutes)",
         0},
        {"json", 'j', 0, 0, "answer in JSON", 0},
        {0},
    };
    static const struct argp_child children[] = {{&cli_engine_argp, 0, 0, 3}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "info FILE\nverify FILE\nprepare FILE",
                                     "Counts and digests of a key file; a check of all its points "
                                     "and of its digest; or the same key in the form that proofs "
                                     "start from at once, checked while it is written. Exit code "
                                     "1: another digest, or a point outside the subgroup.",
                                     children,
                                     0,
                                     0};
    struct arguments a = {0};
    int code = cli_parse(&argp, argc, argv, &a);

    return code ? code : cli_report(&a.engine, a.json, answer, &a);
}
