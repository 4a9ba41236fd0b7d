#include "support/daemon/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "certificates: %s\n", what);
        abort();
    }
}

static FILE *open_file(const char *folder, const char *name, const char *end)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
    file = fopen(path, "w");
    must(file != NULL, path);
    return file;
}

static void add_extension(X509 *certificate, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

    must(extension && X509_add_ext(certificate, extension, -1), value);
    X509_EXTENSION_free(extension);
}

/* Writes NAME.pem and NAME.key; issuer NULL: signed by itself. */
static X509 *make(const char *folder, const char *name, X509 *issuer, EVP_PKEY *issuer_key,
                  EVP_PKEY **ret_key)
{
    static long serial = 1;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    FILE *file;

    must(key && certificate, "no memory");
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer ? issuer : certificate));
    X509_set_pubkey(certificate, key);
    if (issuer)
        add_extension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    else
        add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    must(X509_sign(certificate, issuer ? issuer_key : key, EVP_sha256()), "signing");
    file = open_file(folder, name, ".pem");
    must(PEM_write_X509(file, certificate), name);
    fclose(file);
    file = open_file(folder, name, ".key");
    must(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), name);
    fclose(file);
    if (ret_key)
        *ret_key = key;
    else
        EVP_PKEY_free(key);
    return certificate;
}

void certificates_make(const char *folder)
{
    EVP_PKEY *key;
    X509 *ca = make(folder, "ca", NULL, NULL, &key);

    X509_free(make(folder, "server", ca, key, NULL));
    X509_free(make(folder, "client", ca, key, NULL));
    X509_free(make(folder, "stranger", NULL, NULL, NULL));
    X509_free(ca);
    EVP_PKEY_free(key);
}
