/* RFC 6455, section 5: the target's frames. Whole messages, pings and pongs are taken here: read in place, or copied
   where a read cut them. Anything else, sound or not, JavaScript gets with all that comes behind it, until it has found
   that sound and waits for nothing more of it. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

/* Larger frames go to JavaScript in pieces. */
enum { largest_frame = 1048576, largest_control_payload = 125 };

/* A frame of which only a part has come, and how many bytes it needs. */
struct part {
  struct buffer bytes;
  size_t needed;
};

/* One read, or the rest of it. */
struct reading {
  struct loop *loop;
  struct client *client;
  const struct arrival *arrival;
  int frames;
};

void part_free(struct client *client) {
  if (client->part == NULL) return;
  buffer_free(&client->part->bytes);
  free(client->part);
  client->part = NULL;
}

bool frames_are_trusted(struct client *client) {
  if (!client->is_trusted) client->is_trusted = atomic_load(&client->account->judged) == client->handed_over;
  return client->is_trusted;
}

/* Gives JavaScript the rest of a read, of which `cut` bytes came in earlier ones. */
static void hand_over(const struct reading *reading, const uint8_t *bytes, size_t length, size_t cut) {
  struct client *client = reading->client;
  const struct arrival *arrival = reading->arrival;
  struct event event = {.kind = event_raw, .bytes = bytes, .length = length, .cut = cut};
  event.flags = (uint8_t)(arrival->flags << delivery_shift);
  if (arrival->is_exact_at_end) event.flags |= event_is_exact;
  if (reading->frames > 0) event.flags |= event_is_behind;
  event.a = (double)arrival->not_before_ns;
  event.b = (double)arrival->stamp_ns;
  event.c = client->account->left_ns;
  event.d = ++client->handed_over;
  client->is_trusted = false;
  connection_tell(reading->loop, client, &event);
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

static void tell(struct reading *reading, enum event_kind kind, const uint8_t *bytes, size_t length,
                 const struct arrival *arrival) {
  struct event event = {.kind = kind, .bytes = bytes, .length = length};
  event.a = (double)arrival->not_before_ns;
  event.b = (double)arrival->stamp_ns;
  event.c = reading->client->account->left_ns;
  connection_tell(reading->loop, reading->client, &event);
}

/* ---- What a message is by its bytes ---- */

static bool starts_with(const uint8_t *bytes, size_t length, const struct bytes *word) {
  return length >= word->length && memcmp(bytes, word->data, word->length) == 0;
}

static int32_t sequence_at(const struct setup *setup, const uint8_t *bytes, size_t length, size_t marker_at) {
  size_t first = marker_at + (size_t)setup->numbers.sequence_offset;
  size_t digits = (size_t)setup->numbers.sequence_digits;
  if (first + digits > length) return -1;
  int32_t sequence = 0;
  for (size_t i = 0; i < digits; i++) {
    unsigned digit = (unsigned)bytes[first + i] - '0';
    if (digit > 9) return -1;
    sequence = sequence * 10 + (int32_t)digit;
  }
  return sequence;
}

/* The sequence number in a message, or -1. Without a marker there is none, and the marker nearly always stands where it
   stood in the last delivery. */
static int32_t sequence_of(struct loop *loop, const uint8_t *bytes, size_t length) {
  const struct setup *setup = &loop->engine->setup;
  const struct bytes *marker = &setup->marker;
  size_t expected = loop->marker_at;
  if (marker->length == 0 || length < marker->length) return -1;
  if (expected + marker->length <= length && memcmp(bytes + expected, marker->data, marker->length) == 0)
    return sequence_at(setup, bytes, length, expected);
  const uint8_t *found = memmem(bytes, length, marker->data, marker->length);
  if (found == NULL) return -1;
  size_t at = (size_t)(found - bytes);
  int32_t sequence = sequence_at(setup, bytes, length, at);
  if (sequence != -1) loop->marker_at = at;
  return sequence;
}

static bool is_acknowledgement(const struct setup *setup, const uint8_t *bytes, size_t length) {
  const struct bytes *word = &setup->acknowledgement;
  return word->length > 0 && memmem(bytes, length, word->data, word->length) != NULL;
}

/* Whether a message with a number is a delivery for certain. */
static bool is_delivery(const struct setup *setup, const uint8_t *bytes, size_t length) {
  if (!setup->numbers.has_judge) return true;
  for (int i = 0; i < setup->numbers.delivery_heads; i++)
    if (starts_with(bytes, length, &setup->delivery_heads[i])) return true;
  return false;
}

/* The number of the reply to that, or -1. */
static int reply_to(const struct setup *setup, const uint8_t *bytes, size_t length) {
  for (int i = 0; i < setup->numbers.replies; i++) {
    const struct bytes *received = &setup->replies[i].received;
    if (!starts_with(bytes, length, received)) continue;
    if (setup->reply_flags[i] & reply_to_prefix || length == received->length) return i;
  }
  return -1;
}

/* The bytes are told first, so that they are there when the delivery is. */
static void deliver(struct reading *reading, int32_t sequence, bool is_binary, const uint8_t *bytes, size_t length,
                    const struct arrival *arrival) {
  struct loop *loop = reading->loop;
  struct client *client = reading->client;
  const struct setup *setup = &loop->engine->setup;
  if (client->is_asking) {
    client->is_asking = false;
    loop->outbox.has_urgent = true;
  }
  if (is_acknowledgement(setup, bytes, length)) {
    outbox_delivery(loop, ring_acknowledgements, client->id, sequence, arrival);
    return;
  }
  if (setup->numbers.tells_deliveries)
    tell(reading, is_binary ? event_delivery_binary : event_delivery_text, bytes, length, arrival);
  outbox_delivery(loop, ring_deliveries, client->id, sequence, arrival);
  if (setup->numbers.keeps_positions) keep_position(reading, bytes, length);
}

static bool is_ascii(const uint8_t *bytes, size_t length) {
  uint64_t high = 0, eight;
  for (; length >= 8; bytes += 8, length -= 8) {
    memcpy(&eight, bytes, 8);
    high |= eight;
  }
  while (length > 0) high |= bytes[--length];
  return (high & UINT64_C(0x8080808080808080)) == 0;
}

/* False for what JavaScript has to judge: whether it is a delivery, or UTF-8. Deliveries skip the check of section 8.1,
   which would read every byte again. */
static bool take_message(struct reading *reading, bool is_binary, const uint8_t *bytes, size_t length,
                         const struct arrival *arrival) {
  struct loop *loop = reading->loop;
  const struct setup *setup = &loop->engine->setup;
  int32_t sequence = sequence_of(loop, bytes, length);
  if (sequence != -1) {
    if (!is_delivery(setup, bytes, length)) return false;
    deliver(reading, sequence, is_binary, bytes, length, arrival);
    return true;
  }
  if (!is_binary && !is_ascii(bytes, length)) return false;
  int reply = is_binary ? -1 : reply_to(setup, bytes, length);
  if (reply == -1) {
    tell(reading, is_binary ? event_binary : event_text, bytes, length, arrival);
  } else if (setup->reply_flags[reply] & reply_has_answer) {
    const struct bytes *answer = &setup->replies[reply].answer;
    send_control(loop, reading->client, op_text, answer->data, answer->length);
  }
  return true;
}

/* Whether the first two bytes of a frame are of a kind that is taken here: final, with neither extension nor mask. */
static bool is_ours(const uint8_t *bytes) {
  uint8_t opcode = bytes[0] & 0x7f;
  if (!(bytes[0] & 0x80) || bytes[1] & 0x80) return false;
  if (opcode == op_text || opcode == op_binary) return true;
  return (opcode == op_ping || opcode == op_pong) && bytes[1] <= largest_control_payload;
}

static uint64_t big_endian(const uint8_t *bytes, size_t length) {
  uint64_t value = 0;
  for (size_t i = 0; i < length; i++) value = value << 8 | bytes[i];
  return value;
}

/* Section 5.2. Takes the frame at `bytes`, behind which a read has `behind` bytes, and gives its length; 0 if it is not
   ours, and below zero how many bytes it needs. */
static ssize_t read_frame(struct reading *reading, const uint8_t *bytes, size_t length, uint8_t flags, size_t behind) {
  if (length < 2) return -2;
  if (!is_ours(bytes)) return 0;
  size_t head = 2;
  uint64_t payload = bytes[1];
  if (payload >= 126) {
    size_t more = payload == 126 ? 2 : 8;
    head += more;
    if (length < head) return -(ssize_t)head;
    payload = big_endian(bytes + 2, more);
  }
  if (payload > largest_frame) return 0;
  size_t whole = head + (size_t)payload;
  if (whole > length) return -(ssize_t)whole;
  uint8_t opcode = bytes[0] & 0x0f;
  if (opcode == op_ping) {
    send_control(reading->loop, reading->client, op_pong, bytes + head, (size_t)payload);
  } else {
    struct arrival arrival = *reading->arrival;
    arrival.flags |= flags | (reading->frames > 0 ? flag_coalesced : 0);
    if (arrival.is_exact_at_end && whole == length && behind == 0) arrival.not_before_ns = arrival.stamp_ns;
    if (opcode == op_pong) tell(reading, event_pong, bytes + head, (size_t)payload, &arrival);
    else if (!take_message(reading, opcode == op_binary, bytes + head, (size_t)payload, &arrival)) return 0;
  }
  reading->frames++;
  return (ssize_t)whole;
}

/* Fills the frame that was cut off: first its head, then the whole of it. Gives how many bytes it took. `cut` of the
   frame's came in earlier reads. */
static size_t resume_frame(struct reading *reading, const uint8_t *bytes, size_t length, size_t cut) {
  struct client *client = reading->client;
  /* What takes the frame may free the client. */
  struct part *part = client->part;
  client->part = NULL;
  size_t missing = part->needed - part->bytes.length;
  size_t taken = missing < length ? missing : length;
  buffer_append(&part->bytes, bytes, taken);
  ssize_t used = taken < missing ? -(ssize_t)part->needed
                                 : read_frame(reading, part->bytes.data, part->bytes.length, flag_fragmented,
                                              length - taken);
  if (used < 0) {
    part->needed = (size_t)-used;
    client->part = part;
    return taken;
  }
  if (used == 0) {
    buffer_append(&part->bytes, bytes + taken, length - taken);
    hand_over(reading, part->bytes.data, part->bytes.length, cut);
    taken = length;
  }
  buffer_free(&part->bytes);
  free(part);
  return taken;
}

static void keep_part(struct client *client, const uint8_t *bytes, size_t length, size_t needed) {
  client->part = must_allocate(1, sizeof *client->part);
  client->part->needed = needed;
  buffer_append(&client->part->bytes, bytes, length);
}

void frames_receive(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length,
                    const struct arrival *arrival, bool is_behind_other) {
  struct reading reading = {.loop = loop, .client = client, .arrival = arrival, .frames = is_behind_other};
  size_t cut = client->part == NULL ? 0 : client->part->bytes.length, at = 0;
  if (length > 0 && !frames_are_trusted(client)) {
    hand_over(&reading, bytes, length, 0);
    return;
  }
  while (at < length && client->state == state_open) {
    if (client->part != NULL) {
      at += resume_frame(&reading, bytes + at, length - at, cut);
      continue;
    }
    ssize_t used = read_frame(&reading, bytes + at, length - at, 0, 0);
    if (used < 0) keep_part(client, bytes + at, length - at, (size_t)-used);
    if (used == 0) hand_over(&reading, bytes + at, length - at, 0);
    at = used > 0 ? at + (size_t)used : length;
  }
}
