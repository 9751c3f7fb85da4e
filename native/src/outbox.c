/* Deliveries, acknowledgements and events on their way to JavaScript: rings that a thread fills and publishes at the
   end of a wait's work, once the wall clock is known not to have been set meanwhile. Reports of posted sends, which no
   stamp of the kernel times, are published one by one. Nothing here takes a lock. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t patience_ns = 5000000;

#define OF_DELIVERIES(ring, place)                                                                     \
  {ring, "client", column_int32, delivery_ring, offsetof(struct outbox, place.client)},                \
      {ring, "sequence", column_int32, delivery_ring, offsetof(struct outbox, place.sequence)},        \
      {ring, "receivedAtNs", column_double, delivery_ring, offsetof(struct outbox, place.received_ns)}, \
      {ring, "notBeforeNs", column_double, delivery_ring, offsetof(struct outbox, place.not_before_ns)}, \
      {ring, "flags", column_uint8, delivery_ring, offsetof(struct outbox, place.flags)},              \
      {ring, NULL, column_double, delivery_ring, offsetof(struct outbox, place.drained_ns)}

const struct column outbox_columns[] = {
    OF_DELIVERIES("deliveries", deliveries),
    OF_DELIVERIES("acknowledgements", acknowledgements),
    {"reports", "client", column_int32, report_ring, offsetof(struct outbox, reports.client)},
    {"reports", "token", column_int32, report_ring, offsetof(struct outbox, reports.token)},
    {"reports", "sentAtNs", column_double, report_ring, offsetof(struct outbox, reports.sent_ns)},
    {"reports", "writtenAtNs", column_double, report_ring, offsetof(struct outbox, reports.written_ns)},
    {"reports", "fate", column_uint8, report_ring, offsetof(struct outbox, reports.fate)},
    {"events", "kind", column_uint8, event_ring, offsetof(struct outbox, events.kind)},
    {"events", "flags", column_uint8, event_ring, offsetof(struct outbox, events.flags)},
    {"events", "generation", column_uint8, event_ring, offsetof(struct outbox, events.generation)},
    {"events", "client", column_int32, event_ring, offsetof(struct outbox, events.client)},
    {"events", "offset", column_uint32, event_ring, offsetof(struct outbox, events.offset)},
    {"events", "length", column_uint32, event_ring, offsetof(struct outbox, events.length)},
    {"events", "a", column_double, event_ring, offsetof(struct outbox, events.a)},
    {"events", "b", column_double, event_ring, offsetof(struct outbox, events.b)},
    {"events", "c", column_double, event_ring, offsetof(struct outbox, events.c)},
    {"events", "d", column_double, event_ring, offsetof(struct outbox, events.d)},
    {"events", "e", column_double, event_ring, offsetof(struct outbox, events.e)},
    {"events", "address", column_double, event_ring, offsetof(struct outbox, events.address)},
    {"events", NULL, column_double, event_ring, offsetof(struct outbox, arena_end)},
    {"events", "arena", column_uint8, arena_bytes, offsetof(struct outbox, arena)},
    {0},
};

/* Gives each column its place, and how many bytes all take. */
static size_t lay_out(struct outbox *outbox, uint8_t *memory) {
  static const size_t sizes[] = {[column_uint8] = 1, [column_int32] = 4, [column_uint32] = 4, [column_double] = 8};
  size_t used = 0;
  for (const struct column *column = outbox_columns; column->ring != NULL; column++) {
    uint8_t *at = memory + used;
    memcpy((uint8_t *)outbox + column->offset, &at, sizeof at);
    used += (column->length * sizes[column->type] + 63) & ~(size_t)63;
  }
  return used;
}

/* Pages that nothing is written to take no memory. */
void outbox_create(struct outbox *outbox) {
  static uint8_t nowhere[1];
  outbox->memory_bytes = lay_out(outbox, nowhere);
  outbox->memory = must_allocate(1, outbox->memory_bytes);
  lay_out(outbox, outbox->memory);
}

