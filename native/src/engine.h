/* The native wire engine: WebSocket clients on threads that each have an epoll and a descriptor table of their own.
   They move bytes, take whole messages and answer pings; all the rest of RFC 6455 JavaScript judges. */
#ifndef RINGSIDE_ENGINE_H
#define RINGSIDE_ENGINE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "shared.h"

/* ---- Memory (buffer.c) ---- */

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

struct link {
  struct link *next, *previous;
};

void link_begin(struct link *list);
void link_add(struct link *list, struct link *link);
bool link_is_empty(const struct link *list);
/* Does nothing to what is in no list. */
void link_remove(struct link *link);

/* ---- What an engine is set up with (setup.c) ---- */

struct reply {
  struct bytes received, answer;
};

/* Any text that begins with what is received; what is received is answered. */
enum reply_flag { reply_to_prefix = 1, reply_has_answer = 2 };

/* src/wire/native/addon.ts has the same numbers in the same order, and behind them the flags of each reply. */
struct numbers {
  int64_t capacity, loops, port;
  int64_t origin_ns, connect_timeout_ns, close_timeout_ns;
  /* Bytes of an upgrade's answer, and of what waits for a target that does not read. */
  int64_t largest_head, most_unsent;
  int64_t sequence_offset, sequence_digits;
  /* One of `enum vouching`, the versions of TLS, and one of `enum resuming`. */
  int64_t tls, tls_least, tls_most, tls_resume;
  /* Whether JavaScript is told of each delivery's bytes. */
  int64_t has_judge, keeps_positions, tells_deliveries;
  /* How many texts there are behind the marker and the acknowledgement; a reply has two. */
  int64_t identities, targets, sources, delivery_heads, replies;
};

/* Who vouches for the target: nobody, given authorities, or those that Node has by itself, which are given too. */
enum vouching { tls_none, tls_insecure, tls_by_given, tls_by_default };
/* Which sessions a client offers to resume: none, the newest of all clients, or its own. */
enum resuming { resume_none, resume_shared, resume_own };

struct setup {
  struct numbers numbers;
  /* Of OpenSSL; NULL without TLS. The authorities are PEM, and so are the identities, each a key and its certificates.
     The sessions that clients may resume are kept behind the mutex. */
  void *tls_context, **sessions;
  pthread_mutex_t sessions_mutex;
  struct bytes server_name, authorities, ciphers, cipher_suites, *identities;
  /* What a proxy is asked; empty without one. */
  struct bytes tunnel;
  uint8_t *reply_flags;
  /* In the order of their counts. With a judge, messages with a number are deliveries for certain only if they start
     with one of the heads. Replies go without JavaScript. */
  struct bytes *texts, marker, acknowledgement, *delivery_heads;
  struct reply *replies;
  struct sockaddr_storage *targets, *sources;
};

/* Copies what it is given. False where TLS is not to be had. */
bool setup_read(struct setup *setup, const int64_t *numbers, const struct bytes *texts, size_t text_count);
void setup_free(struct setup *setup);

/* ---- Clocks and stamps (stamps.c) ---- */

struct clocks {
  int64_t origin_ns;
  /* CLOCK_REALTIME less CLOCK_MONOTONIC, and when it was last read closely. */
  int64_t offset_ns, synced_ns;
  /* Frames that arrived before a step of the wall clock may still be in the kernel. */
  bool is_suspect;
  uint32_t steps;
  const struct shared *shared;
};

/* CLOCK_MONOTONIC since JavaScript's origin of time. */
int64_t now_ns(const struct clocks *clocks);
void clocks_start(struct clocks *clocks, int64_t origin_ns, const struct shared *shared);
/* Looks whether the wall clock was set since the last look; gives the present. */
int64_t clocks_check(struct clocks *clocks, bool *is_stepped);
/* Asks the kernel to stamp what this socket receives. */
void stamps_enable(int fd);
/* The kernel's stamp of a read on our clock; 0 without one. */
int64_t stamp_of(struct clocks *clocks, struct msghdr *message);

