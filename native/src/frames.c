/* RFC 6455, section 5: the client's half. Whole frames are read in place; cut and fragmented ones are copied. */
#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { largest_message = 16 * 1024 * 1024, most_frames = 16384, largest_control_payload = 125 };
enum opcode { op_continuation = 0, op_text = 1, op_binary = 2, op_close = 8, op_ping = 9, op_pong = 10 };

/* ---- Frames of ours (5.3) ---- */

/* Unpredictable, from a pool: a system call each would cost more than the frame. */
void random_key(struct loop *loop, uint8_t *key, size_t length) {
  if (loop->keys_used + length > key_pool_bytes) {
    for (size_t at = 0; at < key_pool_bytes; at += 256)
      if (getrandom(loop->keys + at, 256, 0) != 256) abort();
    loop->keys_used = 0;
  }
  memcpy(key, loop->keys + loop->keys_used, length);
  loop->keys_used += length;
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
  random_key(loop, key, 4);
  struct buffer *frame = &loop->frame;
  if (frame->capacity > 65536 && length < 4096) buffer_free(frame);
  frame->length = 0;
  buffer_append(frame, head, 6 + more);
  buffer_append(frame, payload, length);
  uint8_t *masked = frame->data + 6 + more;
  for (size_t i = 0; i < length; i++) masked[i] ^= key[i & 3];
}

/* ---- Text and codes ---- */

/* RFC 3629, section 4: without overlong forms, surrogates, or anything above U+10FFFF. */
bool is_utf8(const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    uint64_t eight;
    if (at + 8 <= length && (memcpy(&eight, bytes + at, 8), (eight & UINT64_C(0x8080808080808080)) == 0)) {
      at += 8;
      continue;
    }
    uint8_t first = bytes[at];
    size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || at + more >= length) return false;
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (more > 0 && (bytes[at + 1] < low || bytes[at + 1] > high)) return false;
    for (size_t i = 2; i <= more; i++)
      if ((bytes[at + i] & 0xc0) != 0x80) return false;
    at += more + 1;
  }
  return true;
}

/* Section 7.4: up to 1014, libraries' 3000 to 3999, private 4000 to 4999. */
static bool is_sendable_code(int code) {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
}

/* ---- Frames of the target ---- */

/* One read, or the rest of it. */
struct reading {
  struct loop *loop;
  struct client *client;
  const struct arrival *arrival;
  int frames;
};

static struct receiver *receiver_of(struct client *client) {
  if (client->receiver == NULL) client->receiver = must_allocate(1, sizeof *client->receiver);
  return client->receiver;
}

void receiver_free(struct client *client) {
  if (client->receiver == NULL) return;
  buffer_free(&client->receiver->frame);
  buffer_free(&client->receiver->message);
  free(client->receiver);
  client->receiver = NULL;
}

static void fail(struct reading *reading, int code, const char *cause) {
  connection_say_close(reading->loop, reading->client, code, true, cause);
}

/* Bytes that a returning client may ask on from: of its last delivery, and of the last of each kind of beginning,
   which holds the stream's name. */
static void keep_position(struct reading *reading, const uint8_t *bytes, size_t length) {
  struct client *client = reading->client;
  size_t beginning = reading->loop->marker_at < length ? reading->loop->marker_at : length;
  if (client->position == NULL) client->position = must_allocate(1, sizeof *client->position);
  struct buffer *kept = client->position;
  if (kept->length > 0 && (kept->length < beginning || memcmp(kept->data, bytes, beginning) != 0)) {
    struct event event = {.kind = event_position, .bytes = kept->data, .length = kept->length};
    outbox_event(reading->loop, client, &event);
  }
  kept->length = 0;
  buffer_append(kept, bytes, length);
}

static void deliver(struct reading *reading, int32_t sequence, const uint8_t *bytes, size_t length,
                    const struct arrival *arrival) {
  struct loop *loop = reading->loop;
  const struct setup *setup = &loop->engine->setup;
  if (reading->client->is_asking) {
    reading->client->is_asking = false;
    loop->outbox.has_urgent = true;
  }
  if (scan_is_acknowledgement(setup, bytes, length)) {
    outbox_delivery(loop, &loop->outbox.acknowledgements, reading->client->id, sequence, arrival);
    return;
  }
  outbox_delivery(loop, &loop->outbox.deliveries, reading->client->id, sequence, arrival);
  if (setup->keeps_positions) keep_position(reading, bytes, length);
}

