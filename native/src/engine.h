/* The native wire engine: WebSocket clients on threads that each have an epoll and a descriptor table of their own. */
#ifndef RINGSIDE_ENGINE_H
#define RINGSIDE_ENGINE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

/* ---- Bytes ---- */

struct bytes {
  uint8_t *data;
  size_t length;
};

/* A buffer that grows; `from` is the first byte not yet taken. */
struct buffer {
  uint8_t *data;
  size_t from, length, capacity;
};

void buffer_append(struct buffer *buffer, const void *data, size_t length);
void buffer_free(struct buffer *buffer);
/* Memory that is there: the process ends without it. */
void *must_allocate(size_t count, size_t size);

/* ---- What an engine is set up with (`WireSetup`) ---- */

struct list {
  struct bytes *items;
  int count;
};

/* Any text that begins with what is `received`; what is received is answered. */
enum { reply_to_prefix = 1, reply_has_text = 2 };

/* A piece of the setup's memory. */
struct block {
  struct block *next;
  _Alignas(max_align_t) uint8_t data[];
};

struct setup {
  struct block *blocks;
  struct sockaddr_storage *targets, *sources;
  int target_count, source_count;
  /* The upgrade request, cut where a client's number belongs; the last part ends before the key's value. */
  struct list request, subprotocols;
  struct bytes marker, acknowledgement;
  int sequence_offset, sequence_digits;
  /* Messages with a number are deliveries if they start with one of these; others are for JavaScript to judge. */
  struct list delivery_heads;
  bool has_judge, keeps_positions;
  /* Talk that is answered without JavaScript, and the answers. */
  struct list received, replies;
  uint8_t *reply_flags;
  int64_t connect_timeout_ns, close_timeout_ns, origin_ns;
  int capacity, loop_count;
};

/* ---- Clocks and stamps (stamps.c) ---- */

struct clocks {
  int64_t origin_ns;
  /* CLOCK_REALTIME less CLOCK_MONOTONIC, and when it was last read closely. */
  int64_t offset_ns, synced_ns;
  /* Frames that arrived before a step of the wall clock may still be in the kernel. */
  bool is_suspect;
  uint64_t steps;
  /* For tests: how far the wall clock seems to be set, and when that was by its own time. */
  _Atomic int64_t injected_ns, injected_at_ns;
};

/* CLOCK_MONOTONIC since JavaScript's origin of time. */
int64_t now_ns(const struct clocks *clocks);
void clocks_start(struct clocks *clocks, int64_t origin_ns);
/* Looks whether the wall clock was set since the last look; gives the present. */
int64_t clocks_check(struct clocks *clocks, bool *is_stepped);
void clocks_inject(struct clocks *clocks, int64_t step_ns);
/* Asks the kernel to stamp what this socket receives. */
void stamps_enable(int fd);
/* The kernel's stamp of a read on our clock; 0 without one. */
int64_t stamp_of(struct clocks *clocks, struct msghdr *message);

/* ---- Deliveries and events on their way to JavaScript (outbox.c) ---- */

enum { delivery_ring = 8192, event_ring = 4096, report_ring = 16384, arena_bytes = 524288 };
enum flag { flag_coalesced = 1, flag_fragmented = 2, flag_unstamped = 4, flag_stepped = 8 };
enum event_kind { event_opened = 1, event_text, event_binary, event_candidate, event_position, event_closed };
/* Flags of events. Those of a candidate's delivery stand above them. */
enum { event_is_binary = 1, event_is_errno = 2, event_of_bind = 4, event_is_large = 8, delivery_flag_shift = 4 };

/* Rings with one writer, the thread, and one reader, JavaScript. `head` counts what was published, `tail` what was
   taken, and `written` what the thread has yet to publish. */
struct ring {
  uint32_t written;
  _Atomic uint32_t head, tail;
};