static uint8_t *large_of(const struct events *events, uint32_t at) {
  return (uint8_t *)(uintptr_t)events->address[at];
}

void outbox_free(struct outbox *outbox) {
  struct events *events = &outbox->events;
  for (uint32_t at = events->ring.tail; at != events->ring.written; at++)
    if (events->flags[at % event_ring] & event_is_large) free(large_of(events, at % event_ring));
  free(outbox->memory);
}

static uint32_t tail_of(struct ring *ring) {
  return atomic_load_explicit(&ring->tail, memory_order_acquire);
}

static bool is_full(struct ring *ring, uint32_t capacity) {
  return ring->written - tail_of(ring) >= capacity;
}

/* Lets JavaScript take what is there until there is room. False once the engine is disposed of. */
static bool wait_for_room(struct loop *loop) {
  loop->outbox.has_urgent = true;
  outbox_publish(loop);
  return loop_pause(loop);
}

/* No stamp of this wait can be believed. They came since the socket was last drained, and are here now. */
static void mark_stepped(struct deliveries *deliveries, int64_t at_ns) {
  for (uint32_t i = deliveries->ring.head; i != deliveries->ring.written; i++) {
    uint32_t at = i % delivery_ring;
    deliveries->not_before_ns[at] = deliveries->drained_ns[at];
    deliveries->received_ns[at] = (double)at_ns;
    deliveries->flags[at] |= flag_unstamped | flag_stepped;
  }
}

/* The same of what JavaScript may take for a delivery: it came since nobody knows when. */
static void mark_candidates(struct events *events, int64_t at_ns) {
  for (uint32_t i = events->ring.head; i != events->ring.written; i++) {
    uint32_t at = i % event_ring;
    if (events->kind[at] != event_candidate) continue;
    events->a[at] = 0;
    events->b[at] = (double)at_ns;
    events->flags[at] |= (flag_unstamped | flag_stepped) << delivery_flag_shift;
  }
}

void outbox_delivery(struct loop *loop, struct deliveries *to, int32_t client, int32_t sequence,
                     const struct arrival *arrival) {
  while (is_full(&to->ring, delivery_ring))
    if (!wait_for_room(loop)) return;
  uint32_t at = to->ring.written++ % delivery_ring;
  to->client[at] = client;
  to->sequence[at] = sequence;
  to->received_ns[at] = (double)arrival->stamp_ns;
  to->not_before_ns[at] = (double)arrival->not_before_ns;
  to->drained_ns[at] = (double)arrival->drained_ns;
  to->flags[at] = arrival->flags;
}

/* Where so many bytes fit in one piece, as a count of all bytes ever given out; UINT64_MAX if they do not now. */
static uint64_t room_for(struct outbox *outbox, size_t length) {
  struct ring *ring = &outbox->events.ring;
  uint32_t tail = tail_of(ring);
  uint64_t at = outbox->arena_used;
  uint64_t freed = tail == ring->written ? at : outbox->arena_end[(tail - 1) % event_ring];
  if (at % arena_bytes + length > arena_bytes) at += arena_bytes - at % arena_bytes;
  return at + length - freed <= arena_bytes ? at : UINT64_MAX;
}

