/* Sockets that their clients have left. */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct leftover {
  struct link link;
  int fd;
  int64_t due_ns;
  bool ends_writing;
  struct buffer out, last;
};

void reset(int fd) {
  const struct linger at_once = {.l_onoff = 1};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(fd);
}

struct leftover *leftover_of(struct loop *loop, struct client *client, struct link *list) {
  struct leftover *leftover = must_allocate(1, sizeof *leftover);
  leftover->fd = client->fd;
  leftover->due_ns = now_ns(&loop->clocks) + loop->engine->setup.numbers.close_timeout_ns;
  send_discard(client, &leftover->out);
  link_add(list, &leftover->link);
  return leftover;
}

void leftover_say(struct loop *loop, struct leftover *leftover, struct bytes word, bool ends_writing) {
  leftover->ends_writing = ends_writing;
  buffer_append(&leftover->out, word.data, word.length);
  /* Whatever is ready already is reported anew. */
  loop_watch(loop, EPOLL_CTL_MOD, leftover->fd, true, (uint8_t *)leftover + tag_leftover);
}

void leftover_end(struct leftover *leftover, struct bytes last) {
  buffer_append(&leftover->last, last.data, last.length);
}

static void leftover_free(struct leftover *leftover) {
  link_remove(&leftover->link);
  buffer_free(&leftover->out);
  buffer_free(&leftover->last);
  free(leftover);
}

/* Says what is left to say, and awaits the end of TCP. What still comes is of a connection that is over. */
void leftover_ready(struct loop *loop, struct leftover *leftover) {
  bool is_over = !write_out(leftover->fd, &leftover->out);
  if (leftover->out.length == 0 && leftover->ends_writing) {
    write_out(leftover->fd, &leftover->last);
    shutdown(leftover->fd, SHUT_WR);
    leftover->ends_writing = false;
  }
  while (!is_over) {
    ssize_t length = recv(leftover->fd, loop->read_buffer, read_bytes, 0);
    if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    is_over = length == 0 || (length < 0 && errno != EINTR);
  }
  if (leftover->out.length == 0) write_out(leftover->fd, &leftover->last);
  close(leftover->fd);
  leftover_free(leftover);
}

int64_t leftovers_due_ns(const struct loop *loop) {
  return link_is_empty(&loop->closing) ? INT64_MAX : ((const struct leftover *)loop->closing.next)->due_ns;
}

static void abandon(struct link *list) {
  struct leftover *leftover = (struct leftover *)list->next;
  reset(leftover->fd);
  leftover_free(leftover);
}

void leftovers_expire(struct loop *loop) {
  while (leftovers_due_ns(loop) <= loop->woke_ns) abandon(&loop->closing);
}

void leftovers_dispose(struct link *list) {
  while (!link_is_empty(list)) abandon(list);
}