static void tell(struct reading *reading, bool is_binary, const uint8_t *bytes, size_t length,
                 const struct arrival *arrival) {
  struct event event = {.kind = is_binary ? event_binary : event_text, .bytes = bytes, .length = length};
  int64_t left_ns = reading->client->left_ns;
  event.a = (double)arrival->not_before_ns;
  event.b = left_ns == INT64_MAX ? (double)INFINITY : (double)left_ns;
  event.e = (double)arrival->stamp_ns;
  connection_tell(reading->loop, reading->client, &event);
}

static void tell_candidate(struct reading *reading, bool is_binary, int32_t sequence, const uint8_t *bytes,
                           size_t length, const struct arrival *arrival) {
  struct event event = {.kind = event_candidate, .bytes = bytes, .length = length};
  event.flags = (uint8_t)(is_binary | arrival->flags << delivery_flag_shift);
  event.a = (double)arrival->not_before_ns;
  event.b = event.e = (double)arrival->stamp_ns;
  /* Behind so many deliveries of the loop. */
  event.c = reading->loop->outbox.deliveries.ring.written;
  event.d = sequence;
  connection_tell(reading->loop, reading->client, &event);
}

/* Deliveries skip the UTF-8 check of section 8.1, which would read every byte again. */
static void take_message(struct reading *reading, bool is_binary, const uint8_t *bytes, size_t length,
                         const struct arrival *arrival) {
  struct loop *loop = reading->loop;
  const struct setup *setup = &loop->engine->setup;
  int32_t sequence = scan_sequence(loop, bytes, length);
  if (sequence != -1 && scan_judge(setup, bytes, length) == is_delivery) {
    deliver(reading, sequence, bytes, length, arrival);
    return;
  }
  if (!is_binary && !is_utf8(bytes, length)) {
    fail(reading, close_invalid_payload, "protocol-error:text is not UTF-8");
    return;
  }
  int reply = is_binary || sequence != -1 ? -1 : scan_reply(setup, bytes, length);
  if (sequence != -1) tell_candidate(reading, is_binary, sequence, bytes, length, arrival);
  else if (reply == -1) tell(reading, is_binary, bytes, length, arrival);
  else if (setup->reply_flags[reply] & reply_has_text)
    send_control(loop, reading->client, op_text, setup->replies.items[reply].data, setup->replies.items[reply].length);
}

/* Section 5.4. */
static void take_fragment(struct reading *reading, uint8_t opcode, bool is_final, const uint8_t *bytes, size_t length,
                          struct arrival *arrival) {
  struct receiver *receiver = receiver_of(reading->client);
  if (opcode != op_continuation) receiver->opcode = opcode;
  if (++receiver->frames > most_frames) {
    fail(reading, close_policy_violation, "protocol-error:too many fragments");
    return;
  }
  buffer_append(&receiver->message, bytes, length);
  if (!is_final) return;
  /* What takes the message may free the receiver. */
  struct buffer whole = receiver->message;
  bool is_binary = receiver->opcode == op_binary;
  receiver->message = (struct buffer){0};
  receiver->frames = 0;
  arrival->flags |= flag_fragmented;
  take_message(reading, is_binary, whole.data, whole.length, arrival);
  buffer_free(&whole);
}

static void take_close(struct reading *reading, const uint8_t *payload, size_t length) {
  int code = length >= 2 ? payload[0] << 8 | payload[1] : close_none;
  char cause[] = "close-code:65535";
  if (length == 1 || (length >= 2 && !is_sendable_code(code))) {
    fail(reading, close_protocol_error, "protocol-error:bad close code");
  } else if (length > 2 && !is_utf8(payload + 2, length - 2)) {
    fail(reading, close_invalid_payload, "protocol-error:close reason is not UTF-8");
  } else {
    snprintf(cause, sizeof cause, "close-code:%d", code);
    connection_say_close(reading->loop, reading->client, code, false, cause);
  }
}

/* Section 5.5. A pong is the answer to nothing we send. */
static void take_control(struct reading *reading, uint8_t opcode, const uint8_t *payload, size_t length) {
  if (opcode == op_ping) send_control(reading->loop, reading->client, op_pong, payload, length);
  else if (opcode == op_close) take_close(reading, payload, length);
}

