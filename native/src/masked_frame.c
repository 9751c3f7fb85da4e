/* Frames of ours (RFC 6455, 5.3). */
#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

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
