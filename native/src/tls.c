/* TLS by the OpenSSL in Node. One BIO serves all clients of a loop: it takes the bytes of the read at hand, and gives
   what is to be written to a buffer, which is empty whenever another client has its turn. */
#include "engine.h"
#include "openssl.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { largest_record = 16384, most_kept = 262144 };

struct tls {
  BIO_METHOD *method;
  BIO *bio;
  const uint8_t *in;
  size_t in_left;
  struct buffer out;
  uint8_t plain[largest_record];
};

#define is_missing(type, name, arguments) || name == NULL
const char *tls_version(void) {
  if (false openssl_functions(is_missing)) return NULL;
  return OpenSSL_version_num() >= 0x30000000 ? OpenSSL_version(openssl_number_as_text) : NULL;
}

/* ---- What all clients share ---- */

static int take_in(BIO *bio, char *to, int length) {
  struct tls *tls = BIO_get_data(bio);
  BIO_clear_flags(bio, bio_reads | bio_writes | bio_shall_retry);
  if (tls->in_left == 0) {
    BIO_set_flags(bio, bio_reads | bio_shall_retry);
    return -1;
  }
  size_t taken = (size_t)length < tls->in_left ? (size_t)length : tls->in_left;
  memcpy(to, tls->in, taken);
  tls->in += taken;
  tls->in_left -= taken;
  return (int)taken;
}

static int put_out(BIO *bio, const char *from, int length) {
  struct tls *tls = BIO_get_data(bio);
  BIO_clear_flags(bio, bio_reads | bio_writes | bio_shall_retry);
  buffer_append(&tls->out, from, (size_t)length);
  return length;
}

static long control(BIO *bio, int command, long number, void *of) {
  (void)bio, (void)number, (void)of;
  return command == bio_ctrl_flush;
}

/* The chain is judged once the handshake is done, as in Node: the server sees a client that leaves, and no alert. */
static int go_on(int is_sound, void *store) {
  (void)is_sound, (void)store;
  return 1;
}

