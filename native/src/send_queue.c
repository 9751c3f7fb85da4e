/* What a connection has to write. Up to a bound it waits for a target that does not read. */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>

/* ---- Frames of ours (RFC 6455, 5.3) ---- */

/* Unpredictable, from a pool: a system call each would cost more than the frame. */
static void random_key(struct loop *loop, uint8_t key[4]) {
  if (loop->keys_used == key_pool_bytes) {
    for (size_t at = 0; at < key_pool_bytes; at += 256)
      if (getrandom(loop->keys + at, 256, 0) != 256) abort();
    loop->keys_used = 0;
  }
  memcpy(key, loop->keys + loop->keys_used, 4);
  loop->keys_used += 4;
}

static size_t length_bytes(size_t payload_bytes) {
  return payload_bytes < 126 ? 0 : payload_bytes < 65536 ? 2 : 8;
}

size_t frame_bytes(size_t payload_bytes) {
  return 2 + length_bytes(payload_bytes) + 4 + payload_bytes;
}

void frame_make(struct loop *loop, uint8_t opcode, const void *payload, size_t length) {
  size_t more = length_bytes(length);
  uint8_t head[14] = {(uint8_t)(0x80 | opcode), (uint8_t)(0x80 | (more == 0 ? length : more == 2 ? 126 : 127))};
  for (size_t i = 0; i < more; i++) head[2 + i] = (uint8_t)((uint64_t)length >> (8 * (more - 1 - i)));
  uint8_t *key = head + 2 + more;
  random_key(loop, key);
  struct buffer *frame = &loop->frame;
  if (frame->capacity > 65536 && length < 4096) buffer_free(frame);
  frame->length = 0;
  buffer_append(frame, head, 6 + more);
  buffer_append(frame, payload, length);
  uint8_t *masked = frame->data + 6 + more;
  for (size_t i = 0; i < length; i++) masked[i] ^= key[i & 3];
}

/* ---- What waits ---- */

struct waiting {
  struct waiting *next;
  size_t length;
  bool is_data;
  uint8_t frame[];
};

/* `out` before `first`. */
struct outgoing {
  struct buffer out;
  struct waiting *first, **last;
};

static struct outgoing *outgoing_of(struct client *client) {
  if (client->outgoing == NULL) {
    client->outgoing = must_allocate(1, sizeof *client->outgoing);
    client->outgoing->last = &client->outgoing->first;
  }
  return client->outgoing;
}

