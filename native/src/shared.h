/* The memory that a thread and JavaScript share. src/wire/native/layout.ts has the same fields in the same order. What
   one side reads while the other writes it has one writer, or is added to by both. */
#ifndef RINGSIDE_SHARED_H
#define RINGSIDE_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

enum { delivery_ring = 8192, event_ring = 4096, report_ring = 16384, arena_bytes = 4194304 };

/* Rings have one writer, the thread, and one reader, JavaScript. */
enum ring { ring_deliveries, ring_acknowledgements, ring_events, ring_reports, ring_count };

enum flag { flag_coalesced = 1, flag_fragmented = 2, flag_unstamped = 4, flag_stepped = 8 };

struct deliveries {
  double received_ns[delivery_ring], not_before_ns[delivery_ring];
  int32_t client[delivery_ring], sequence[delivery_ring];
  uint8_t flags[delivery_ring];
};

/* What a, b, c, d and e are:
   opened: when connecting began; when the answer came; nanoseconds of TCP, of TCP at least, of all at least. The bytes
   are the answer's head; of one that is no 101, with what came behind it.
   text, binary, pong, delivery_text, delivery_binary, raw: when the bytes came at the earliest, and at the latest; when our last word had left; if raw,
   how many pieces of the connection JavaScript was given to judge, with this one.
   position: none; the bytes are of a delivery.
   closed: the number of the system's error, below zero for one of `bind`, or 0 where the stream ended; the verdict on the
   target's certificate; whether a proxy refused. The bytes are the reason of OpenSSL, or the answer of the proxy.
   shaken, right before opened: nanoseconds of TLS, and at least. The bytes are its version. */
enum event_kind {
  event_opened = 1,
  event_text,
  event_binary,
  event_pong,
  event_delivery_text,
  event_delivery_binary,
  event_raw,
  event_position,
  event_closed,
  event_shaken
};

/* Of a raw event: its last frame came with the stamp; other frames of the read came before. Of an end: the socket stays
   until JavaScript drops it. Of a handshake: it resumed a session. Flags of deliveries in raw bytes stand above. */
enum event_flag { event_is_exact = 1, event_is_behind = 2, event_is_held = 4, event_is_resumed = 8, delivery_shift = 4 };

struct events {
  double a[event_ring], b[event_ring], c[event_ring], d[event_ring], e[event_ring];
  int32_t client[event_ring];
  /* Where its bytes are in the arena, and how many of them came in earlier reads. */
  uint32_t offset[event_ring], length[event_ring], cut[event_ring];
  uint32_t generation[event_ring];
  /* How many deliveries of the loop came before it. */
  uint32_t behind[event_ring];
  uint8_t kind[event_ring], flags[event_ring];
};

/* What became of a send that was posted ahead. */
enum fate { fate_sent = 0, fate_gone, fate_unread };

/* JavaScript has no more of them under way than the ring holds. `written_ns` may follow what is published. */
struct reports {
  double sent_ns[report_ring];
  _Atomic double written_ns[report_ring];
  int32_t client[report_ring], token[report_ring];
  uint8_t fate[report_ring];
};

struct account {
  /* When our last word had left; infinite while one waits. */
  _Atomic double left_ns;
  /* Bytes that were sent and no write has begun with; how many sends of the run no write has ever begun with. */
  _Atomic uint32_t waiting_bytes, unsent;
  /* How much of what was handed over JavaScript found sound; it writes it, or has it written. */
  _Atomic uint32_t judged;
  /* Bytes that a write has begun with and the kernel has yet to take. */
  _Atomic uint32_t under_way;
};

struct shared {
  /* How much was published, and how much JavaScript has taken, as counts modulo 2^32. */
  _Atomic uint32_t heads[ring_count], tails[ring_count];
  _Atomic uint32_t clock_steps, tid;
  /* Reads of sockets that brought bytes; how long the thread waited for JavaScript to take something. */
  _Atomic double reads, held_up_ns;
  /* Tests write how far the wall clock seems to be set, and when that was by its own time. */
  _Atomic double injected_ns, injected_at_ns;
  /* By `ring_deliveries` and `ring_acknowledgements`. */
  struct deliveries deliveries[2];
  struct reports reports;
  struct events events;
  uint8_t arena[arena_bytes];
  struct account accounts[];
};

#endif
