/* The life of a connection: dialled, upgrading, open, and left to its end. */
#include "engine.h"

#include <errno.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

/* That a socket can be written to is told of only where somebody waits for it: each report costs a look. */
static const uint32_t watched = EPOLLIN | EPOLLRDHUP | EPOLLET;

static socklen_t size_of(const struct sockaddr_storage *address) {
  return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

/* By RST, which leaves no TIME_WAIT: waiting ports make the kernel's search for a free one ten times as slow. */
static void reset(int fd) {
  const struct linger at_once = {.l_onoff = 1};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(fd);
}

/* ---- Ends ---- */

static void tell_position(struct loop *loop, struct client *client) {
  struct buffer *position = client->position;
  if (position == NULL || position->length == 0) return;
  struct event event = {.kind = event_position, .bytes = position->data, .length = position->length};
  outbox_event(loop, client, &event);
  position->length = 0;
}

void connection_tell(struct loop *loop, struct client *client, const struct event *event) {
  tell_position(loop, client);
  outbox_event(loop, client, event);
}

void handshake_free(struct client *client) {
  if (client->handshake == NULL) return;
  link_remove(&client->link);
  buffer_free(&client->handshake->head);
  free(client->handshake);
  client->handshake = NULL;
}

/* The client may be opened again; its socket lives on, if anywhere, as a leftover. */
static void client_free(struct loop *loop, struct client *client) {
  if (client->state == state_connecting) loop->dialled--;
  handshake_free(client);
  receiver_free(client);
  send_discard(client);
  if (client->position != NULL) {
    buffer_free(client->position);
    free(client->position);
    client->position = NULL;
  }
  client->state = state_free;
  client->is_asking = false;
  client->fd = -1;
}

void connection_ended(struct loop *loop, struct client *client, const char *cause) {
  struct event event = {.kind = event_closed, .bytes = cause, .length = strlen(cause)};
  connection_tell(loop, client, &event);
  close(client->fd);
  client_free(loop, client);
}

/* JavaScript names errors of the system. */
void connection_failed(struct loop *loop, struct client *client, int error, bool is_bind) {
  struct event event = {.kind = event_closed, .flags = event_is_errno, .a = error};
  if (is_bind) event.flags |= event_of_bind;
  connection_tell(loop, client, &event);
  if (client->fd >= 0) close(client->fd);
  client_free(loop, client);
}

static struct leftover *leave(struct loop *loop, struct client *client, struct link *list) {
  struct leftover *leftover = must_allocate(1, sizeof *leftover);
  leftover->fd = client->fd;
  leftover->due_ns = now_ns(&loop->clocks) + loop->engine->setup.close_timeout_ns;
  link_add(list, &leftover->link);
  return leftover;
}

/* RFC 6455, 7.1: a close frame, and for a target that broke the rules the end of what we send. */
void connection_say_close(struct loop *loop, struct client *client, int code, bool ends_writing, const char *cause) {
  const uint8_t payload[2] = {(uint8_t)(code >> 8), (uint8_t)code};
  frame_make(loop, 0x8, payload, code == close_none ? 0 : 2);
  struct leftover *leftover = leave(loop, client, &loop->closing);
  leftover->ends_writing = ends_writing;
  if (client->outgoing != NULL) {
    leftover->out = client->outgoing->out;
    client->outgoing->out = (struct buffer){0};
  }
  buffer_append(&leftover->out, loop->frame.data, loop->frame.length);
  tell_position(loop, client);
  if (cause != NULL) {
    struct event event = {.kind = event_closed, .bytes = cause, .length = strlen(cause)};
    outbox_event(loop, client, &event);
  }
  client_free(loop, client);
  /* Whatever is ready already is reported anew. */
  struct epoll_event of = {.events = watched | EPOLLOUT, .data.ptr = (uint8_t *)leftover + tag_leftover};
  epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, leftover->fd, &of);
}

void connection_drop(struct loop *loop, struct client *client, enum drop_mode mode) {
  if (client->state == state_free) return;
  if (client->state == state_open && mode == drop_close) {
    connection_say_close(loop, client, close_normal, false, NULL);
    return;
  }
  tell_position(loop, client);
  if (client->state == state_open && mode == drop_vanish) {
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, client->fd, NULL);
    leave(loop, client, &loop->vanished);
  } else {
    reset(client->fd);
  }
  client_free(loop, client);
}

static void leftover_free(struct leftover *leftover) {
  link_remove(&leftover->link);
  buffer_free(&leftover->out);
  free(leftover);
}

/* Says what is left to say, and awaits the end of TCP. What still comes is of a connection that is over. */
void leftover_ready(struct loop *loop, struct leftover *leftover, uint32_t events) {
  (void)events;
  bool is_over = !outgoing_write(leftover->fd, &leftover->out);
  if (leftover->out.length == 0 && leftover->ends_writing) {
    shutdown(leftover->fd, SHUT_WR);
    leftover->ends_writing = false;
  }
  while (!is_over) {
    ssize_t length = recv(leftover->fd, loop->read_buffer, read_bytes, 0);
    if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    is_over = length == 0 || (length < 0 && errno != EINTR);
  }
  close(leftover->fd);
  leftover_free(leftover);
}