static void add_authorities(SSL_CTX *context, const struct bytes *pem) {
  BIO *bio = BIO_new_mem_buf(pem->data, (int)pem->length);
  X509_STORE *store = SSL_CTX_get_cert_store(context);
  X509 *authority;
  while ((authority = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
    X509_STORE_add_cert(store, authority);
    X509_free(authority);
  }
  BIO_free(bio);
}

void *tls_context(struct setup *setup) {
  const struct numbers *numbers = &setup->numbers;
  SSL_CTX *context = tls_version() == NULL ? NULL : SSL_CTX_new(TLS_client_method());
  if (context == NULL) return NULL;
  static const unsigned char http[] = "\x08http/1.1";
  const char *extra = getenv("NODE_EXTRA_CA_CERTS");
  SSL_CTX_ctrl(context, ssl_ctrl_least_version, numbers->tls_least, NULL);
  SSL_CTX_ctrl(context, ssl_ctrl_most_version, numbers->tls_most, NULL);
  SSL_CTX_ctrl(context, ssl_ctrl_mode, ssl_mode_moving_buffer | ssl_mode_release_buffers, NULL);
  SSL_CTX_ctrl(context, ssl_ctrl_cache_mode, 0, NULL);
  SSL_CTX_set_options(context, ssl_option_no_renegotiation);
  SSL_CTX_set_verify(context, 0, go_on);
  SSL_CTX_set_alpn_protos(context, http, sizeof http - 1);
  SSL_CTX_set_cipher_list(context, (const char *)setup->ciphers.data);
  SSL_CTX_set_ciphersuites(context, (const char *)setup->cipher_suites.data);
  if (numbers->tls >= tls_by_given) add_authorities(context, &setup->authorities);
  if (numbers->tls == tls_by_default && extra != NULL) SSL_CTX_load_verify_locations(context, extra, NULL);
  ERR_clear_error();
  pthread_mutex_init(&setup->sessions_mutex, NULL);
  if (numbers->tls_resume != resume_none) setup->sessions = must_allocate((size_t)numbers->capacity, sizeof(void *));
  return context;
}

void tls_context_free(struct setup *setup) {
  if (setup->tls_context == NULL) return;
  for (int64_t i = 0; setup->sessions != NULL && i < setup->numbers.capacity; i++) SSL_SESSION_free(setup->sessions[i]);
  free(setup->sessions);
  pthread_mutex_destroy(&setup->sessions_mutex);
  SSL_CTX_free(setup->tls_context);
}

void tls_start(struct loop *loop) {
  if (loop->engine->setup.tls_context == NULL) return;
  struct tls *tls = loop->tls = must_allocate(1, sizeof *tls);
  tls->method = BIO_meth_new(bio_of_our_own, "ringside");
  BIO_meth_set_read(tls->method, take_in);
  BIO_meth_set_write(tls->method, put_out);
  BIO_meth_set_ctrl(tls->method, control);
  tls->bio = BIO_new(tls->method);
  BIO_set_data(tls->bio, tls);
  BIO_set_init(tls->bio, 1);
}

void tls_end(struct loop *loop) {
  if (loop->tls == NULL) return;
  BIO_free(loop->tls->bio);
  BIO_meth_free(loop->tls->method);
  buffer_free(&loop->tls->out);
  free(loop->tls);
}

void tls_thread_over(void) {
  if (OPENSSL_thread_stop != NULL) OPENSSL_thread_stop();
}

/* ---- What a client brings along ---- */

static void use_identity(SSL *ssl, const struct bytes *pem) {
  BIO *bio = BIO_new_mem_buf(pem->data, (int)pem->length);
  EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
  BIO_free(bio);
  bio = BIO_new_mem_buf(pem->data, (int)pem->length);
  bool is_first = true;
  for (X509 *each; (each = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL; is_first = false) {
    if (is_first) SSL_use_certificate(ssl, each);
    else SSL_ctrl(ssl, ssl_ctrl_chain_certificate, 1, each);
    X509_free(each);
  }
  SSL_use_PrivateKey(ssl, key);
  EVP_PKEY_free(key);
  BIO_free(bio);
}

static void **session_for(const struct setup *setup, const struct client *client) {
  return &setup->sessions[setup->numbers.tls_resume == resume_own ? client->identity : 0];
}

static void offer_session(struct setup *setup, struct client *client) {
  pthread_mutex_lock(&setup->sessions_mutex);
  void *session = *session_for(setup, client);
  client->session = session;
  if (session != NULL) SSL_set_session(client->ssl, session);
  pthread_mutex_unlock(&setup->sessions_mutex);
}

/* With TLS 1.3, tickets come at any time behind the handshake. Each makes a new session. */
static void keep_session(struct setup *setup, struct client *client) {
  const SSL_SESSION *session = SSL_get_session(client->ssl);
  if (session == client->session || !SSL_SESSION_is_resumable(session)) return;
  client->session = session;
  pthread_mutex_lock(&setup->sessions_mutex);
  void **kept = session_for(setup, client);
  SSL_SESSION_free(*kept);
  *kept = SSL_get1_session(client->ssl);
  pthread_mutex_unlock(&setup->sessions_mutex);
}

/* ---- Writing ---- */

/* Takes what is to be written. Valid until more of it comes. */
static struct bytes take_out(struct tls *tls) {
  struct bytes out = {tls->out.data, tls->out.length};
  tls->out.length = 0;
  return out;
}

/* A large message leaves no memory behind. The BIO takes all, so no write has to be repeated. */
static void write_plain(struct tls *tls, SSL *ssl, const void *bytes, size_t length) {
  if (tls->out.length == 0 && tls->out.capacity > most_kept) buffer_free(&tls->out);
  SSL_write(ssl, bytes, (int)length);
}

struct bytes tls_seal(struct loop *loop, struct client *client, const void *bytes, size_t length) {
  if (client->ssl == NULL || length == 0) return (struct bytes){(uint8_t *)bytes, length};
  write_plain(loop->tls, client->ssl, bytes, length);
  return take_out(loop->tls);
}

struct bytes tls_goodbye(struct loop *loop, struct client *client) {
  if (client->ssl == NULL || !client->is_shaken) return (struct bytes){NULL, 0};
  SSL_shutdown(client->ssl);
  return take_out(loop->tls);
}

/* What OpenSSL says by itself: of the handshake, answers to a KeyUpdate, alerts. False if the client ended by it. */
static bool flush(struct loop *loop, struct client *client) {
  struct bytes out = take_out(loop->tls);
  if (out.length > 0) send_sealed(loop, client, out.data, out.length);
  return client->state != state_free;
}

/* ---- Reading ---- */

/* Tells what OpenSSL gives as the reason, or why a certificate is refused, by its number. */
static void fail(struct loop *loop, struct client *client, const char *reason, long verdict) {
  struct event event = {.kind = event_closed, .b = (double)verdict, .bytes = reason, .length = strlen(reason)};
  connection_failed_with(loop, client, &event);
}

/* The first error counts, as in Node. It is a text of OpenSSL's own. */
static const char *reason_of(int error) {
  const char *reason = error == ssl_error_ssl ? ERR_reason_error_string(ERR_peek_error()) : NULL;
  return reason == NULL ? "unknown" : reason;
}

static bool is_address(const char *name) {
  struct in6_addr ignored;
  return inet_pton(AF_INET, name, &ignored) == 1 || inet_pton(AF_INET6, name, &ignored) == 1;
}

void tls_begin(struct loop *loop, struct client *client) {
  struct setup *setup = &loop->engine->setup;
  int64_t identities = setup->numbers.identities;
  if (setup->tls_context == NULL) return;
  SSL *ssl = client->ssl = SSL_new(setup->tls_context);
  BIO_up_ref(loop->tls->bio);
  SSL_set_bio(ssl, loop->tls->bio, loop->tls->bio);
  if (!is_address((char *)setup->server_name.data)) SSL_ctrl(ssl, ssl_ctrl_server_name, 0, setup->server_name.data);
  SSL_set_connect_state(ssl);
  if (identities > 0) use_identity(ssl, &setup->identities[client->identity % identities]);
  if (setup->sessions != NULL) offer_session(setup, client);
  loop->tls->in_left = 0;
  SSL_do_handshake(ssl);
  struct bytes hello = take_out(loop->tls);
  buffer_append(&client->handshake->hello, hello.data, hello.length);
}

/* The verdict on the chain comes before that on the name, as in Node; 0 without a fault. */
static long verdict_on(const struct setup *setup, SSL *ssl) {
  if (setup->numbers.tls < tls_by_given) return 0;
  X509 *certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == NULL) return x509_no_certificate;
  long of_chain = SSL_get_verify_result(ssl);
  if (of_chain != 0) return of_chain;
  const char *name = (const char *)setup->server_name.data;
  int is_right = is_address(name) ? X509_check_ip_asc(certificate, name, 0)
                                  : X509_check_host(certificate, name, setup->server_name.length, 0, NULL);
  return is_right == 1 ? 0 : x509_other_host;
}

/* The target was at work at least from when our last word had left, or the answer before was handled. */
static void count_leg(struct client *client, const struct arrival *arrival) {
  struct handshake *handshake = client->handshake;
  double from_ns = fmax(client->account->left_ns, handshake->answered_ns);
  int64_t until_ns = arrival->is_exact_at_end ? arrival->stamp_ns : arrival->not_before_ns;
  handshake->tls_least_ns += fmax(0, (double)until_ns - from_ns);
}

/* True once the handshake is done: then the request has left. */
static bool shake(struct loop *loop, struct client *client, const struct arrival *arrival) {
  struct handshake *handshake = client->handshake;
  count_leg(client, arrival);
  ERR_clear_error();
  int result = SSL_do_handshake(client->ssl);
  int error = result == 1 ? ssl_error_none : SSL_get_error(client->ssl, result);
  const char *reason = reason_of(error);
  long verdict = error == ssl_error_none ? verdict_on(&loop->engine->setup, client->ssl) : 0;
  int64_t now = now_ns(&loop->clocks);
  handshake->answered_ns = (double)now;
  client->is_shaken = error == ssl_error_none && verdict == 0;
  if (client->is_shaken) {
    handshake->tls_ns = now - handshake->started_ns - handshake->tcp_ns;
    write_plain(loop->tls, client->ssl, handshake->request, handshake->request_length);
  }
  if (!flush(loop, client) || error == ssl_error_want_read) return false;
  if (!client->is_shaken) fail(loop, client, verdict == 0 ? reason : "", verdict);
  return client->state != state_free;
}

void tls_tell(struct loop *loop, struct client *client) {
  if (client->ssl == NULL) return;
  const char *version = SSL_get_version(client->ssl);
  struct event event = {.kind = event_shaken, .bytes = version, .length = strlen(version)};
  event.flags = SSL_session_reused(client->ssl) ? event_is_resumed : 0;
  event.a = (double)client->handshake->tls_ns;
  event.b = client->handshake->tls_least_ns;
  connection_tell(loop, client, &event);
}

/* A record can be read when its last byte is there, so all frames that end in it came with that. */
static void take_record(struct loop *loop, struct client *client, size_t length, const struct arrival *arrival) {
  struct arrival of_record = *arrival;
  of_record.is_exact_at_end = arrival->is_exact_at_end && loop->tls->in_left == 0;
  if (of_record.is_exact_at_end) of_record.not_before_ns = of_record.stamp_ns;
  if (client->state == state_open) frames_receive(loop, client, loop->tls->plain, length, &of_record, false);
  else upgrade_read(loop, client, loop->tls->plain, length, &of_record);
}

void tls_receive(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length,
                 const struct arrival *arrival) {
  struct tls *tls = loop->tls;
  tls->in = bytes;
  tls->in_left = length;
  if (!client->is_shaken && !shake(loop, client, arrival)) return;
  int error;
  do {
    ERR_clear_error();
    int taken = SSL_read(client->ssl, tls->plain, largest_record);
    error = taken > 0 ? ssl_error_none : SSL_get_error(client->ssl, taken);
    if (loop->engine->setup.sessions != NULL) keep_session(&loop->engine->setup, client);
    if (taken > 0) take_record(loop, client, (size_t)taken, arrival);
    if (client->state == state_free) return;
  } while (error == ssl_error_none);
  const char *reason = reason_of(error);
  if (!flush(loop, client)) return;
  if (error == ssl_error_want_read) SSL_free_buffers(client->ssl);
  else if (error == ssl_error_zero_return) connection_ended(loop, client);
  else fail(loop, client, reason, 0);
}

void tls_free(struct client *client) {
  if (client->ssl == NULL) return;
  /* Without close_notify OpenSSL would mark the session as one not to resume, also for those who keep it. */
  SSL_set_shutdown(client->ssl, ssl_sent_shutdown);
  SSL_free(client->ssl);
  client->ssl = NULL;
  client->is_shaken = false;
}
