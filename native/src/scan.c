/* What a message is by its bytes: a delivery, an acknowledgement, or talk that is answered without JavaScript. */
#include "engine.h"

#include <string.h>

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

/* The sequence number in a message, or -1. Without a marker there is none. The marker nearly always stands where it stood in the last delivery. */
int32_t scan_sequence(struct loop *loop, const uint8_t *bytes, size_t length) {
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

bool scan_is_acknowledgement(const struct setup *setup, const uint8_t *bytes, size_t length) {
  const struct bytes *word = &setup->acknowledgement;
  return word->length > 0 && memmem(bytes, length, word->data, word->length) != NULL;
}

bool scan_is_delivery(const struct setup *setup, const uint8_t *bytes, size_t length) {
  if (!setup->numbers.has_judge) return true;
  for (int i = 0; i < setup->numbers.delivery_heads; i++)
    if (starts_with(bytes, length, &setup->delivery_heads[i])) return true;
  return false;
}

int scan_reply(const struct setup *setup, const uint8_t *bytes, size_t length) {
  for (int i = 0; i < setup->numbers.replies; i++) {
    const struct bytes *received = &setup->replies[i].received;
    if (!starts_with(bytes, length, received)) continue;
    if (setup->reply_flags[i] & reply_to_prefix || length == received->length) return i;
  }
  return -1;
}