/* ---- Dialling ---- */

/* A client with a source address takes a target of the same family. -1 without another one. */
static int next_target(const struct setup *setup, const struct sockaddr_storage *source, int from) {
  for (int i = from; i < setup->target_count; i++)
    if (source == NULL || source->ss_family == setup->targets[i].ss_family) return i;
  return -1;
}

static const struct sockaddr_storage *source_of(const struct setup *setup, const struct client *client) {
  return setup->source_count == 0 ? NULL : &setup->sources[client->id % setup->source_count];
}

static void prepare(int fd, bool is_bound) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (is_bound) setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  /* Before `connect`, so that no byte comes without. */
  stamps_enable(fd);
}

/* TCP is through, after at least `least_ns`. */
static void established(struct loop *loop, struct client *client, int64_t least_ns) {
  struct handshake *handshake = client->handshake;
  handshake->tcp_ns = now_ns(&loop->clocks) - handshake->started_ns;
  handshake->tcp_least_ns = least_ns > 0 ? least_ns : 0;
  client->state = state_upgrading;
  loop->dialled--;
}

/* Over loopback TCP is through when `connect` returns, and takes the request at once. Gives 0 or the error. */
static int try_upgrade(struct loop *loop, struct client *client) {
  upgrade_make(loop, client);
  ssize_t sent = send(client->fd, loop->frame.data, loop->frame.length, MSG_NOSIGNAL);
  loop->is_far = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  if (sent < 0) return loop->is_far ? 0 : errno;
  established(loop, client, 0);
  send_bytes(loop, client, loop->frame.data + sent, loop->frame.length - (size_t)sent);
  return 0;
}

/* Asks the kernel to connect. Gives 0 or the error. */
static int dial(struct loop *loop, struct client *client, const struct sockaddr_storage *source, bool *is_bind) {
  const struct sockaddr_storage *target = &loop->engine->setup.targets[client->handshake->target];
  client->fd = socket(target->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (client->fd < 0) return errno;
  prepare(client->fd, source != NULL);
  if (source != NULL && bind(client->fd, (const struct sockaddr *)source, size_of(source)) != 0) {
    *is_bind = true;
    return errno;
  }
  if (connect(client->fd, (const struct sockaddr *)target, size_of(target)) != 0 && errno != EINPROGRESS) return errno;
  atomic_store_explicit(&client->left_ns, now_ns(&loop->clocks), memory_order_relaxed);
  struct epoll_event of = {.events = loop->is_far ? watched | EPOLLOUT : watched, .data.ptr = client};
  if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, client->fd, &of) != 0) return errno;
  if (loop->is_far) return 0;
  int error = try_upgrade(loop, client);
  if (error == 0 && client->state == state_connecting) connection_await_room(loop, client);
  return error;
}

void connection_await_room(struct loop *loop, struct client *client) {
  struct epoll_event of = {.events = watched | EPOLLOUT, .data.ptr = client};
  epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, client->fd, &of);
}

/* Tries the addresses of a name from `from` on, until the kernel is on its way to one. */
static void dial_from(struct loop *loop, struct client *client, int from, int error) {
  const struct setup *setup = &loop->engine->setup;
  const struct sockaddr_storage *source = source_of(setup, client);
  bool is_bind = false;
  for (int target = from; (target = next_target(setup, source, target)) >= 0; target++) {
    client->handshake->target = target;
    error = dial(loop, client, source, &is_bind);
    if (error == 0) return;
    if (client->fd >= 0) close(client->fd);
    client->fd = -1;
  }
  connection_failed(loop, client, error, is_bind);
}

void connection_open(struct loop *loop, struct client *client, const struct command *command) {
  struct handshake *handshake = must_allocate(1, sizeof *handshake);
  handshake->started_ns = now_ns(&loop->clocks);
  handshake->number = command->number;
  client->handshake = handshake;
  client->state = state_connecting;
  loop->dialled++;
  client->generation = command->generation;
  client->is_leaving = false;
  client->drained_ns = handshake->started_ns;
  link_add(&loop->connecting, &client->link);
  dial_from(loop, client, 0, EADDRNOTAVAIL);
}

static void dialled(struct loop *loop, struct client *client, uint32_t events) {
  int error = 0;
  socklen_t size = sizeof error;
  if (events & (EPOLLERR | EPOLLHUP)) getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    close(client->fd);
    client->fd = -1;
    dial_from(loop, client, client->handshake->target + 1, error);
    return;
  }
  established(loop, client, loop->ready_from_ns - client->left_ns);
  upgrade_make(loop, client);
  send_bytes(loop, client, loop->frame.data, loop->frame.length);
}

/* ---- Reading ---- */

