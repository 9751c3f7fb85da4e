/* Sends that JavaScript posts ahead. Each leaves at its instant, whatever JavaScript does then. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

struct posted {
  struct link link;
  int64_t due_ns;
  struct command command;
  uint8_t bytes[];
};

static struct posted *first_of(const struct loop *loop) {
  return link_is_empty(&loop->posted) ? NULL : (struct posted *)loop->posted.next;
}

/* They come nearly in the order of their instants, so their place is near the end. */
void posted_add(struct loop *loop, const struct command *command, const uint8_t *bytes) {
  struct posted *posted = must_allocate(1, sizeof *posted + command->length);
  struct link *behind = loop->posted.previous;
  posted->due_ns = (int64_t)ceil(command->number);
  posted->command = *command;
  if (command->length > 0) memcpy(posted->bytes, bytes, command->length);
  while (behind != &loop->posted && ((struct posted *)behind)->due_ns > posted->due_ns) behind = behind->previous;
  link_add(behind->next, &posted->link);
}

static enum fate fate_of(const struct engine *engine, const struct client *client, const struct command *command) {
  bool is_there = client->state == state_open && client->generation == command->generation;
  if (!is_there || client->is_leaving || client->is_closing) return fate_gone;
  return send_has_room(engine, client->account, frame_bytes(command->length)) ? fate_sent : fate_unread;
}

/* Who hears of the answer has to know of the send, so its report is published before the write. */
static void send_one(struct loop *loop, const struct command *command, const uint8_t *bytes) {
  struct client *client = &loop->clients[command->slot];
  enum fate fate = fate_of(loop->engine, client, command);
  if (fate != fate_sent) {
    outbox_report(loop, client, command->detail, fate, now_ns(&loop->clocks));
    return;
  }
  frame_make(loop, command->opcode, bytes, command->length);
  send_expect(client->account, loop->frame.length, true);
  uint32_t report = outbox_report(loop, client, command->detail, fate, now_ns(&loop->clocks));
  send_frame(loop, client, true);
  double left_ns = client->account->left_ns;
  if (left_ns != INFINITY) outbox_written(loop, report, left_ns);
}

/* What falls due meanwhile is for the next call, so that reading has its turn. */
void posted_send(struct loop *loop) {
  struct posted *posted = first_of(loop);
  int64_t until_ns = posted == NULL ? 0 : now_ns(&loop->clocks);
  for (; posted != NULL && posted->due_ns <= until_ns; posted = first_of(loop)) {
    link_remove(&posted->link);
    send_one(loop, &posted->command, posted->bytes);
    free(posted);
  }
}

int64_t posted_due_ns(const struct loop *loop) {
  const struct posted *first = first_of(loop);
  return first == NULL ? INT64_MAX : first->due_ns;
}

/* The timeout of an epoll has whole milliseconds, and the thread's slack. */
void posted_arm(struct loop *loop) {
  const struct posted *first = first_of(loop);
  if (first == NULL || loop->timer_ns == first->due_ns) return;
  loop->timer_ns = first->due_ns;
  int64_t at_ns = loop->timer_ns + loop->clocks.origin_ns;
  struct itimerspec at = {.it_value = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000}};
  timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

void posted_free(struct loop *loop) {
  for (struct posted *posted; (posted = first_of(loop)) != NULL;) {
    link_remove(&posted->link);
    free(posted);
  }
}