void outbox_event(struct loop *loop, const struct client *client, const struct event *event) {
  struct outbox *outbox = &loop->outbox;
  struct events *events = &outbox->events;
  bool is_large = event->length > arena_bytes / 4;
  size_t length = is_large ? 0 : event->length;
  uint64_t place = UINT64_MAX;
  while (is_full(&events->ring, event_ring - 1) || (place = room_for(outbox, length)) == UINT64_MAX)
    if (!wait_for_room(loop)) return;
  uint32_t at = events->ring.written++ % event_ring;
  if (is_large) {
    uint8_t *copy = must_allocate(1, event->length);
    memcpy(copy, event->bytes, event->length);
    events->address[at] = (double)(uintptr_t)copy;
  } else if (length > 0) {
    memcpy(outbox->arena + place % arena_bytes, event->bytes, length);
  }
  outbox->arena_used = place + length;
  outbox->arena_end[at] = outbox->arena_used;
  events->offset[at] = (uint32_t)(place % arena_bytes);
  events->length[at] = (uint32_t)event->length;
  events->a[at] = event->a;
  events->b[at] = event->b;
  events->c[at] = event->c;
  events->d[at] = event->d;
  events->e[at] = event->e;
  events->client[at] = client->id;
  events->generation[at] = client->generation;
  events->kind[at] = (uint8_t)event->kind;
  events->flags[at] = event->flags | (is_large ? event_is_large : 0);
}

static uint32_t publish(struct ring *ring) {
  atomic_store_explicit(&ring->head, ring->written, memory_order_release);
  return ring->written - tail_of(ring);
}

uint32_t outbox_report(struct loop *loop, const struct client *client, int32_t token, enum fate fate, int64_t sent_ns) {
  struct reports *reports = &loop->outbox.reports;
  uint32_t at = reports->ring.written++ % report_ring;
  reports->client[at] = client->id;
  reports->token[at] = token;
  reports->fate[at] = (uint8_t)fate;
  reports->sent_ns[at] = (double)sent_ns;
  outbox_written(loop, at, 0);
  publish(&reports->ring);
  loop->outbox.has_reports = true;
  return at;
}

void outbox_written(struct loop *loop, uint32_t report, int64_t written_ns) {
  atomic_store_explicit(&loop->outbox.reports.written_ns[report], (double)written_ns, memory_order_relaxed);
}

static void tell(struct loop *loop) {
  struct engine *engine = loop->engine;
  const uint64_t one = 1;
  loop->outbox.has_urgent = false;
  loop->outbox.due_ns = 0;
  if (atomic_exchange(&engine->is_told, true)) return;
  ssize_t written = write(engine->tell_fd, &one, sizeof one);
  (void)written;
}

/* Events are published first: who sees a delivery sees the opening of its client. */
void outbox_publish(struct loop *loop) {
  struct outbox *outbox = &loop->outbox;
  struct deliveries *deliveries = &outbox->deliveries, *acknowledgements = &outbox->acknowledgements;
  bool is_stepped;
  int64_t now = clocks_check(&loop->clocks, &is_stepped);
  if (is_stepped) {
    atomic_store(&loop->steps, loop->clocks.steps);
    mark_stepped(deliveries, now);
    mark_stepped(acknowledgements, now);
    mark_candidates(&outbox->events, now);
  }
  bool is_new = outbox->has_reports || deliveries->ring.head != deliveries->ring.written ||
                acknowledgements->ring.head != acknowledgements->ring.written;
  outbox->has_reports = false;
  if (outbox->events.ring.head != outbox->events.ring.written) outbox->has_urgent = true;
  publish(&outbox->events.ring);
  uint32_t waiting = publish(&acknowledgements->ring);
  uint32_t deliveries_waiting = publish(&deliveries->ring);
  if (deliveries_waiting > waiting) waiting = deliveries_waiting;
  if (is_new && outbox->due_ns == 0) outbox->due_ns = now + patience_ns;
  bool is_due = outbox->due_ns != 0 && now >= outbox->due_ns;
  if (outbox->has_urgent) loop->prompt_until_ns = now + prompt_ns;
  if (outbox->has_urgent || is_due || (is_new && waiting >= delivery_ring / 2)) tell(loop);
}

int outbox_timeout(const struct loop *loop) {
  if (loop->outbox.due_ns == 0) return -1;
  int64_t left_ns = loop->outbox.due_ns - now_ns(&loop->clocks);
  return left_ns <= 0 ? 0 : (int)((left_ns + 999999) / 1000000);
}