/* ---- Clients and loops ---- */

enum state { state_free, state_connecting, state_upgrading, state_open, state_ended };

/* A client of this loop. Only the thread touches it, but for the atomic fields. */
struct client {
  /* In the list of connecting clients. */
  struct link link;
  struct account *account;
  /* The number whose certificate and session it uses. */
  int32_t id, identity;
  int fd;
  uint32_t generation;
  /* How much JavaScript was given to judge; it has found all of that sound. */
  uint32_t handed_over;
  bool is_trusted;
  bool is_asking;
  /* Our close frame was sent, or waits behind all other frames. */
  bool is_closing;
  uint8_t state;
  /* JavaScript dropped it: nothing more is sent or taken. */
  _Atomic bool is_leaving;
  /* Bytes that it may still read. */
  int64_t may_read;
  /* What is read next came no earlier. */
  int64_t drained_ns;
  struct handshake *handshake;
  struct part *part;
  struct outgoing *outgoing;
  struct buffer *position;
  /* Of OpenSSL; NULL without TLS. The request leaves once it is shaken. */
  void *ssl;
  bool is_shaken;
  /* The session that it offered, or gave last. */
  const void *session;
};

/* When a frame came. That which ends the read came with the stamped segment, if `is_exact_at_end`. */
struct arrival {
  int64_t stamp_ns, not_before_ns, drained_ns;
  uint8_t flags;
  bool is_exact_at_end;
};

/* src/wire/native/commands.ts writes posts with the same fields in the same order. */
enum command_kind { command_open, command_send, command_post, command_drop, command_trust, command_read };
/* A close is behind what waits, and the last. Pongs and pings are sent before what waits. A failed client says goodbye and no more; one that is closed does not
   even that. */
enum send_kind { send_talk, send_data, send_close, send_pong, send_ping };
enum drop_mode { drop_reset, drop_close, drop_vanish, drop_fail, drop_shut };
struct command {
  enum command_kind kind;
  /* Of a send or a drop its kind, of a post its token, of an open its identity, else how much is judged. */
  int32_t detail;
  /* Of a post when it is due, of a drop its close code, of a read its bytes. */
  double number;
  int slot;
  uint32_t generation;
  uint32_t length;
  uint8_t opcode;
};

struct commands {
  pthread_mutex_t mutex;
  struct buffer posted, running;
  bool is_signalled;
};

/* What is on its way to JavaScript (outbox.c). */
struct outbox {
  /* What the thread has yet to publish is counted, too. */
  uint32_t written[ring_count];
  /* What sockets are known to have had nothing before, if the stamps of deliveries turn out to be wrong. */
  double drained_ns[2][delivery_ring];
  /* Bytes of the arena that were ever given out, and the count behind each event in the ring. */
  uint64_t arena_used, arena_end[event_ring];
  bool has_urgent;
  /* Messages that are not published yet, and when those so far would have ended at the rate of much talk. */
  uint32_t talk;
  int64_t talk_ns;
  /* When JavaScript must hear of what is published; 0 if it needs to hear of nothing. */
  int64_t due_ns;
};

/* Talk is answered at once, and deliveries are not gathered, for so long after talk. Much talk has patience. */
enum { read_bytes = 262144, key_pool_bytes = 4096, prompt_ns = 20000000, talk_patience_ns = 500000 };

struct loop {
  struct engine *engine;
  struct shared *shared;
  size_t shared_bytes;
  int client_count;
  sem_t is_ready;
  int epoll_fd, wake_fd, timer_fd;
  bool has_own_table;
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
  uint8_t *read_buffer;
  uint8_t keys[key_pool_bytes];
  size_t keys_used;
  struct buffer frame;
  /* NULL without TLS. */
  struct tls *tls;
};

struct engine {
  struct setup setup;
  struct loop *loops;
  int loop_count;
  /* Tells JavaScript to look; `is_told` until it does. */
  int tell_fd;
  _Atomic bool is_told, is_disposed;
  /* The threads, the memory that JavaScript sees, and its handle. The last one frees. */
  _Atomic int references;
};

