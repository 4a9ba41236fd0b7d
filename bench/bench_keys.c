/* Opening prepared keys: header, table and verifying key are read and checked, points are not. So
 * the keys here have the lengths of real ones (47 GB for a 32 GiB PoRep) and holes for points: a
 * sparse file, which takes a few pages of disk. To reach: 50 ms.
 *
 * Opened again and again, the few pages that matter are in the page cache; "first" is the time when
 * they have just been written. Arguments: circuits, instead of one of each kind. */
#include "bench.h"

#include <unistd.h>

#include "filecoin/circuit.h"
#include "format/bellperson.h"
#include "format/params_writer.h"
#include "format/prepared_key.h"
#include "groth16/qap.h"

/* ---- a key without points -------------------------------------------------------------------- */

/* A verifying key of generators, as the bytes of its file. */
static void make_vk(struct file_map *ret, const char *path, size_t n_inputs)
{
    const struct curve *curve = &curve_bls12_381;
    struct verifying_key vk;
    struct cuzk_error err;
    struct out_file out;

    bench_must(verifying_key_init(&vk, curve, n_inputs, NULL, &err), &err);
    vk.alpha_g1 = vk.beta_g1 = vk.delta_g1 = curve->g1_generator;
    vk.beta_g2 = vk.gamma_g2 = vk.delta_g2 = curve->g2_generator;
    for (size_t i = 0; i < n_inputs; i++)
        memcpy(vk.ic.base + i * curve->g1_bytes, &curve->g1_generator, curve->g1_bytes);
    bench_must(out_open(&out, path, &err), &err);
    bench_must(vk_write(&out, &vk, &err), &err);
    bench_must(out_commit(&out, &err), &err);
    bench_must(file_map(ret, path, &err), &err);
    verifying_key_done(&vk);
}

static void fill_header(struct prepared_header *h, const char *name)
{
    struct circuit_name circuit;
    struct cuzk_error err;
    struct qap qap;
    struct r1cs cs;

    bench_must(circuit_name_parse(&circuit, name, &err), &err);
    bench_must(circuit_record(&cs, circuit, NULL, &err), &err);
    bench_must(qap_init(&qap, &cs, NULL, &err), &err);
    *h = (struct prepared_header){.curve = cs.curve,
                                  .domain_generator = 7,
                                  .lg_domain = qap.lg_domain,
                                  .h_basis = H_POWERS,
                                  .n_inputs = cs.n_inputs,
                                  .n_aux = cs.n_aux,
                                  .circuit = {.known = true}};
    snprintf(h->circuit.name, sizeof h->circuit.name, "%s", name);
    h->section[PREPARED_VK].n = vk_bytes(cs.curve, cs.n_inputs);
    for (enum key_query q = QUERY_H; q < KEY_N_QUERIES; q++)
        h->section[PREPARED_QUERIES + q].n = key_query_outline(&qap, H_POWERS, q).points.n;
    prepared_lay_out(h);
    qap_done(&qap);
    r1cs_done(&cs);
}

static void write_key(const char *path, struct prepared_header *h, const struct file_map *vk)
{
    uint8_t page[PREPARED_PAGE];
    struct section_sum sum;
    struct cuzk_error err;
    struct out_file out;

    bench_must(section_sum_new(&sum, &err), &err);
    section_sum_add(&sum, vk->data, vk->bytes, NULL);
    section_sum_final(&sum, h->section[PREPARED_VK].checksum);
    section_sum_free(&sum);
    prepared_header_encode(page, h);
    bench_must(out_open(&out, path, &err), &err);
    bench_must(out_write(&out, page, sizeof page, &err), &err);
    bench_must(out_seek(&out, h->section[PREPARED_VK].offset, &err), &err);
    bench_must(out_write(&out, vk->data, vk->bytes, &err), &err);
    bench_must(out_seek(&out, h->file_bytes - 1, &err), &err);
    bench_must(out_write(&out, "", 1, &err), &err);
    bench_must(out_commit(&out, &err), &err);
}

/* ---- what is measured ------------------------------------------------------------------------ */

struct opening {
    const char *path;
    struct pool *pool;
};

static void open_and_close(void *ctx)
{
    const struct opening *o = ctx;
    struct proving_key key;
    struct cuzk_error err;

    bench_must(prepared_key_open(&key, NULL, o->path, &curve_bls12_381, o->pool, NULL, &err), &err);
    proving_key_done(&key);
}

static void bench_circuit(const char *name)
{
    char folder[] = "/tmp/bench-keys-XXXXXX", vk_path[64], path[64], title[160];
    struct opening opening = {.path = path};
    struct prepared_header header;
    struct cuzk_error err;
    struct file_map vk;
    double first;

    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    snprintf(vk_path, sizeof vk_path, "%s/key.vk", folder);
    snprintf(path, sizeof path, "%s/key.cuzk", folder);
    fill_header(&header, name);
    make_vk(&vk, vk_path, header.n_inputs);
    write_key(path, &header, &vk);
    bench_must(pool_new(&opening.pool, 0, &err), &err);
    first = bench_time(open_and_close, &opening);
    snprintf(title, sizeof title,
             "open-prepared BLS12-381 %s %.1f GB, %llu inputs, %u threads, first %.2f ms,", name,
             (double)header.file_bytes / 1e9, (unsigned long long)header.n_inputs,
             pool_size(opening.pool), 1e3 * first);
    bench_run(&(struct bench){.title = title,
                              .rounds = 11,
                              .units_per_second = 1e3,
                              .unit = "ms",
                              .ours = open_and_close,
                              .ours_ctx = &opening});
    pool_free(opening.pool);
    file_unmap(&vk);
    unlink(vk_path);
    unlink(path);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"porep", "winning", "window", "update"};
    char name[32];

    for (int i = 1; i < argc; i++)
        bench_circuit(argv[i]);
    for (int i = 0; i < 4 && argc == 1; i++) {
        snprintf(name, sizeof name, "%s-%s", kinds[i], bench_smoke() ? "2KiB" : "32GiB");
        bench_circuit(name);
    }
    return 0;
}
