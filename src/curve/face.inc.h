/* The one exported object of a curve's unit: struct curve, filled.
 *
 * Parameters: CURVE, and everything of the templates before it (curves/unit.inc.h). */
#define FACE_STRING_(x) #x
#define FACE_STRING(x) FACE_STRING_(x)

const struct curve TEMPLATE_JOIN(curve, CURVE) = {
    .name = FACE_STRING(CURVE),
    .fr_bits = FR_BITS,
    .fp_bits = FP_BITS,
    .two_adicity = FR_TWO_ADICITY,
    .fr_bytes = sizeof(fr_t),
    .fp_bytes = sizeof(fp_t),
    .g1_bytes = sizeof(g1_affine_t),
    .g2_bytes = sizeof(g2_affine_t),
    .fr_modulus = {FR_MODULUS},
    .fr_generator = {{FR_GENERATOR}},
    .g1_generator = {{G1_GENERATOR_PLAIN}},
    .g2_generator = {{G2_GENERATOR_PLAIN}},

    .fr_is_reduced = fr_face_is_reduced,
    .fr_add = fr_face_add,
    .fr_sub = fr_face_sub,
    .fr_mul = fr_face_mul,
    .fr_inv = fr_face_inv,
    .fr_pow = fr_face_pow,
    .fr_root = fr_face_root,
    .fr_sample_ct = fr_face_sample_ct,

    .fr = &fr_kernels,

    .g1_add = g1_face_add,
    .g1_neg = g1_face_neg,
    .g1_mul = g1_face_mul,
    .g1_check = g1_face_check,
    .g1_encode = g1_face_encode,
    .g1_decode = g1_face_decode,
    .g2_add = g2_face_add,
    .g2_neg = g2_face_neg,
    .g2_mul = g2_face_mul,
    .g2_check = g2_face_check,
    .g2_encode = g2_face_encode,
    .g2_decode = g2_face_decode,

    .pairing_is_one = pairing_is_one,
    .pairing_lines_bytes = pairing_face_lines_bytes,
    .pairing_lines = pairing_face_lines,
    .pairing_value_bytes = pairing_face_value_bytes,
    .pairing_value = pairing_face_value,
    .pairing_product_is_one = pairing_product_is_one,

    .g1 = &g1_kernels,
    .g2 = &g2_kernels,
};

#undef FACE_STRING
#undef FACE_STRING_
