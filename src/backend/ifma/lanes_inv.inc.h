/* Eight inverses for one: the template.
 *
 * Parameter, kept: FIELD, fp, fr or fp2, with <FIELD>_lanes_inv_each, _exchange, _first and _all.
 * Name defined: <FIELD>_lanes_inv.
 *
 * Lanes are multiplied with their neighbours at distance 1, 2 and 4; then every lane holds the
 * product of all, and beside it the product of the other seven: six products in lanes and one
 * scalar inverse. (Fp381 on a busy Ice Lake: 3.4 us; eight conversions and Montgomery's trick on
 * scalars 4.3.) */
#define F(name) TEMPLATE_JOIN(FIELD, name)

/* out = 1 / a, a < 2p, or below 4p where the words of a scalar hold that, as on base fields; lanes
 * of zero stay zero and are returned. */
static inline __mmask8 F(lanes_inv)(F(lanes_t) * out, const F(lanes_t) * a)
{
    F(lanes_t) product = *a, others, neighbour;
    F(t) all;

    F(lanes_exchange)(&others, a, 1);
    F(lanes_mul)(&product, &product, &others);
    for (unsigned distance = 2; distance < LANES; distance *= 2) {
        F(lanes_exchange)(&neighbour, &product, distance);
        F(lanes_mul)(&others, &others, &neighbour);
        F(lanes_mul)(&product, &product, &neighbour);
    }
    F(lanes_first)(&all, &product);
    if (F(is_zero)(&all))
        return F(lanes_inv_each)(out, a);
    F(inv)(&all, &all);
    F(lanes_all)(&product, &all);
    F(lanes_mul)(out, &others, &product);
    return 0;
}

#undef F
