#include "support/satisfied.h"

#include "circuit/fr.h"
#include "support/testing.h"

static fr_t load(const uint64_t *plain)
{
    fr_t value;

    memcpy(value.l, plain, sizeof value.l);
    fr_from_plain(&value, &value);
    return value;
}

static fr_t evaluate(struct r1cs_rows *rows, const struct r1cs_row *side, unsigned matrix,
                     const struct witness *witness)
{
    fr_t sum = fr_zero;

    for (size_t i = 0; i < side->n; i++) {
        const var_t var = side->var[i];
        fr_t product = load(r1cs_rows_coef(rows, matrix, side->coef[i])), value;
        uint64_t plain[4];

        witness_value(plain, witness, (var & VAR_INPUT) != 0, var & ~VAR_INPUT);
        value = load(plain);
        fr_mul(&product, &product, &value);
        fr_add(&sum, &sum, &product);
    }
    return sum;
}

void assert_satisfied(const struct r1cs *cs, const struct witness *witness)
{
    struct r1cs_rows *rows;

    assert_int_equal(r1cs_rows_new(&rows, cs, NULL), CUZK_OK);
    for (uint64_t row = 0; row < cs->n_constraints; row++) {
        struct r1cs_row sides[3];
        fr_t value[3];
        bool more;

        assert_int_equal(r1cs_rows_next(rows, sides, &more, NULL), CUZK_OK);
        assert_true(more);
        for (unsigned matrix = 0; matrix < 3; matrix++)
            value[matrix] = evaluate(rows, &sides[matrix], matrix, witness);
        fr_mul(&value[0], &value[0], &value[1]);
        if (!fr_eq(&value[0], &value[2]))
            fail_msg("row %llu is not satisfied", (unsigned long long)row);
    }
    r1cs_rows_free(rows);
}
