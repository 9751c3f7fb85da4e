/* RFC 6455, section 4: the client's request, and the judgement of the server's answer. */
#include "engine.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { largest_answer = 16384, key_bytes = 16, key_text = 24 };

static void base64(const uint8_t *bytes, size_t length, char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t at = 0; at < length; at += 3, text += 4) {
    uint32_t three = (uint32_t)bytes[at] << 16;
    if (at + 1 < length) three |= (uint32_t)bytes[at + 1] << 8;
    if (at + 2 < length) three |= bytes[at + 2];
    for (int i = 0; i < 4; i++) text[i] = digits[three >> (18 - 6 * i) & 63];
    if (at + 1 >= length) text[2] = '=';
    if (at + 2 >= length) text[3] = '=';
  }
  *text = '\0';
}

/* Section 4.2.2: what the server makes of our key. */
static void expect_accept(struct handshake *handshake, const char *key) {
  static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  uint8_t joined[key_text + sizeof magic - 1], digest[20];
  memcpy(joined, key, key_text);
  memcpy(joined + key_text, magic, sizeof magic - 1);
  sha1(joined, sizeof joined, digest);
  base64(digest, sizeof digest, handshake->accept);
}

/* Section 4.1. `{client}` stood between two parts of the request. */
void upgrade_make(struct loop *loop, struct client *client) {
  const struct setup *setup = &loop->engine->setup;
  struct buffer *request = &loop->frame;
  uint8_t random[key_bytes];
  char key[key_text + 1], number[32];
  random_key(loop, random, sizeof random);
  base64(random, sizeof random, key);
  expect_accept(client->handshake, key);
  int digits = setup->request.count < 2 ? 0 : snprintf(number, sizeof number, "%.0f", client->handshake->number);
  request->length = 0;
  for (int i = 0; i < setup->request.count; i++) {
    if (i > 0) buffer_append(request, number, (size_t)digits);
    buffer_append(request, setup->request.items[i].data, setup->request.items[i].length);
  }
  buffer_append(request, key, key_text);
  buffer_append(request, "\r\n\r\n", 4);
}

/* ---- The answer ---- */

struct line {
  const char *text;
  size_t length;
};

static bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

/* The code of `HTTP/1.x NNN`, which a space or the end follows; 0 for another line. */
static int status_of(struct line line) {
  const char *text = line.text;
  if (line.length < 12 || memcmp(text, "HTTP/1.", 7) != 0 || (text[7] != '0' && text[7] != '1') || text[8] != ' ')
    return 0;
  if (!is_digit(text[9]) || !is_digit(text[10]) || !is_digit(text[11])) return 0;
  if (line.length > 12 && text[12] != ' ') return 0;
  return (text[9] - '0') * 100 + (text[10] - '0') * 10 + text[11] - '0';
}

static struct line line_of(const char *text, size_t length) {
  const char *end = memmem(text, length, "\r\n", 2);
  return (struct line){text, end == NULL ? length : (size_t)(end - text)};
}

static bool is_blank(char character) {
  return character == ' ' || character == '\t';
}

static struct line trimmed(struct line line) {
  for (; line.length > 0 && is_blank(line.text[0]); line.length--) line.text++;
  while (line.length > 0 && is_blank(line.text[line.length - 1])) line.length--;
  return line;
}

static bool is_same(struct line line, const char *text) {
  return line.length == strlen(text) && strncasecmp(line.text, text, line.length) == 0;
}

/* Splits `name: value`. False for a line that is not a header. */
static bool split(struct line line, struct line *name, struct line *value) {
  size_t colon = 0;
  while (colon < line.length && line.text[colon] != ':') {
    unsigned char character = (unsigned char)line.text[colon++];
    if (character == ' ' || (character >= '\t' && character <= '\r') || character == 0xa0) return false;
  }
  if (colon == 0 || colon == line.length) return false;
  if (memchr(line.text, '\r', line.length) != NULL || memchr(line.text, '\n', line.length) != NULL) return false;
  *name = (struct line){line.text, colon};
  *value = trimmed((struct line){line.text + colon + 1, line.length - colon - 1});
  return true;
}

static bool has_token(struct line list, const char *token) {
  for (size_t from = 0; from <= list.length;) {
    const char *comma = memchr(list.text + from, ',', list.length - from);
    size_t end = comma == NULL ? list.length : (size_t)(comma - list.text);
    if (is_same(trimmed((struct line){list.text + from, end - from}), token)) return true;
    from = end + 1;
  }
  return false;
}

static bool is_offered(const struct setup *setup, struct line subprotocol) {
  for (int i = 0; i < setup->subprotocols.count; i++) {
    const struct bytes *offered = &setup->subprotocols.items[i];
    if (offered->length == subprotocol.length && memcmp(offered->data, subprotocol.text, offered->length) == 0)
      return true;
  }
  return false;
}

/* Of headers that may come once: the value, and how often they came. */
struct header {
  const char *name;
  struct line value;
  int times;
};

