/* What we call of the OpenSSL in Node, declared by ourselves: no header is needed to build, and no library to link. The
   symbols are weak: one that this Node does not export is NULL, and the addon loads all the same. Functions and numbers
   are the same in 3.0 and 3.5. */
#ifndef RINGSIDE_OPENSSL_H
#define RINGSIDE_OPENSSL_H

#include <stddef.h>
#include <stdint.h>

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;
typedef struct x509_st X509;
typedef struct x509_store_st X509_STORE;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct ssl_session_st SSL_SESSION;

#define openssl_functions(each) \
  each(unsigned long, OpenSSL_version_num, (void)) each(const char *, OpenSSL_version, (int)) \
  each(void, OPENSSL_thread_stop, (void)) each(const void *, TLS_client_method, (void)) \
  each(SSL_CTX *, SSL_CTX_new, (const void *)) each(void, SSL_CTX_free, (SSL_CTX *)) \
  each(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *)) each(uint64_t, SSL_CTX_set_options, (SSL_CTX *, uint64_t)) \
  each(void, SSL_CTX_set_verify, (SSL_CTX *, int, int (*)(int, void *))) \
  each(int, SSL_CTX_set_cipher_list, (SSL_CTX *, const char *)) \
  each(int, SSL_CTX_set_ciphersuites, (SSL_CTX *, const char *)) \
  each(int, SSL_CTX_set_alpn_protos, (SSL_CTX *, const unsigned char *, unsigned)) \
  each(int, SSL_CTX_load_verify_locations, (SSL_CTX *, const char *, const char *)) \
  each(X509_STORE *, SSL_CTX_get_cert_store, (const SSL_CTX *)) \
  each(int, X509_STORE_add_cert, (X509_STORE *, X509 *)) \
  each(X509 *, PEM_read_bio_X509, (BIO *, X509 **, void *, void *)) each(void, X509_free, (X509 *)) \
  each(int, X509_check_host, (X509 *, const char *, size_t, unsigned, char **)) \
  each(int, X509_check_ip_asc, (X509 *, const char *, unsigned)) each(SSL *, SSL_new, (SSL_CTX *)) \
  each(void, SSL_free, (SSL *)) each(long, SSL_ctrl, (SSL *, int, long, void *)) \
  each(void, SSL_set_bio, (SSL *, BIO *, BIO *)) each(void, SSL_set_connect_state, (SSL *)) \
  each(int, SSL_do_handshake, (SSL *)) each(int, SSL_read, (SSL *, void *, int)) \
  each(int, SSL_write, (SSL *, const void *, int)) each(int, SSL_shutdown, (SSL *)) \
  each(int, SSL_free_buffers, (SSL *)) each(int, SSL_get_error, (const SSL *, int)) \
  each(long, SSL_get_verify_result, (const SSL *)) each(X509 *, SSL_get0_peer_certificate, (const SSL *)) \
  each(const char *, SSL_get_version, (const SSL *)) each(int, SSL_session_reused, (const SSL *)) \
  each(SSL_SESSION *, SSL_get_session, (const SSL *)) each(SSL_SESSION *, SSL_get1_session, (SSL *)) \
  each(int, SSL_set_session, (SSL *, SSL_SESSION *)) each(void, SSL_SESSION_free, (SSL_SESSION *)) \
  each(int, SSL_SESSION_is_resumable, (const SSL_SESSION *)) each(void, SSL_set_shutdown, (SSL *, int)) \
  each(EVP_PKEY *, PEM_read_bio_PrivateKey, (BIO *, EVP_PKEY **, void *, void *)) \
  each(int, SSL_use_PrivateKey, (SSL *, EVP_PKEY *)) each(void, EVP_PKEY_free, (EVP_PKEY *)) \
  each(int, SSL_use_certificate, (SSL *, X509 *)) \
  each(BIO_METHOD *, BIO_meth_new, (int, const char *)) each(void, BIO_meth_free, (BIO_METHOD *)) \
  each(int, BIO_meth_set_read, (BIO_METHOD *, int (*)(BIO *, char *, int))) \
  each(int, BIO_meth_set_write, (BIO_METHOD *, int (*)(BIO *, const char *, int))) \
  each(int, BIO_meth_set_ctrl, (BIO_METHOD *, long (*)(BIO *, int, long, void *))) \
  each(BIO *, BIO_new, (const BIO_METHOD *)) each(BIO *, BIO_new_mem_buf, (const void *, int)) \
  each(int, BIO_up_ref, (BIO *)) each(int, BIO_free, (BIO *)) each(void, BIO_set_data, (BIO *, void *)) \
  each(void *, BIO_get_data, (BIO *)) each(void, BIO_set_init, (BIO *, int)) each(void, BIO_set_flags, (BIO *, int)) \
  each(void, BIO_clear_flags, (BIO *, int)) each(unsigned long, ERR_peek_error, (void)) \
  each(void, ERR_clear_error, (void)) each(const char *, ERR_reason_error_string, (unsigned long))

#define openssl_declaration(type, name, arguments) type name arguments __attribute__((weak));
openssl_functions(openssl_declaration)

enum {
  openssl_number_as_text = 6,
  ssl_ctrl_mode = 33, ssl_ctrl_cache_mode = 44, ssl_ctrl_server_name = 55, ssl_ctrl_chain_certificate = 89,
  ssl_ctrl_least_version = 123, ssl_ctrl_most_version = 124,
  ssl_mode_moving_buffer = 2, ssl_mode_release_buffers = 16,
  ssl_error_none = 0, ssl_error_ssl = 1, ssl_error_want_read = 2, ssl_error_zero_return = 6,
  ssl_sent_shutdown = 1,
  bio_of_our_own = 0x0400 | 127, bio_ctrl_flush = 11, bio_reads = 1, bio_writes = 2, bio_shall_retry = 8,
  x509_no_certificate = 2, x509_other_host = 62
};
static const uint64_t ssl_option_no_renegotiation = UINT64_C(1) << 30;

#endif
