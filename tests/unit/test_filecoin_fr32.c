#include "support/testing.h"

#include "filecoin/fr32.h"
#include "support/json.h"
#include "support/vectors.h"

static void test_fr32_padding_equals_upstream(void **state)
{
    struct json *root = json_read(vector_path("filecoin/vanilla/hashes.json"));
    const struct json *fr32 = json_get(root, "fr32");
    uint8_t data[4 * FR32_UNPADDED_UNIT], expected[4 * FR32_PADDED_UNIT], padded[sizeof expected];

    (void)state;
    json_get_hex(fr32, "unpadded", data, sizeof data);
    json_get_hex(fr32, "padded", expected, sizeof expected);
    fr32_pad(padded, data, 4);
    assert_memory_equal(padded, expected, sizeof expected);
    json_free(root);
}

static void test_fr32_unpadding_undoes_padding(void **state)
{
    uint8_t data[8 * FR32_UNPADDED_UNIT], padded[8 * FR32_PADDED_UNIT], back[sizeof data];
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    rng_bytes(&rng, data, sizeof data);
    fr32_pad(padded, data, 8);
    for (size_t i = 31; i < sizeof padded; i += 32)
        assert_int_equal(padded[i] & 0xc0, 0);
    fr32_unpad(back, padded, 8);
    assert_memory_equal(back, data, sizeof data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fr32_padding_equals_upstream),
        cmocka_unit_test(test_fr32_unpadding_undoes_padding),
    };

    return cmocka_run_group_tests_name("filecoin_fr32", tests, NULL, NULL);
}
