/* The life of a connection: dialled, upgrading, open, and ended or left to its end. */
#include "engine.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

/* What a wake may take that no clock shows. */
static const int64_t most_wake_ns = 50000;

static socklen_t size_of(const struct sockaddr_storage *address) {
  return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
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

/* The client may be opened again; its socket lives on, if anywhere, as a leftover. */
static void client_free(struct loop *loop, struct client *client) {
  tls_free(client);
  if (client->state == state_connecting) loop->dialled--;
  handshake_free(client);
  part_free(client);
  send_discard(client, NULL);
  if (client->position != NULL) {
    buffer_free(client->position);
    free(client->position);
    client->position = NULL;
  }
  client->state = state_free;
  client->is_asking = false;
  client->is_closing = false;
  client->fd = -1;
}

/* Ends TLS, and TCP. Behind what waits nothing can be said. */
static void shut(struct loop *loop, struct client *client) {
  struct bytes goodbye = tls_goodbye(loop, client);
  if (goodbye.length > 0 && client->outgoing == NULL) send(client->fd, goodbye.data, goodbye.length, MSG_NOSIGNAL);
  close(client->fd);
}

/* What JavaScript has yet to judge may have been a goodbye, which it answers. */
void connection_ended(struct loop *loop, struct client *client) {
  bool is_held = client->state == state_open && !frames_are_trusted(client);
  struct event event = {.kind = event_closed, .flags = is_held ? event_is_held : 0};
  connection_tell(loop, client, &event);
  if (is_held) {
    client->state = state_ended;
    return;
  }
  shut(loop, client);
  client_free(loop, client);
}

void connection_failed(struct loop *loop, struct client *client, int error) {
  struct event event = {.kind = event_closed, .a = error};
  connection_failed_with(loop, client, &event);
}

void connection_failed_with(struct loop *loop, struct client *client, const struct event *event) {
  connection_tell(loop, client, event);
  if (client->fd >= 0) close(client->fd);
  client_free(loop, client);
}

/* RFC 6455, 7.1: a close frame, unless it was sent, and for a target that broke the rules the end of what we send. */
static void say_close(struct loop *loop, struct client *client, int code, bool ends_writing) {
  const uint8_t payload[2] = {(uint8_t)(code >> 8), (uint8_t)code};
  bool is_said = client->is_closing && client->account->waiting_bytes == 0;
  loop->frame.length = 0;
  if (!is_said) frame_make(loop, op_close, payload, code == 0 ? 0 : 2);
  struct leftover *leftover = leftover_of(loop, client, &loop->closing);
  leftover_say(loop, leftover, tls_seal(loop, client, loop->frame.data, loop->frame.length), ends_writing);
  leftover_end(leftover, tls_goodbye(loop, client));
}

void connection_drop(struct loop *loop, struct client *client, enum drop_mode mode, int code) {
  if (client->state == state_free) return;
  tell_position(loop, client);
  if (mode == drop_shut) {
    shut(loop, client);
  } else if (client->state < state_open || mode == drop_reset) {
    reset(client->fd);
  } else if (mode == drop_vanish) {
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, client->fd, NULL);
    send_discard(client, NULL);
    leftover_of(loop, client, &loop->vanished);
  } else {
    say_close(loop, client, code, mode == drop_fail);
  }
  client_free(loop, client);
}

/* ---- Dialling ---- */

/* A client with a source address takes a target of the same family. -1 without another one. */
static int next_target(const struct setup *setup, const struct sockaddr_storage *source, int from) {
  for (int i = from; i < setup->numbers.targets; i++)
    if (source == NULL || source->ss_family == setup->targets[i].ss_family) return i;
  return -1;
}

static const struct sockaddr_storage *source_of(const struct setup *setup, const struct client *client) {
  return setup->numbers.sources == 0 ? NULL : &setup->sources[client->id % setup->numbers.sources];
}

static void prepare(int fd, bool is_bound) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (is_bound) setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  /* Before `connect`, so that no byte comes without. */
  stamps_enable(fd);
}

/* TCP was through at `at_ns`, after at least `least_ns`. */
static void established(struct loop *loop, struct client *client, int64_t at_ns, int64_t least_ns) {
  struct handshake *handshake = client->handshake;
  handshake->tcp_ns = at_ns - handshake->started_ns;
  handshake->tcp_least_ns = least_ns > 0 ? least_ns : 0;
  client->state = state_upgrading;
  loop->dialled--;
}