/* What is wrong with a frame's first two bytes; NULL for nothing. */
static const char *violation_of(const struct receiver *receiver, const uint8_t *bytes) {
  uint8_t opcode = bytes[0] & 0x0f;
  bool is_fragmented = receiver != NULL && receiver->frames > 0;
  if (bytes[0] & 0x70) return "protocol-error:reserved bits set";
  if (bytes[1] & 0x80) return "protocol-error:masked by the server";
  if (opcode >= op_close) {
    if (opcode > op_pong) return "protocol-error:reserved opcode";
    if (!(bytes[0] & 0x80)) return "protocol-error:fragmented control frame";
    return (bytes[1] & 0x7f) > largest_control_payload ? "protocol-error:oversized control frame" : NULL;
  }
  if (opcode > op_binary) return "protocol-error:reserved opcode";
  if (opcode == op_continuation) return is_fragmented ? NULL : "protocol-error:continuation of nothing";
  return is_fragmented ? "protocol-error:message inside a fragmented message" : NULL;
}

static uint64_t big_endian(const uint8_t *bytes, size_t length) {
  uint64_t value = 0;
  for (size_t i = 0; i < length; i++) value = value << 8 | bytes[i];
  return value;
}

/* Section 5.2. Takes the frame at `bytes` and gives its length or, below zero, how many bytes it needs. */
static ssize_t read_frame(struct reading *reading, const uint8_t *bytes, size_t length, uint8_t flags, size_t behind) {
  struct client *client = reading->client;
  if (length < 2) return -2;
  const char *violation = violation_of(client->receiver, bytes);
  if (violation != NULL) {
    fail(reading, close_protocol_error, violation);
    return 0;
  }
  size_t head = 2;
  uint64_t payload = bytes[1] & 0x7f;
  if (payload >= 126) {
    size_t more = payload == 126 ? 2 : 8;
    head += more;
    if (length < head) return -(ssize_t)head;
    payload = big_endian(bytes + 2, more);
  }
  size_t before = client->receiver == NULL ? 0 : client->receiver->message.length;
  if (payload > largest_message || payload + before > largest_message) {
    fail(reading, close_too_big, "protocol-error:message too big");
    return 0;
  }
  size_t whole = head + (size_t)payload;
  if (whole > length) return -(ssize_t)whole;
  uint8_t opcode = bytes[0] & 0x0f;
  bool is_final = bytes[0] & 0x80;
  if (opcode >= op_close) {
    take_control(reading, opcode, bytes + head, (size_t)payload);
  } else {
    struct arrival arrival = *reading->arrival;
    arrival.flags |= flags | (reading->frames > 0 ? flag_coalesced : 0);
    if (arrival.is_exact_at_end && whole == behind) arrival.not_before_ns = arrival.stamp_ns;
    if (is_final && opcode != op_continuation)
      take_message(reading, opcode == op_binary, bytes + head, (size_t)payload, &arrival);
    else take_fragment(reading, opcode, is_final, bytes + head, (size_t)payload, &arrival);
  }
  reading->frames++;
  return (ssize_t)whole;
}

/* Fills the frame that was cut off: first its head, then the whole of it. Gives how many bytes it took. */
static size_t resume_frame(struct reading *reading, const uint8_t *bytes, size_t length) {
  struct receiver *receiver = reading->client->receiver;
  size_t missing = receiver->frame_needed - receiver->frame.length;
  size_t taken = missing < length ? missing : length;
  buffer_append(&receiver->frame, bytes, taken);
  if (taken < missing) return taken;
  /* What takes the frame may free the receiver. */
  struct buffer frame = receiver->frame;
  receiver->frame = (struct buffer){0};
  receiver->frame_needed = 0;
  size_t behind = taken == length ? frame.length : 0;
  ssize_t used = read_frame(reading, frame.data, frame.length, flag_fragmented, behind);
  if (used < 0) {
    receiver->frame = frame;
    receiver->frame_needed = (size_t)-used;
  } else {
    buffer_free(&frame);
  }
  return taken;
}

static void free_if_idle(struct client *client) {
  const struct receiver *receiver = client->receiver;
  if (receiver != NULL && receiver->frame_needed == 0 && receiver->frames == 0) receiver_free(client);
}

void frames_receive(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length,
                    const struct arrival *arrival, bool is_behind_other) {
  struct reading reading = {.loop = loop, .client = client, .arrival = arrival, .frames = is_behind_other};
  size_t at = 0;
  while (at < length && client->state == state_open) {
    if (client->receiver != NULL && client->receiver->frame_needed > 0) {
      at += resume_frame(&reading, bytes + at, length - at);
      continue;
    }
    ssize_t used = read_frame(&reading, bytes + at, length - at, 0, length - at);
    if (used >= 0) at += (size_t)used;
    else receiver_of(client)->frame_needed = (size_t)-used;
  }
  free_if_idle(client);
}
