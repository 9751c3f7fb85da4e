/* Deliveries, acknowledgements and events on their way to JavaScript: rings that a thread fills and publishes at the
   end of a wait's work, once the wall clock is known not to have been set meanwhile. Reports of posted sends, which no
   stamp of the kernel times, are published one by one. Nothing here takes a lock. */
#include "engine.h"

#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

enum { patience_ns = 20000000, acknowledgement_patience_ns = 5000000, pause_ns = 500000 };
/* Much talk: beyond four messages a millisecond, once 16 came at that rate. What is counted is forgotten in 16 ms. */
enum { talk_every_ns = 250000, much_talk_ns = 4000000, most_talk_ns = 16000000 };

/* How many in a ring JavaScript has yet to take, published or not. */
static uint32_t waiting_in(struct loop *loop, enum ring ring) {
  return loop->outbox.written[ring] - atomic_load_explicit(&loop->shared->tails[ring], memory_order_acquire);
}

static uint32_t head_of(struct loop *loop, enum ring ring) {
  return atomic_load_explicit(&loop->shared->heads[ring], memory_order_relaxed);
}

static bool is_unpublished(struct loop *loop, enum ring ring) {
  return head_of(loop, ring) != loop->outbox.written[ring];
}

static void publish(struct loop *loop, enum ring ring) {
  atomic_store_explicit(&loop->shared->heads[ring], loop->outbox.written[ring], memory_order_release);
}

/* Lets JavaScript take what is there until there is room. False once the engine is disposed of. */
static bool wait_for_room(struct loop *loop) {
  const struct timespec moment = {.tv_nsec = pause_ns};
  int64_t from_ns = now_ns(&loop->clocks);
  loop->outbox.has_urgent = true;
  outbox_publish(loop);
  nanosleep(&moment, NULL);
  /* Only this thread counts. */
  loop->shared->held_up_ns = loop->shared->held_up_ns + (double)(now_ns(&loop->clocks) - from_ns);
  return !atomic_load(&loop->engine->is_disposed);
}

/* No stamp of this wait can be believed. They came since the socket was last drained, and are here now. */
static void mark_stepped(struct loop *loop, enum ring ring, int64_t at_ns) {
  struct deliveries *deliveries = &loop->shared->deliveries[ring];
  for (uint32_t i = head_of(loop, ring); i != loop->outbox.written[ring]; i++) {
    uint32_t at = i % delivery_ring;
    deliveries->not_before_ns[at] = loop->outbox.drained_ns[ring][at];
    deliveries->received_ns[at] = (double)at_ns;
    deliveries->flags[at] |= flag_unstamped | flag_stepped;
  }
}

/* The same of answers, talk and raw bytes: they came since nobody knows when. */
static void mark_events(struct loop *loop, int64_t at_ns) {
  struct events *events = &loop->shared->events;
  for (uint32_t i = head_of(loop, ring_events); i != loop->outbox.written[ring_events]; i++) {
    uint32_t at = i % event_ring;
    if (events->kind[at] == event_shaken) events->b[at] = 0;
    if (events->kind[at] > event_raw) continue;
    events->b[at] = (double)at_ns;
    if (events->kind[at] == event_opened) events->e[at] = events->d[at];
    else events->a[at] = 0;
    if (events->kind[at] != event_raw) continue;
    events->flags[at] |= (flag_unstamped | flag_stepped) << delivery_shift;
    events->flags[at] &= (uint8_t)~event_is_exact;
  }
}

void outbox_delivery(struct loop *loop, enum ring ring, int32_t client, int32_t sequence,
                     const struct arrival *arrival) {
  struct deliveries *to = &loop->shared->deliveries[ring];
  while (waiting_in(loop, ring) >= delivery_ring)
    if (!wait_for_room(loop)) return;
  uint32_t at = loop->outbox.written[ring]++ % delivery_ring;
  to->client[at] = client;
  to->sequence[at] = sequence;
  to->received_ns[at] = (double)arrival->stamp_ns;
  to->not_before_ns[at] = (double)arrival->not_before_ns;
  to->flags[at] = arrival->flags;
  loop->outbox.drained_ns[ring][at] = (double)arrival->drained_ns;
}

/* Where so many bytes fit in one piece, as a count of all bytes ever given out; UINT64_MAX if they do not now. */
static uint64_t room_for(struct loop *loop, size_t length) {
  struct outbox *outbox = &loop->outbox;
  uint32_t waiting = waiting_in(loop, ring_events);
  /* Behind what JavaScript took last. */
  uint64_t *freed = &outbox->arena_end[(outbox->written[ring_events] - waiting - 1) % event_ring];
  uint64_t at = outbox->arena_used, rest = arena_bytes - at % arena_bytes;
  if (waiting == 0 || rest < length) at += rest % arena_bytes;
  /* With nothing waiting it begins anew, where pages are in use already. */
  if (waiting == 0) *freed = at;
  return at + length - *freed <= arena_bytes ? at : UINT64_MAX;
}

static bool is_talk(enum event_kind kind) {
  return kind == event_text || kind == event_binary || kind == event_delivery_text || kind == event_delivery_binary;
}