enum { header_upgrade, header_accept, header_extensions, header_subprotocol, header_count };

/* Judges an answer's head without its empty line: NULL, or what is wrong with it. */
static const char *judge(const struct setup *setup, const char *accept, struct line head, struct line *subprotocol) {
  struct header headers[header_count] = {{.name = "upgrade"}, {.name = "sec-websocket-accept"},
                                         {.name = "sec-websocket-extensions"}, {.name = "sec-websocket-protocol"}};
  bool is_upgrade = false;
  for (size_t at = line_of(head.text, head.length).length + 2; at <= head.length;) {
    struct line line = line_of(head.text + at, head.length - at), name, value;
    if (!split(line, &name, &value)) return "bad-upgrade:header line";
    at += line.length + 2;
    if (is_same(name, "connection") && has_token(value, "upgrade")) is_upgrade = true;
    for (int i = 0; i < header_count; i++) {
      if (!is_same(name, headers[i].name)) continue;
      headers[i].value = value;
      headers[i].times++;
    }
  }
  const struct header *accepted = &headers[header_accept], *chosen = &headers[header_subprotocol];
  if (headers[header_upgrade].times != 1 || !is_same(headers[header_upgrade].value, "websocket"))
    return "bad-upgrade:upgrade";
  if (!is_upgrade) return "bad-upgrade:connection";
  if (accepted->times != 1 || accepted->value.length != strlen(accept) ||
      memcmp(accepted->value.text, accept, accepted->value.length) != 0)
    return "bad-upgrade:accept key";
  if (headers[header_extensions].times > 0) return "bad-upgrade:extension";
  if (chosen->times > 1 || (chosen->times == 1 && !is_offered(setup, chosen->value)))
    return "bad-upgrade:subprotocol";
  *subprotocol = chosen->value;
  return NULL;
}

static void opened(struct loop *loop, struct client *client, struct line subprotocol, const struct arrival *arrival,
                   bool is_whole) {
  struct handshake *handshake = client->handshake;
  bool is_exact = is_whole && arrival->is_exact_at_end;
  int64_t answer_ns = (is_exact ? arrival->stamp_ns : arrival->not_before_ns) - client->left_ns;
  struct event event = {.kind = event_opened, .bytes = subprotocol.text, .length = subprotocol.length};
  event.a = (double)handshake->tcp_ns;
  event.b = (double)(arrival->stamp_ns - handshake->started_ns);
  event.c = (double)handshake->tcp_least_ns;
  event.e = (double)arrival->stamp_ns;
  event.d = event.c + (answer_ns > 0 ? (double)answer_ns : 0);
  connection_tell(loop, client, &event);
  client->state = state_open;
  handshake_free(client);
}

/* Where the final answer's head ends, behind interim ones (RFC 9110, 15.2); 0 if it has yet to come. */
static size_t end_of_head(struct line *bytes) {
  for (;;) {
    const char *end = memmem(bytes->text, bytes->length, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    size_t head = (size_t)(end - bytes->text);
    int status = status_of(line_of(bytes->text, head));
    if (status < 100 || status > 199 || status == 101) return head + 4;
    bytes->text += head + 4;
    bytes->length -= head + 4;
  }
}

static void take_answer(struct loop *loop, struct client *client, struct line bytes, const struct arrival *arrival) {
  struct handshake *handshake = client->handshake;
  size_t end = end_of_head(&bytes);
  if (end > largest_answer + 4 || (end == 0 && bytes.length > largest_answer)) {
    connection_ended(loop, client, "bad-upgrade:header size");
    return;
  }
  if (end == 0) {
    handshake->head = (struct buffer){0};
    buffer_append(&handshake->head, bytes.text, bytes.length);
    return;
  }
  struct line head = {bytes.text, end - 4}, subprotocol = {"", 0};
  int status = status_of(line_of(head.text, head.length));
  char cause[32] = "bad-upgrade:status line";
  if (status != 0) snprintf(cause, sizeof cause, "http-status:%d", status);
  const char *wrong = status == 101 ? judge(&loop->engine->setup, handshake->accept, head, &subprotocol) : cause;
  if (wrong != NULL) {
    connection_ended(loop, client, wrong);
    return;
  }
  opened(loop, client, subprotocol, arrival, end == bytes.length);
  frames_receive(loop, client, (const uint8_t *)bytes.text + end, bytes.length - end, arrival, true);
}

void upgrade_read(struct loop *loop, struct client *client, uint8_t *bytes, size_t length, struct arrival *arrival) {
  struct buffer head = client->handshake->head;
  client->handshake->head = (struct buffer){0};
  if (head.length == 0) {
    take_answer(loop, client, (struct line){(const char *)bytes, length}, arrival);
    return;
  }
  buffer_append(&head, bytes, length);
  take_answer(loop, client, (struct line){(const char *)head.data, head.length}, arrival);
  buffer_free(&head);
}