struct deliveries {
  struct ring ring;
  int32_t *client, *sequence;
  double *received_ns, *not_before_ns;
  uint8_t *flags;
  /* What the socket is known to have had nothing before, if the stamps turn out to be wrong. */
  double *drained_ns;
};

struct events {
  struct ring ring;
  int32_t *client;
  uint32_t *offset, *length;
  double *a, *b, *c, *d, *e, *address;
  uint8_t *kind, *flags, *generation;
};

/* What became of a send that was posted ahead. */
enum fate { fate_sent = 0, fate_gone, fate_unread };

/* JavaScript has no more of them under way than the ring holds. `written_ns` may follow what is published. */
struct reports {
  struct ring ring;
  int32_t *client, *token;
  double *sent_ns;
  _Atomic double *written_ns;
  uint8_t *fate;
};

struct outbox {
  struct deliveries deliveries, acknowledgements;
  struct events events;
  struct reports reports;
  uint8_t *arena;
  /* Bytes of the arena that were ever given out, and the count behind each event in the ring. */
  uint64_t arena_used, *arena_end;
  void *memory;
  size_t memory_bytes;
  bool has_urgent, has_reports;
  /* When JavaScript must hear of what is published; 0 if it needs to hear of nothing. */
  int64_t due_ns;
};

/* When a frame came. That which ends the read came with the stamped segment, if `is_exact_at_end`. */
struct arrival {
  int64_t stamp_ns, not_before_ns, drained_ns;
  uint8_t flags;
  bool is_exact_at_end;
};

/* ---- Clients and connections ---- */

enum state { state_free, state_connecting, state_upgrading, state_open };

struct handshake {
  int64_t started_ns, tcp_ns, tcp_least_ns;
  double number;
  int target;
  char accept[29];
  struct buffer head;
};

/* Frames of which only a part has come, and messages of which not all fragments have (RFC 6455, 5.4). */
struct receiver {
  struct buffer frame;
  size_t frame_needed;
  struct buffer message;
  uint8_t opcode;
  int frames;
};

struct waiting {
  struct waiting *next;
  size_t length;
  bool is_data;
  uint8_t frame[];
};

/* What a connection has to write (send_queue.c): `out` before `first`. */
struct outgoing {
  struct buffer out;
  struct waiting *first, **last;
};

struct link {
  struct link *next, *previous;
};

/* A client of this loop. Only the thread touches it, but for the atomic fields. */
struct client {
  /* In the list of connecting clients. */
  struct link link;
  int32_t id;
  int fd;
  uint8_t state, generation;
  bool is_asking;
  /* What is read next came no earlier; when our last word had left, INT64_MAX while one waits. */
  int64_t drained_ns;
  _Atomic int64_t left_ns;
  /* Bytes that were sent and no write has begun with; how many sends of the run no write has ever begun with. */
  _Atomic uint32_t waiting_bytes, unsent;
  /* JavaScript dropped it: nothing more is sent or taken. */
  _Atomic bool is_leaving;
  struct handshake *handshake;
  struct receiver *receiver;
  struct outgoing *outgoing;
  struct buffer *position;
};

/* What epoll tells of: NULL wakes the loop, the loop is its timer, another even pointer is a client, and one more than
   a pointer a leftover. */
enum { tag_leftover = 1 };

/* A socket that its client has left: it waits for the end of TCP, or was abandoned half open. */
struct leftover {
  struct link link;
  int fd;
  int64_t due_ns;
  bool ends_writing;
  struct buffer out;
};

/* ---- Loops and engines ---- */

enum { read_bytes = 262144, events_per_wait = 256, key_pool_bytes = 4096 };
enum { prompt_ns = 20000000, gathering_ns = 1000000, most_wake_ns = 50000 };

struct commands {
  pthread_mutex_t mutex;
  struct buffer posted, running;
  bool is_signalled;
};

