/* Keeps the support library from being empty. */
extern int cuzk_test_support;
int cuzk_test_support = 1;