void outbox_event(struct loop *loop, const struct client *client, const struct event *event) {
  struct outbox *outbox = &loop->outbox;
  struct events *events = &loop->shared->events;
  uint64_t place = UINT64_MAX;
  while (waiting_in(loop, ring_events) >= event_ring - 1 || (place = room_for(loop, event->length)) == UINT64_MAX)
    if (!wait_for_room(loop)) return;
  uint32_t at = outbox->written[ring_events]++ % event_ring;
  if (event->length > 0) memcpy(loop->shared->arena + place % arena_bytes, event->bytes, event->length);
  outbox->arena_used = outbox->arena_end[at] = place + event->length;
  events->offset[at] = (uint32_t)(place % arena_bytes);
  events->length[at] = (uint32_t)event->length;
  events->cut[at] = (uint32_t)event->cut;
  events->a[at] = event->a;
  events->b[at] = event->b;
  events->c[at] = event->c;
  events->d[at] = event->d;
  events->e[at] = event->e;
  events->client[at] = client->id;
  events->generation[at] = client->generation;
  events->behind[at] = outbox->written[ring_deliveries];
  events->kind[at] = (uint8_t)event->kind;
  events->flags[at] = event->flags;
  if (is_talk(event->kind)) outbox->talk++;
  else outbox->has_urgent = true;
}

uint32_t outbox_report(struct loop *loop, const struct client *client, int32_t token, enum fate fate, int64_t sent_ns) {
  struct reports *reports = &loop->shared->reports;
  uint32_t at = loop->outbox.written[ring_reports]++ % report_ring;
  reports->client[at] = client->id;
  reports->token[at] = token;
  reports->fate[at] = (uint8_t)fate;
  reports->sent_ns[at] = (double)sent_ns;
  outbox_written(loop, at, 0);
  publish(loop, ring_reports);
  if (loop->outbox.due_ns == 0) loop->outbox.due_ns = sent_ns + patience_ns;
  return at;
}

void outbox_written(struct loop *loop, uint32_t report, double written_ns) {
  atomic_store_explicit(&loop->shared->reports.written_ns[report], written_ns, memory_order_relaxed);
}

static void tell(struct loop *loop) {
  struct engine *engine = loop->engine;
  loop->outbox.has_urgent = false;
  loop->outbox.due_ns = 0;
  if (!atomic_exchange(&engine->is_told, true)) eventfd_write(engine->tell_fd, 1);
}

bool outbox_has_much_talk(const struct loop *loop, int64_t now) {
  return loop->outbox.talk_ns > now + much_talk_ns;
}

static void tell_by(struct outbox *outbox, int64_t at_ns) {
  if (outbox->due_ns == 0 || outbox->due_ns > at_ns) outbox->due_ns = at_ns;
}

/* Little talk is told at once. Much is told so long after it can have come at the earliest: a wake for each would cost
   more than the message, and the kernel has stamped it. */
static void count_talk(struct loop *loop, int64_t now) {
  struct outbox *outbox = &loop->outbox;
  if (outbox->talk == 0) return;
  int64_t from_ns = outbox->talk_ns > now ? outbox->talk_ns : now;
  int64_t until_ns = from_ns + (int64_t)outbox->talk * talk_every_ns, due_ns = loop->ready_from_ns + talk_patience_ns;
  outbox->talk_ns = until_ns < now + most_talk_ns ? until_ns : now + most_talk_ns;
  outbox->talk = 0;
  if (!outbox_has_much_talk(loop, now)) outbox->has_urgent = true;
  else tell_by(outbox, due_ns);
}

/* Events are published first: who sees a delivery sees the opening of its client. */
void outbox_publish(struct loop *loop) {
  struct outbox *outbox = &loop->outbox;
  bool is_stepped;
  int64_t now = clocks_check(&loop->clocks, &is_stepped);
  if (is_stepped) {
    atomic_store(&loop->shared->clock_steps, loop->clocks.steps);
    mark_stepped(loop, ring_deliveries, now);
    mark_stepped(loop, ring_acknowledgements, now);
    mark_events(loop, now);
  }
  if (is_unpublished(loop, ring_deliveries)) tell_by(outbox, now + patience_ns);
  if (is_unpublished(loop, ring_acknowledgements)) tell_by(outbox, now + acknowledgement_patience_ns);
  count_talk(loop, now);
  publish(loop, ring_events);
  publish(loop, ring_acknowledgements);
  publish(loop, ring_deliveries);
  bool is_half_full = waiting_in(loop, ring_acknowledgements) >= delivery_ring / 2 ||
                      waiting_in(loop, ring_deliveries) >= delivery_ring / 2 ||
                      waiting_in(loop, ring_events) >= event_ring / 2;
  bool is_due = outbox->due_ns != 0 && (is_half_full || now >= outbox->due_ns);
  if (outbox->has_urgent) loop->prompt_until_ns = now + prompt_ns;
  if (outbox->has_urgent || is_due) tell(loop);
}

int outbox_timeout(const struct loop *loop) {
  if (loop->outbox.due_ns == 0) return -1;
  int64_t left_ns = loop->outbox.due_ns - now_ns(&loop->clocks);
  return left_ns <= 0 ? 0 : (int)((left_ns + 999999) / 1000000);
}