struct loop {
  struct engine *engine;
  int index, client_count;
  pthread_t thread;
  sem_t is_ready;
  int epoll_fd, wake_fd, timer_fd, stamping_fd;
  _Atomic int tid;
  _Atomic bool has_own_table, is_over;
  _Atomic int64_t cpu_ns, core_wait_ns;
  struct clocks clocks;
  struct outbox outbox;
  struct commands commands;
  struct client *clients;
  struct link connecting, closing, vanished;
  /* How many clients wait for TCP; whether one ever had to wait. */
  int dialled;
  bool is_far;
  /* Sends that JavaScript posted ahead, by their instants, and the instant that the timer is set to. */
  struct link posted;
  int64_t timer_ns;
  /* The return of the last wait; what it reported became ready after `ready_from_ns`. */
  int64_t woke_ns, ready_from_ns, looked_ns;
  /* Until then somebody may wait for what comes. */
  int64_t prompt_until_ns;
  /* Where the marker was in the last delivery. */
  size_t marker_at;
  int target;
  uint8_t *read_buffer;
  uint8_t keys[key_pool_bytes];
  size_t keys_used;
  struct buffer frame;
  _Atomic uint64_t reads, steps;
};

struct engine {
  struct setup setup;
  struct loop *loops;
  /* Tells JavaScript to look; `is_told` until it does. */
  int tell_fd;
  _Atomic bool is_told, is_disposed;
  /* The threads, the memory that JavaScript sees, and its handle. The last one frees. */
  _Atomic int references;
};

void engine_release(struct engine *engine);

/* outbox.c */
/* An array of an outbox, by the ring that it is of and its name in JavaScript; without one only C has it. The last
   column is of no ring. */
enum column_type { column_uint8, column_int32, column_uint32, column_double };
struct column {
  const char *ring, *name;
  enum column_type type;
  size_t length, offset;
};
extern const struct column outbox_columns[];
void outbox_create(struct outbox *outbox);
void outbox_free(struct outbox *outbox);
void outbox_delivery(struct loop *loop, struct deliveries *to, int32_t client, int32_t sequence,
                     const struct arrival *arrival);
struct event {
  enum event_kind kind;
  uint8_t flags;
  double a, b, c, d, e;
  const void *bytes;
  size_t length;
};
void outbox_event(struct loop *loop, const struct client *client, const struct event *event);
/* Publishes at once what became of a posted send, so that nobody can know of its answer before. Gives its place. */
uint32_t outbox_report(struct loop *loop, const struct client *client, int32_t token, enum fate fate, int64_t sent_ns);
/* When all of that send had left. */
void outbox_written(struct loop *loop, uint32_t report, int64_t written_ns);
/* Publishes what was written since, and tells JavaScript if it is time. */
void outbox_publish(struct loop *loop);
/* Milliseconds until JavaScript must be told, -1 for never. */
int outbox_timeout(const struct loop *loop);

/* loop.c */
bool loop_start(struct loop *loop);
void loop_wake(struct loop *loop);
/* How long the thread ran so far, and was ready to run without a core. */
void loop_measure(const struct loop *loop, int64_t *cpu_ns, int64_t *core_wait_ns);
/* Waits for a moment; false once the engine is disposed of. */
bool loop_pause(struct loop *loop);
enum command_kind { command_open = 1, command_send, command_post, command_drop };
struct command {
  enum command_kind kind;
  int32_t slot, token;
  uint32_t length;
  uint8_t mode, opcode, generation;
  bool is_data;
  double number, at_ns;
};
void loop_post(struct loop *loop, const struct command *command, const void *bytes);

/* posted.c */
void posted_add(struct loop *loop, const struct command *command, const uint8_t *bytes);
/* Sends what is due by now. */
void posted_send(struct loop *loop);
/* Sets the timer to the next instant. */
void posted_arm(struct loop *loop);
void posted_free(struct loop *loop);

/* connection.c */
enum drop_mode { drop_reset, drop_close, drop_vanish };
enum close_code { close_normal = 1000, close_protocol_error = 1002, close_none = 1005, close_invalid_payload = 1007,
                  close_policy_violation = 1008, close_too_big = 1009 };
