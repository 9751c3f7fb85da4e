/* SHA-1 (RFC 3174), for the accept key alone. */
#include "engine.h"

#include <string.h>

static uint32_t rotate(uint32_t value, int by) {
  return value << by | value >> (32 - by);
}

static void digest_block(uint32_t state[5], const uint8_t *block) {
  uint32_t words[80];
  for (int i = 0; i < 16; i++, block += 4)
    words[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
  for (int i = 16; i < 80; i++) words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int i = 0; i < 80; i++) {
    uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                     : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                     : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                              : (b ^ c ^ d) + 0xca62c1d6;
    uint32_t next = rotate(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  const uint32_t sums[5] = {a, b, c, d, e};
  for (int i = 0; i < 5; i++) state[i] += sums[i];
}

/* Of up to 119 bytes. */
void sha1(const uint8_t *bytes, size_t length, uint8_t digest[20]) {
  uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  uint8_t blocks[128] = {0};
  size_t size = length < 56 ? 64 : 128;
  memcpy(blocks, bytes, length);
  blocks[length] = 0x80;
  for (int i = 0; i < 8; i++) blocks[size - 1 - (size_t)i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
  for (size_t at = 0; at < size; at += 64) digest_block(state, blocks + at);
  for (int i = 0; i < 20; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