/* What a connection says first, to the proxy and then to the target. */
static struct bytes first_of(const struct loop *loop, const struct handshake *handshake) {
  if (!handshake->is_through) return loop->engine->setup.tunnel;
  if (handshake->hello.length > 0) return (struct bytes){handshake->hello.data, handshake->hello.length};
  return (struct bytes){(uint8_t *)handshake->request, handshake->request_length};
}

/* Over loopback TCP is through when `connect` returns, and takes the first bytes at once. Gives 0 or the error. */
static int try_upgrade(struct loop *loop, struct client *client) {
  struct bytes first = first_of(loop, client->handshake);
  ssize_t sent = send(client->fd, first.data, first.length, MSG_NOSIGNAL);
  loop->is_far = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  if (sent < 0) return loop->is_far ? 0 : errno;
  /* Behind the request the thread may lose its core, and the answer come before the clock is read. */
  established(loop, client, (int64_t)client->account->left_ns, 0);
  send_sealed(loop, client, first.data + sent, first.length - (size_t)sent);
  return 0;
}

/* Asks the kernel to connect. Gives 0 or the error, of `bind` below zero. */
static int dial(struct loop *loop, struct client *client, const struct sockaddr_storage *source) {
  const struct sockaddr_storage *target = &loop->engine->setup.targets[client->handshake->target];
  client->fd = socket(target->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (client->fd < 0) return errno;
  prepare(client->fd, source != NULL);
  if (source != NULL && bind(client->fd, (const struct sockaddr *)source, size_of(source)) != 0) return -errno;
  if (connect(client->fd, (const struct sockaddr *)target, size_of(target)) != 0 && errno != EINPROGRESS) return errno;
  client->account->left_ns = (double)now_ns(&loop->clocks);
  if (!loop_watch(loop, EPOLL_CTL_ADD, client->fd, loop->is_far, client)) return errno;
  if (loop->is_far) return 0;
  int error = try_upgrade(loop, client);
  if (error == 0 && client->state == state_connecting) loop_watch(loop, EPOLL_CTL_MOD, client->fd, true, client);
  return error;
}

/* Tries the addresses of a name from `from` on, until the kernel is on its way to one. */
static void dial_from(struct loop *loop, struct client *client, int from, int error) {
  const struct setup *setup = &loop->engine->setup;
  const struct sockaddr_storage *source = source_of(setup, client);
  for (int target = from; (target = next_target(setup, source, target)) >= 0; target++) {
    client->handshake->target = target;
    error = dial(loop, client, source);
    if (error == 0) return;
    if (client->fd >= 0) close(client->fd);
    client->fd = -1;
  }
  connection_failed(loop, client, error);
}

void connection_open(struct loop *loop, struct client *client, const struct command *command, const uint8_t *request) {
  struct handshake *handshake = must_allocate(1, sizeof *handshake + command->length);
  handshake->request_length = command->length;
  memcpy(handshake->request, request, command->length);
  handshake->is_through = loop->engine->setup.tunnel.length == 0;
  client->handshake = handshake;
  client->identity = command->detail;
  tls_begin(loop, client);
  handshake->started_ns = now_ns(&loop->clocks);
  client->state = state_connecting;
  loop->dialled++;
  client->generation = command->generation;
  client->is_leaving = false;
  client->may_read = INT64_MAX;
  client->account->judged = 0;
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
  established(loop, client, now_ns(&loop->clocks), loop->ready_from_ns - (int64_t)client->account->left_ns);
  struct bytes first = first_of(loop, client->handshake);
  send_sealed(loop, client, first.data, first.length);
}

void connection_through(struct loop *loop, struct client *client) {
  struct handshake *handshake = client->handshake;
  handshake->is_through = true;
  handshake->tcp_ns = now_ns(&loop->clocks) - handshake->started_ns;
  struct bytes first = first_of(loop, handshake);
  send_sealed(loop, client, first.data, first.length);
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

/* Only this thread counts. */
static void count_read(struct shared *shared) {
  double reads = atomic_load_explicit(&shared->reads, memory_order_relaxed);
  atomic_store_explicit(&shared->reads, reads + 1, memory_order_relaxed);
}

/* TLS may have ended before TCP. */
static bool is_reading(const struct client *client) {
  return client->state == state_upgrading || client->state == state_open;
}

/* Takes one read. False where the connection ended or the socket is drained. */
static bool read_once(struct loop *loop, struct client *client, bool reads_to_end) {
  uint8_t control[128];
  size_t most = client->may_read < read_bytes ? (size_t)client->may_read : read_bytes;
  if (most == 0) return false;
  struct iovec into = {.iov_base = loop->read_buffer, .iov_len = most};
  struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t length = recvmsg(client->fd, &message, 0);
  if (length < 0 && errno == EINTR) return true;
  if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (length < 0) {
    connection_failed(loop, client, errno);
    return false;
  }
  if (length == 0) {
    connection_ended(loop, client);
    return false;
  }
  count_read(loop->shared);
  /* A short read drained the socket, and what comes later is reported anew; but for the end, which may be there. */
  bool is_drained = (size_t)length < most;
  client->may_read -= length;
  struct arrival arrival = arrival_of(loop, client, &message, is_drained);
  if (client->state == state_upgrading && !client->handshake->is_through)
    tunnel_read(loop, client, loop->read_buffer, (size_t)length);
  else if (client->ssl != NULL)
    tls_receive(loop, client, loop->read_buffer, (size_t)length, &arrival);
  else if (client->state == state_open)
    frames_receive(loop, client, loop->read_buffer, (size_t)length, &arrival, false);
  else
    upgrade_read(loop, client, loop->read_buffer, (size_t)length, &arrival);
  return is_reading(client) && (!is_drained || reads_to_end);
}

void connection_ready(struct loop *loop, struct client *client, uint32_t events) {
  const uint32_t ends = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
  /* The command is under way: JavaScript was told of the end, and takes nothing that comes behind it. */
  if (client->is_leaving) return;
  if (client->state == state_connecting) {
    if (events & (EPOLLOUT | ends)) dialled(loop, client, events);
    if (client->state != state_upgrading) return;
  } else if (events & EPOLLOUT) {
    send_more(loop, client);
  }
  if (!is_reading(client) || !(events & (EPOLLIN | ends))) return;
  if (events & ends) client->may_read = INT64_MAX;
  while (read_once(loop, client, (events & ends) != 0)) continue;
}

void connection_read(struct loop *loop, struct client *client, int64_t bytes) {
  client->may_read = bytes;
  if (client->state == state_open && !client->is_leaving)
    while (read_once(loop, client, false)) continue;
}

/* ---- Deadlines ---- */

/* The first of those that connect, who are in order of their deadlines; NULL without one. */
static struct client *first_connecting(const struct loop *loop) {
  return link_is_empty(&loop->connecting) ? NULL : (struct client *)loop->connecting.next;
}

static int64_t due_ns(const struct loop *loop, const struct client *client) {
  return client == NULL ? INT64_MAX : client->handshake->started_ns + loop->engine->setup.numbers.connect_timeout_ns;
}

int connections_timeout(struct loop *loop, int timeout_ms) {
  int64_t next_ns = due_ns(loop, first_connecting(loop)), closing_ns = leftovers_due_ns(loop);
  if (closing_ns < next_ns) next_ns = closing_ns;
  if (next_ns == INT64_MAX) return timeout_ms;
  int64_t left_ms = (next_ns - now_ns(&loop->clocks) + 999999) / 1000000;
  if (left_ms < 0) left_ms = 0;
  if (left_ms > INT_MAX) left_ms = INT_MAX;
  return timeout_ms >= 0 && timeout_ms < left_ms ? timeout_ms : (int)left_ms;
}

void connections_expire(struct loop *loop) {
  struct client *client;
  while (due_ns(loop, client = first_connecting(loop)) <= loop->woke_ns) {
    int fd = client->fd;
    client->fd = -1;
    reset(fd);
    connection_failed(loop, client, ETIMEDOUT);
  }
  leftovers_expire(loop);
}

void connections_dispose(struct loop *loop) {
  for (int i = 0; i < loop->client_count; i++) {
    struct client *client = &loop->clients[i];
    if (client->state == state_free) continue;
    /* A target that ended TCP, or whose answer may have been refused, is left without a reset, as at other times. */
    bool is_refused = client->state == state_open && client->account->judged == 0;
    if (client->state == state_ended || is_refused) close(client->fd);
    else reset(client->fd);
    client_free(loop, client);
  }
  leftovers_dispose(&loop->closing);
  leftovers_dispose(&loop->vanished);
}