void connection_open(struct loop *loop, struct client *client, const struct command *command);
void connection_ready(struct loop *loop, struct client *client, uint32_t events);
/* Has it told when the kernel takes more of what waits. */
void connection_await_room(struct loop *loop, struct client *client);
void connection_drop(struct loop *loop, struct client *client, enum drop_mode mode);
/* Reports of a client, behind the position of its last delivery. */
void connection_tell(struct loop *loop, struct client *client, const struct event *event);
void connection_ended(struct loop *loop, struct client *client, const char *cause);
void connection_failed(struct loop *loop, struct client *client, int error, bool is_bind);
/* Frees what only an upgrade needs, and ends its deadline. */
void handshake_free(struct client *client);
/* Says goodbye with a code (none without one) and leaves ending TCP to the target; `ends_writing`: not to it. */
void connection_say_close(struct loop *loop, struct client *client, int code, bool ends_writing, const char *cause);
void connections_expire(struct loop *loop);
int connections_timeout(struct loop *loop, int timeout_ms);
void connections_dispose(struct loop *loop);
void leftover_ready(struct loop *loop, struct leftover *leftover, uint32_t events);

/* upgrade.c */
/* The request, in `loop->frame`. */
void upgrade_make(struct loop *loop, struct client *client);
void upgrade_read(struct loop *loop, struct client *client, uint8_t *bytes, size_t length, struct arrival *arrival);
void sha1(const uint8_t *bytes, size_t length, uint8_t digest[20]);

/* frames.c */
void frames_receive(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length,
                    const struct arrival *arrival, bool is_behind_other);
void receiver_free(struct client *client);
bool is_utf8(const uint8_t *bytes, size_t length);
/* A masked frame in `loop->frame` (RFC 6455, 5.3). */
void frame_make(struct loop *loop, uint8_t opcode, const void *payload, size_t length);
size_t frame_bytes(size_t payload_bytes);
void random_key(struct loop *loop, uint8_t *key, size_t length);

/* scan.c */
int32_t scan_sequence(struct loop *loop, const uint8_t *bytes, size_t length);
bool scan_is_acknowledgement(const struct setup *setup, const uint8_t *bytes, size_t length);
enum judgement { is_delivery, is_candidate };
enum judgement scan_judge(const struct setup *setup, const uint8_t *bytes, size_t length);
/* The number of the reply to that, or -1. */
int scan_reply(const struct setup *setup, const uint8_t *bytes, size_t length);

/* send_queue.c */
enum { most_unsent_bytes = 1048576 };
void send_message(struct loop *loop, struct client *client, const struct command *command, const uint8_t *bytes);
bool send_has_room(const struct client *client, size_t length);
/* Counts a frame of that length as waiting, until a write begins with it. */
void send_expect(struct client *client, size_t length, bool is_data);
/* Writes `loop->frame`, or lets it wait behind what waits. */
void send_frame(struct loop *loop, struct client *client, bool is_data);
/* A frame of our own, before what waits; ignored if too much of that kind waits already. */
void send_control(struct loop *loop, struct client *client, uint8_t opcode, const void *payload, size_t length);
void send_bytes(struct loop *loop, struct client *client, const void *bytes, size_t length);
void send_more(struct loop *loop, struct client *client);
/* Gives up what no write has begun with. */
void send_discard(struct client *client);
void outgoing_free(struct outgoing *outgoing);
/* Writes what it can of `out`; false after an error. */
bool outgoing_write(int fd, struct buffer *out);

/* Only its own thread counts. */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t more) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}

static inline void link_add(struct link *list, struct link *link) {
  link->previous = list->previous;
  link->next = list;
  list->previous->next = link;
  list->previous = link;
}

static inline bool link_is_empty(const struct link *list) {
  return list->next == list;
}

static inline void link_remove(struct link *link) {
  if (link->next == NULL) return;
  link->previous->next = link->next;
  link->next->previous = link->previous;
  link->next = link->previous = NULL;
}

#endif
