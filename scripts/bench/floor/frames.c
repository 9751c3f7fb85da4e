/* Frames of a server: never masked, whole or cut anywhere. */
#include "floor.h"

enum { opcodeMask = 0x0f, opcodeClose = 8, opcodePing = 9, lengthMask = 0x7f };

static size_t headerLength(uint8_t second) {
  uint8_t length = second & lengthMask;
  return length == 127 ? 10 : length == 126 ? 4 : 2;
}

static uint64_t payloadLength(const uint8_t *header) {
  uint8_t length = header[1] & lengthMask;
  if (length < 126) return length;
  uint64_t extended = 0;
  for (size_t i = 2; i < headerLength(header[1]); i++) extended = extended << 8 | header[i];
  return extended;
}

uint64_t countFrames(struct frames *at, const uint8_t *bytes, size_t length, unsigned *pings) {
  uint64_t found = 0;
  for (size_t i = 0; i < length;) {
    if (at->payloadLeft > 0) {
      size_t part = at->payloadLeft < length - i ? at->payloadLeft : length - i;
      at->payloadLeft -= part;
      i += part;
      continue;
    }
    at->header[at->headerBytes++] = bytes[i++];
    if (at->headerBytes < 2 || at->headerBytes < headerLength(at->header[1])) continue;
    at->payloadLeft = payloadLength(at->header);
    at->headerBytes = 0;
    uint8_t opcode = at->header[0] & opcodeMask;
    if (opcode == opcodeClose) fail("the server closed a connection");
    if (opcode == opcodePing) (*pings)++;
    else if (opcode < opcodeClose) found++;
  }
  return found;
}