/* How much the kernel took; -1 after an error, which `errno` tells. */
static ssize_t write_some(int fd, const uint8_t *bytes, size_t length) {
  size_t written = 0;
  while (written < length) {
    ssize_t more = send(fd, bytes + written, length - written, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (more < 0) return -1;
    written += (size_t)more;
  }
  return (ssize_t)written;
}

bool write_out(int fd, struct buffer *out) {
  ssize_t written = write_some(fd, out->data + out->from, out->length - out->from);
  if (written < 0) return false;
  out->from += (size_t)written;
  if (out->from == out->length) buffer_free(out);
  return true;
}

static void set_left(struct client *client, double at_ns) {
  atomic_store_explicit(&client->account->left_ns, at_ns, memory_order_release);
}

static void set_under_way(struct client *client) {
  const struct outgoing *outgoing = client->outgoing;
  uint32_t length = outgoing == NULL ? 0 : (uint32_t)(outgoing->out.length - outgoing->out.from);
  atomic_store_explicit(&client->account->under_way, length, memory_order_relaxed);
}

/* A write of it begins: it counts no longer as waiting here. */
static void begin(struct client *client, size_t length, bool is_data) {
  set_left(client, INFINITY);
  if (is_data) atomic_fetch_sub(&client->account->unsent, 1);
  atomic_fetch_sub(&client->account->waiting_bytes, (uint32_t)length);
}

/* Behind what is under way. Does not wait for what waits. */
void send_bytes(struct loop *loop, struct client *client, const void *bytes, size_t length) {
  struct bytes sealed = tls_seal(loop, client, bytes, length);
  send_sealed(loop, client, sealed.data, sealed.length);
}

void send_sealed(struct loop *loop, struct client *client, const void *bytes, size_t length) {
  ssize_t written = 0;
  if (client->outgoing == NULL || client->outgoing->out.length == 0) {
    written = write_some(client->fd, bytes, length);
    if (written < 0) {
      connection_failed(loop, client, errno);
      return;
    }
  }
  if ((size_t)written < length) {
    buffer_append(&outgoing_of(client)->out, (const uint8_t *)bytes + written, length - (size_t)written);
    loop_watch(loop, EPOLL_CTL_MOD, client->fd, true, client);
    set_under_way(client);
  }
  set_left(client, client->outgoing == NULL ? (double)now_ns(&loop->clocks) : INFINITY);
}

void send_control(struct loop *loop, struct client *client, uint8_t opcode, const void *payload, size_t length) {
  const struct outgoing *outgoing = client->outgoing;
  /* A target that asks but does not read gets no further answer. */
  int64_t most = loop->engine->setup.numbers.most_unsent;
  if (client->is_closing) return;
  if (outgoing != NULL && (int64_t)(outgoing->out.length - outgoing->out.from) >= most) return;
  frame_make(loop, opcode, payload, length);
  send_bytes(loop, client, loop->frame.data, loop->frame.length);
}

void send_message(struct loop *loop, struct client *client, const struct command *command, const uint8_t *bytes) {
  bool is_there = client->state >= state_open && client->generation == command->generation;
  if (command->detail >= send_pong) {
    uint8_t opcode = command->detail == send_ping ? op_ping : op_pong;
    if (is_there) send_control(loop, client, opcode, bytes, command->length);
  } else if (is_there) {
    client->is_closing = client->is_closing || command->detail == send_close;
    frame_make(loop, command->detail == send_close ? op_close : command->opcode, bytes, command->length);
    client->is_asking = client->is_asking || command->detail == send_data;
    send_frame(loop, client, command->detail == send_data);
  } else {
    atomic_fetch_sub(&client->account->waiting_bytes, (uint32_t)frame_bytes(command->length));
  }
}

bool send_has_room(const struct engine *engine, const struct account *account, size_t length) {
  uint32_t waiting = atomic_load(&account->waiting_bytes);
  return waiting == 0 || (int64_t)(waiting + length) <= engine->setup.numbers.most_unsent;
}

void send_expect(struct account *account, size_t length, bool is_data) {
  atomic_fetch_add(&account->waiting_bytes, (uint32_t)length);
  if (is_data) atomic_fetch_add(&account->unsent, 1);
}

void send_frame(struct loop *loop, struct client *client, bool is_data) {
  size_t length = loop->frame.length;
  if (client->outgoing == NULL) {
    begin(client, length, is_data);
    send_bytes(loop, client, loop->frame.data, length);
    return;
  }
  struct waiting *waiting = must_allocate(1, sizeof *waiting + length);
  waiting->length = length;
  waiting->is_data = is_data;
  memcpy(waiting->frame, loop->frame.data, length);
  *client->outgoing->last = waiting;
  client->outgoing->last = &waiting->next;
}

static struct waiting *take_first(struct outgoing *outgoing) {
  struct waiting *waiting = outgoing->first;
  outgoing->first = waiting->next;
  if (outgoing->first == NULL) outgoing->last = &outgoing->first;
  return waiting;
}

/* The kernel has room again. */
void send_more(struct loop *loop, struct client *client) {
  struct outgoing *outgoing = client->outgoing;
  if (outgoing == NULL) return;
  while (outgoing->out.length > 0 || outgoing->first != NULL) {
    if (outgoing->out.length == 0) {
      if (client->is_leaving) return;
      struct waiting *waiting = take_first(outgoing);
      begin(client, waiting->length, waiting->is_data);
      struct bytes sealed = tls_seal(loop, client, waiting->frame, waiting->length);
      buffer_append(&outgoing->out, sealed.data, sealed.length);
      free(waiting);
    }
    if (!write_out(client->fd, &outgoing->out)) {
      connection_failed(loop, client, errno);
      return;
    }
    set_under_way(client);
    if (outgoing->out.length > 0) return;
  }
  free(outgoing);
  client->outgoing = NULL;
  set_left(client, (double)now_ns(&loop->clocks));
}

void send_discard(struct client *client, struct buffer *rest) {
  struct outgoing *outgoing = client->outgoing;
  if (outgoing == NULL) return;
  while (outgoing->first != NULL) {
    struct waiting *waiting = take_first(outgoing);
    atomic_fetch_sub(&client->account->waiting_bytes, (uint32_t)waiting->length);
    free(waiting);
  }
  if (rest == NULL) buffer_free(&outgoing->out);
  else *rest = outgoing->out;
  free(outgoing);
  client->outgoing = NULL;
  set_under_way(client);
}