/* When what was read came. The stamp is of the last segment of it; earlier bytes came after what was read before. */
static struct arrival arrival_of(struct loop *loop, struct client *client, struct msghdr *message, bool is_drained) {
  struct clocks *clocks = &loop->clocks;
  int64_t stamp_ns = stamp_of(clocks, message);
  int64_t ready_ns = loop->ready_from_ns - most_wake_ns;
  int64_t not_before_ns = ready_ns > client->drained_ns ? ready_ns : client->drained_ns;
  struct arrival arrival = {.not_before_ns = not_before_ns, .drained_ns = not_before_ns};
  bool is_stamped = stamp_ns >= client->drained_ns && !clocks->is_suspect;
  if (is_stamped) {
    if (not_before_ns > stamp_ns) arrival.not_before_ns = stamp_ns;
    arrival.stamp_ns = client->drained_ns = stamp_ns;
    arrival.is_exact_at_end = is_drained;
  } else {
    arrival.stamp_ns = now_ns(clocks);
    arrival.flags = flag_unstamped | (clocks->is_suspect ? flag_stepped : 0);
    if (is_drained) client->drained_ns = loop->woke_ns;
  }
  return arrival;
}

/* Takes one read. False where the connection ended or the socket is drained. */
static bool read_once(struct loop *loop, struct client *client, bool reads_to_end) {
  uint8_t control[128];
  struct iovec into = {.iov_base = loop->read_buffer, .iov_len = read_bytes};
  struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t length = recvmsg(client->fd, &message, 0);
  if (length < 0 && errno == EINTR) return true;
  if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (length < 0) {
    connection_failed(loop, client, errno, false);
    return false;
  }
  if (length == 0) {
    connection_ended(loop, client, "end-of-stream");
    return false;
  }
  counter_add(&loop->reads, 1);
  /* A short read drained the socket, and what comes later is reported anew; but for the end, which may be there. */
  bool is_drained = length < read_bytes;
  struct arrival arrival = arrival_of(loop, client, &message, is_drained);
  if (client->state == state_open)
    frames_receive(loop, client, loop->read_buffer, (size_t)length, &arrival, false);
  else
    upgrade_read(loop, client, loop->read_buffer, (size_t)length, &arrival);
  return client->state != state_free && (!is_drained || reads_to_end);
}

void connection_ready(struct loop *loop, struct client *client, uint32_t events) {
  const uint32_t ends = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
  /* The command is under way: JavaScript was told of the end, and takes nothing that comes behind it. */
  if (client->is_leaving) return;
  if (client->state == state_connecting) {
    if (events & (EPOLLOUT | ends)) dialled(loop, client, events);
    if (client->state != state_upgrading) return;
  } else if (client->state != state_free && (events & EPOLLOUT) && client->outgoing != NULL) {
    send_more(loop, client);
  }
  if (client->state == state_free || !(events & (EPOLLIN | ends))) return;
  while (read_once(loop, client, (events & ends) != 0)) continue;
}

/* ---- Deadlines: each list is in order of them ---- */

static int64_t first_due_ns(const struct loop *loop) {
  int64_t due_ns = INT64_MAX;
  if (loop->connecting.next != &loop->connecting) {
    const struct client *client = (const struct client *)loop->connecting.next;
    due_ns = client->handshake->started_ns + loop->engine->setup.connect_timeout_ns;
  }
  if (loop->closing.next != &loop->closing) {
    const struct leftover *leftover = (const struct leftover *)loop->closing.next;
    if (leftover->due_ns < due_ns) due_ns = leftover->due_ns;
  }
  return due_ns;
}

int connections_timeout(struct loop *loop, int timeout_ms) {
  int64_t due_ns = first_due_ns(loop);
  if (due_ns == INT64_MAX) return timeout_ms;
  int64_t left_ms = (due_ns - now_ns(&loop->clocks) + 999999) / 1000000;
  if (left_ms < 0) left_ms = 0;
  if (left_ms > INT_MAX) left_ms = INT_MAX;
  return timeout_ms >= 0 && timeout_ms < left_ms ? timeout_ms : (int)left_ms;
}

void connections_expire(struct loop *loop) {
  int64_t timeout_ns = loop->engine->setup.connect_timeout_ns;
  while (loop->connecting.next != &loop->connecting) {
    struct client *client = (struct client *)loop->connecting.next;
    if (client->handshake->started_ns + timeout_ns > loop->woke_ns) break;
    int fd = client->fd;
    client->fd = -1;
    reset(fd);
    connection_failed(loop, client, ETIMEDOUT, false);
  }
  while (loop->closing.next != &loop->closing) {
    struct leftover *leftover = (struct leftover *)loop->closing.next;
    if (leftover->due_ns > loop->woke_ns) break;
    reset(leftover->fd);
    leftover_free(leftover);
  }
}

static void dispose_leftovers(struct link *list) {
  while (list->next != list) {
    struct leftover *leftover = (struct leftover *)list->next;
    reset(leftover->fd);
    leftover_free(leftover);
  }
}

void connections_dispose(struct loop *loop) {
  for (int i = 0; i < loop->client_count; i++) {
    struct client *client = &loop->clients[i];
    if (client->state == state_free) continue;
    reset(client->fd);
    client_free(loop, client);
  }
  dispose_leftovers(&loop->closing);
  dispose_leftovers(&loop->vanished);
}