/* addon.c */
void engine_release(struct engine *engine);

/* loop.c; what JavaScript's thread calls comes first. */
bool loop_create(struct loop *loop, struct engine *engine, int index);
/* Starts the thread. Returns once that has its table. */
bool loop_start(struct loop *loop);
/* Ends all threads of the process, and waits for their ends. */
void loops_join(void);
void loop_post(struct loop *loop, const struct command *command, const void *bytes);
/* Commands in a row, each with its bytes. */
void loop_post_all(struct loop *loop, const void *commands, size_t length);
void loop_free(struct loop *loop);
/* Has epoll tell of what comes, and if `awaits_room` when there is room for more. */
bool loop_watch(const struct loop *loop, int operation, int fd, bool awaits_room, void *of);

/* outbox.c */
void outbox_delivery(struct loop *loop, enum ring ring, int32_t client, int32_t sequence,
                     const struct arrival *arrival);
struct event {
  enum event_kind kind;
  uint8_t flags;
  double a, b, c, d, e;
  const void *bytes;
  size_t length, cut;
};
void outbox_event(struct loop *loop, const struct client *client, const struct event *event);
/* Publishes at once what became of a posted send, so that nobody can know of its answer before. Gives its place. */
uint32_t outbox_report(struct loop *loop, const struct client *client, int32_t token, enum fate fate, int64_t sent_ns);
/* When all of that send had left. */
void outbox_written(struct loop *loop, uint32_t report, double written_ns);
/* Publishes what was written since, and tells JavaScript if it is time. */
void outbox_publish(struct loop *loop);
/* Whether so many messages come for JavaScript that one by one is too dear. */
bool outbox_has_much_talk(const struct loop *loop, int64_t now);
/* Milliseconds until JavaScript must be told, -1 for never. */
int outbox_timeout(const struct loop *loop);

/* posted.c */
void posted_add(struct loop *loop, const struct command *command, const uint8_t *bytes);
/* Sends what is due by now. */
void posted_send(struct loop *loop);
/* When the first one is due; INT64_MAX without one. */
int64_t posted_due_ns(const struct loop *loop);
/* Sets the timer to the next instant. */
void posted_arm(struct loop *loop);
void posted_free(struct loop *loop);

/* What epoll tells of: NULL wakes the loop, the loop is its timer, another even pointer is a client, and one more than
   a pointer a leftover. */
enum { tag_leftover = 1 };

/* connection.c */
struct handshake {
  int64_t started_ns, tcp_ns, tcp_least_ns, tls_ns;
  /* What of TLS was the target's at least, and when we had handled its last word. */
  double tls_least_ns, answered_ns;
  int target;
  /* No proxy has to be asked any more. */
  bool is_through;
  /* Of the answer, if only a part has come; what TLS says first. */
  struct buffer head, hello;
  size_t request_length;
  uint8_t request[];
};
void connection_open(struct loop *loop, struct client *client, const struct command *command, const uint8_t *request);
void connection_ready(struct loop *loop, struct client *client, uint32_t events);
/* Reads so much at most from now on. An end of TCP lifts that. */
void connection_read(struct loop *loop, struct client *client, int64_t bytes);
/* Says goodbye, if the mode has that, with `code`. */
void connection_drop(struct loop *loop, struct client *client, enum drop_mode mode, int code);
/* The proxy has reached the target. */
void connection_through(struct loop *loop, struct client *client);
/* Reports of a client, behind the position of its last delivery. */
void connection_tell(struct loop *loop, struct client *client, const struct event *event);
/* Tells an error of the system; one of `bind` is below zero. */
void connection_failed(struct loop *loop, struct client *client, int error);
void connection_failed_with(struct loop *loop, struct client *client, const struct event *event);
/* The target ended TCP, or TLS. */
void connection_ended(struct loop *loop, struct client *client);
void connections_expire(struct loop *loop);
/* The time until the next deadline of a connection, if it is less. */
int connections_timeout(struct loop *loop, int timeout_ms);
void connections_dispose(struct loop *loop);

