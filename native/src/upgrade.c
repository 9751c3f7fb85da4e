/* The answer to an upgrade (RFC 6455, section 4): finds its head, which JavaScript judges. */
#include "engine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void handshake_free(struct client *client) {
  if (client->handshake == NULL) return;
  link_remove(&client->link);
  buffer_free(&client->handshake->head);
  buffer_free(&client->handshake->hello);
  free(client->handshake);
  client->handshake = NULL;
}

/* Where a head ends, with its empty line; 0 if that has yet to come. */
static size_t end_of_head(const uint8_t *bytes, size_t length) {
  const uint8_t *end = memmem(bytes, length, "\r\n\r\n", 4);
  return end == NULL ? 0 : (size_t)(end - bytes) + 4;
}

/* Whether a head has a status of the first hundred (RFC 9110, 15.2). */
static bool is_informational(const uint8_t *head, size_t length) {
  if (length < 14 || memcmp(head, "HTTP/1.", 7) != 0 || (head[7] != '0' && head[7] != '1')) return false;
  if (memcmp(head + 8, " 1", 2) != 0 || !isdigit(head[10]) || !isdigit(head[11])) return false;
  return head[12] == ' ' || head[12] == '\r';
}

void tunnel_read(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length) {
  struct buffer *head = &client->handshake->head;
  buffer_append(head, bytes, length);
  size_t end = end_of_head(head->data, head->length);
  if (end == 0 && head->length <= (size_t)loop->engine->setup.numbers.largest_head) return;
  /* Behind the head comes nothing: the target has not been spoken to. */
  if (end >= 12 && memcmp(head->data, "HTTP/1.", 7) == 0 && memcmp(head->data + 8, " 2", 2) == 0) {
    buffer_free(head);
    connection_through(loop, client);
    return;
  }
  struct event event = {.kind = event_closed, .c = 1, .bytes = head->data, .length = head->length};
  connection_failed_with(loop, client, &event);
}

static bool is_interim(const uint8_t *head, size_t length) {
  return is_informational(head, length) && memcmp(head + 10, "01", 2) != 0;
}

/* JavaScript judges the head. Until it has, it gets all that comes behind. */
static void opened(struct loop *loop, struct client *client, const uint8_t *head, size_t length,
                   const struct arrival *arrival, bool is_whole) {
  const struct handshake *handshake = client->handshake;
  bool is_exact = is_whole && arrival->is_exact_at_end;
  double from_ns = (double)(is_exact ? arrival->stamp_ns : arrival->not_before_ns);
  struct event event = {.kind = event_opened, .bytes = head, .length = length};
  event.a = (double)handshake->started_ns;
  event.b = (double)arrival->stamp_ns;
  event.c = (double)handshake->tcp_ns;
  event.d = (double)handshake->tcp_least_ns;
  event.e = event.d + handshake->tls_least_ns + fmax(0, from_ns - client->account->left_ns);
  tls_tell(loop, client);
  connection_tell(loop, client, &event);
  client->state = state_open;
  client->handed_over = 1;
  client->is_trusted = false;
  handshake_free(client);
}

void upgrade_read(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length,
                  const struct arrival *arrival) {
  struct buffer all = client->handshake->head;
  client->handshake->head = (struct buffer){0};
  if (all.length > 0) {
    buffer_append(&all, bytes, length);
    bytes = all.data;
    length = all.length;
  }
  size_t end;
  while ((end = end_of_head(bytes, length)) > 0 && is_interim(bytes, end)) {
    bytes += end;
    length -= end;
  }
  /* One that is too long JavaScript refuses without its end, and one that is no 101 with what says why. */
  bool is_refused = end > 0 && !is_informational(bytes, end);
  if (is_refused || (end == 0 && length > (size_t)loop->engine->setup.numbers.largest_head)) end = length;
  if (end == 0) {
    buffer_append(&client->handshake->head, bytes, length);
  } else {
    opened(loop, client, bytes, end, arrival, end == length);
    frames_receive(loop, client, bytes + end, length - end, arrival, true);
  }
  buffer_free(&all);
}
