/* A reader of WebSocket frames that does nothing else: what the kernel takes for a delivery, and no more. */
#ifndef FLOOR_H
#define FLOOR_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* What all loops do. */
struct plan {
  struct sockaddr_in target;
  const char *path;
  /* Sent once the WebSocket is open, masked; NULL sends nothing. */
  const char *subscription;
  struct in_addr sources[256];
  size_t sourceCount;
  int connectsPerSecond;
};

/* What one loop did. Its thread writes, the main thread reads. */
struct counts {
  atomic_ullong opened;
  atomic_ullong frames;
  atomic_ullong reads;
  atomic_ullong bytes;
};

/* Where a client stands in the stream of frames from its server (RFC 6455, 5.2). */
struct frames {
  uint64_t payloadLeft;
  uint8_t header[10];
  uint8_t headerBytes;
};

/* Counts the data frames that begin in these bytes, and the pings in `*pings`. */
uint64_t countFrames(struct frames *at, const uint8_t *bytes, size_t length, unsigned *pings);

/* Opens `clients` connections, from number `first`, and reads until the process ends. Ends the process on an error. */
void runLoop(const struct plan *plan, struct counts *counts, size_t first, size_t clients);

/* Writes the reason on stderr and ends the process. */
_Noreturn void fail(const char *what);

static inline void add(atomic_ullong *count, unsigned long long more) {
  atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_relaxed);
}

#endif