/* leftover.c */
/* Takes over a client's socket, which awaits the end of TCP in that list, or is abandoned in it. */
struct leftover *leftover_of(struct loop *loop, struct client *client, struct link *list);
void leftover_say(struct loop *loop, struct leftover *leftover, struct bytes word, bool ends_writing);
/* Keeps the last word, which comes before our end of TCP. */
void leftover_end(struct leftover *leftover, struct bytes last);
void leftover_ready(struct loop *loop, struct leftover *leftover);
int64_t leftovers_due_ns(const struct loop *loop);
void leftovers_expire(struct loop *loop);
void leftovers_dispose(struct link *list);
/* By RST, which leaves no TIME_WAIT: waiting ports make the kernel's search for a free one ten times as slow. */
void reset(int fd);

/* tls.c */
/* The version of OpenSSL; NULL if this Node has none that we can use. */
const char *tls_version(void);
/* What all connections share; NULL without OpenSSL. */
void *tls_context(struct setup *setup);
void tls_context_free(struct setup *setup);
void tls_start(struct loop *loop);
void tls_end(struct loop *loop);
/* The last that a thread does. */
void tls_thread_over(void);
/* Makes the first word of a handshake, if the target speaks TLS. */
void tls_begin(struct loop *loop, struct client *client);
void tls_receive(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length,
                 const struct arrival *arrival);
/* The bytes as they leave, valid until the next of them; the same bytes without TLS. */
struct bytes tls_seal(struct loop *loop, struct client *client, const void *bytes, size_t length);
/* The last word of a connection; none without TLS. */
struct bytes tls_goodbye(struct loop *loop, struct client *client);
/* Tells of the handshake. */
void tls_tell(struct loop *loop, struct client *client);
void tls_free(struct client *client);

/* upgrade.c */
/* The answer of a proxy. */
void tunnel_read(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length);
void upgrade_read(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length,
                  const struct arrival *arrival);
/* Frees what only an upgrade needs, and ends its deadline. */
void handshake_free(struct client *client);

/* frames.c */
enum opcode { op_text = 1, op_binary = 2, op_close = 8, op_ping = 9, op_pong = 10 };
void frames_receive(struct loop *loop, struct client *client, const uint8_t *bytes, size_t length,
                    const struct arrival *arrival, bool is_behind_other);
/* Whether JavaScript has found sound all that it was given. */
bool frames_are_trusted(struct client *client);
void part_free(struct client *client);

/* send_queue.c */
/* A masked frame in `loop->frame` (RFC 6455, 5.3). */
void frame_make(struct loop *loop, uint8_t opcode, const void *payload, size_t length);
size_t frame_bytes(size_t payload_bytes);
void send_message(struct loop *loop, struct client *client, const struct command *command, const uint8_t *bytes);
bool send_has_room(const struct engine *engine, const struct account *account, size_t length);
/* Counts a frame of that length as waiting, until a write begins with it. */
void send_expect(struct account *account, size_t length, bool is_data);
/* Writes `loop->frame`, or lets it wait behind what waits. */
void send_frame(struct loop *loop, struct client *client, bool is_data);
/* A frame of our own, before what waits; ignored if too much of that kind waits already. */
void send_control(struct loop *loop, struct client *client, uint8_t opcode, const void *payload, size_t length);
void send_bytes(struct loop *loop, struct client *client, const void *bytes, size_t length);
/* What TLS has sealed, or never seals. */
void send_sealed(struct loop *loop, struct client *client, const void *bytes, size_t length);
void send_more(struct loop *loop, struct client *client);
/* Gives up what no write has begun with. What one has begun with is for `rest`, if there is one. */
void send_discard(struct client *client, struct buffer *rest);
/* Writes what it can of `out`; false after an error. */
bool write_out(int fd, struct buffer *out);

#endif
