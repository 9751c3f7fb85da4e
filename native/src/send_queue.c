/* What a connection has to write. Up to 1 MiB waits for a target that does not read. */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

bool outgoing_write(int fd, struct buffer *out) {
  ssize_t written = write_some(fd, out->data + out->from, out->length - out->from);
  if (written < 0) return false;
  out->from += (size_t)written;
  if (out->from == out->length) buffer_free(out);
  return true;
}

static void set_left(struct client *client, int64_t at_ns) {
  atomic_store_explicit(&client->left_ns, at_ns, memory_order_release);
}

/* A write of it begins: it counts no longer as waiting here. */
static void begin(struct client *client, size_t length, bool is_data) {
  set_left(client, INT64_MAX);
  if (is_data) atomic_fetch_sub(&client->unsent, 1);
  atomic_fetch_sub(&client->waiting_bytes, (uint32_t)length);
}

static void drop_if_empty(struct loop *loop, struct client *client) {
  struct outgoing *outgoing = client->outgoing;
  if (outgoing->out.length > 0 || outgoing->first != NULL) return;
  free(outgoing);
  client->outgoing = NULL;
  set_left(client, now_ns(&loop->clocks));
}

/* Behind what is under way. Does not wait for what waits. */
void send_bytes(struct loop *loop, struct client *client, const void *bytes, size_t length) {
  ssize_t written = 0;
  if (client->outgoing == NULL || client->outgoing->out.length == 0) {
    written = write_some(client->fd, bytes, length);
    if (written < 0) {
      connection_failed(loop, client, errno, false);
      return;
    }
  }
  if ((size_t)written < length) {
    buffer_append(&outgoing_of(client)->out, (const uint8_t *)bytes + written, length - (size_t)written);
    connection_await_room(loop, client);
  }
  set_left(client, client->outgoing == NULL ? now_ns(&loop->clocks) : INT64_MAX);
}

void send_control(struct loop *loop, struct client *client, uint8_t opcode, const void *payload, size_t length) {
  const struct outgoing *outgoing = client->outgoing;
  /* A target that asks but does not read gets no further answer. */
  if (outgoing != NULL && outgoing->out.length - outgoing->out.from >= most_unsent_bytes) return;
  frame_make(loop, opcode, payload, length);
  send_bytes(loop, client, loop->frame.data, loop->frame.length);
}

void send_message(struct loop *loop, struct client *client, const struct command *command, const uint8_t *bytes) {
  size_t length = frame_bytes(command->length);
  if (client->state != state_open || client->generation != command->generation) {
    atomic_fetch_sub(&client->waiting_bytes, (uint32_t)length);
    return;
  }
  frame_make(loop, command->opcode, bytes, command->length);
  send_frame(loop, client, command->is_data);
}

bool send_has_room(const struct client *client, size_t length) {
  uint32_t waiting = atomic_load(&client->waiting_bytes);
  return waiting == 0 || waiting + length <= most_unsent_bytes;
}

void send_expect(struct client *client, size_t length, bool is_data) {
  atomic_fetch_add(&client->waiting_bytes, (uint32_t)length);
  if (is_data) atomic_fetch_add(&client->unsent, 1);
}

void send_frame(struct loop *loop, struct client *client, bool is_data) {
  size_t length = loop->frame.length;
  if (is_data) client->is_asking = true;
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

static void begin_next(struct client *client) {
  struct outgoing *outgoing = client->outgoing;
  struct waiting *waiting = outgoing->first;
  outgoing->first = waiting->next;
  if (outgoing->first == NULL) outgoing->last = &outgoing->first;
  begin(client, waiting->length, waiting->is_data);
  buffer_append(&outgoing->out, waiting->frame, waiting->length);
  free(waiting);
}

/* The kernel has room again. */
void send_more(struct loop *loop, struct client *client) {
  struct outgoing *outgoing = client->outgoing;
  while (outgoing->out.length > 0 || outgoing->first != NULL) {
    if (outgoing->out.length == 0 && client->is_leaving) return;
    if (outgoing->out.length == 0) begin_next(client);
    if (!outgoing_write(client->fd, &outgoing->out)) {
      connection_failed(loop, client, errno, false);
      return;
    }
    if (outgoing->out.length > 0) return;
  }
  drop_if_empty(loop, client);
}

void send_discard(struct client *client) {
  struct outgoing *outgoing = client->outgoing;
  if (outgoing == NULL) return;
  for (struct waiting *waiting = outgoing->first; waiting != NULL;) {
    struct waiting *next = waiting->next;
    atomic_fetch_sub(&client->waiting_bytes, (uint32_t)waiting->length);
    free(waiting);
    waiting = next;
  }
  buffer_free(&outgoing->out);
  free(outgoing);
  client->outgoing = NULL;
}
