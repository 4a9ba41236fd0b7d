/* Joining names in templates: TEMPLATE_JOIN(fp, mul) is fp_mul after its arguments are expanded. */
#ifndef FIELD_TEMPLATE_H
#define FIELD_TEMPLATE_H

#define TEMPLATE_JOIN_(a, b) a##_##b
#define TEMPLATE_JOIN(a, b) TEMPLATE_JOIN_(a, b)

#endif
