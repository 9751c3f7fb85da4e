/* One thread with its clients: connect, upgrade, subscribe, then a read per readable socket. */
#define _GNU_SOURCE
#include "floor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { eventsAtOnce = 1024, pollEveryMs = 5, bufferBytes = 65536, longestMessage = 125 };

struct client {
  int socket;
  enum { connecting, upgrading, open } state;
  struct frames frames;
};

struct loop {
  const struct plan *plan;
  struct counts *counts;
  int epoll;
  char request[1024];
  int requestBytes;
  uint8_t buffer[bufferBytes];
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void watch(struct loop *loop, struct client *client, int operation, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = client};
  if (epoll_ctl(loop->epoll, operation, client->socket, &event) < 0) fail("epoll_ctl");
}

static void startConnecting(struct loop *loop, struct client *client, size_t number) {
  const struct plan *plan = loop->plan;
  client->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (client->socket < 0) fail("socket");
  int yes = 1;
  /* Ends with a reset: no port is left in TIME_WAIT for the next round. */
  struct linger reset = {.l_onoff = 1, .l_linger = 0};
  setsockopt(client->socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  if (plan->sourceCount > 0) {
    struct sockaddr_in source = {.sin_family = AF_INET, .sin_addr = plan->sources[number % plan->sourceCount]};
    setsockopt(client->socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    if (bind(client->socket, (struct sockaddr *)&source, sizeof source) < 0) fail("bind");
  }
  int connected = connect(client->socket, (const struct sockaddr *)&plan->target, sizeof plan->target);
  if (connected < 0 && errno != EINPROGRESS) fail("connect");
  watch(loop, client, EPOLL_CTL_ADD, EPOLLOUT);
}

static void writeAll(struct client *client, const void *bytes, size_t length) {
  if (write(client->socket, bytes, length) != (ssize_t)length) fail("write");
}

static void sendUpgrade(struct loop *loop, struct client *client) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(client->socket, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    errno = error;
    fail("connect");
  }
  client->state = upgrading;
  writeAll(client, loop->request, loop->requestBytes);
  watch(loop, client, EPOLL_CTL_MOD, EPOLLIN);
}

/* A masked frame with a mask of zeros: the bytes stay as they are. */
static void sendFrame(struct client *client, uint8_t opcode, const char *text, size_t length) {
  uint8_t frame[6 + longestMessage] = {0x80 | opcode, 0x80 | length, 0, 0, 0, 0};
  memcpy(frame + 6, text, length);
  writeAll(client, frame, 6 + length);
}

/* Expects the whole answer in one read, as it comes over loopback. Gives its length. */
static size_t takeUpgrade(struct loop *loop, struct client *client, size_t length) {
  static const char accepted[] = "HTTP/1.1 101 ", endOfHead[] = "\r\n\r\n";
  const uint8_t *end = memmem(loop->buffer, length, endOfHead, sizeof endOfHead - 1);
  if (end == NULL || memcmp(loop->buffer, accepted, sizeof accepted - 1) != 0) fail("the upgrade was not accepted");
  client->state = open;
  add(&loop->counts->opened, 1);
  const char *text = loop->plan->subscription;
  if (text != NULL) sendFrame(client, 1, text, strlen(text));
  return end + sizeof endOfHead - 1 - loop->buffer;
}

static void readOnce(struct loop *loop, struct client *client) {
  ssize_t length = read(client->socket, loop->buffer, sizeof loop->buffer);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0) fail("a connection ended");
  add(&loop->counts->reads, 1);
  add(&loop->counts->bytes, length);
  size_t head = client->state == upgrading ? takeUpgrade(loop, client, length) : 0;
  unsigned pings = 0;
  add(&loop->counts->frames, countFrames(&client->frames, loop->buffer + head, length - head, &pings));
  /* The pings of the bench's servers are empty, and so are the pongs. */
  while (pings-- > 0) sendFrame(client, 10, "", 0);
}

void runLoop(const struct plan *plan, struct counts *counts, size_t first, size_t clients) {
  struct loop *loop = calloc(1, sizeof *loop);
  struct client *all = calloc(clients, sizeof *all);
  if (loop == NULL || all == NULL) fail("memory");
  *loop = (struct loop){.plan = plan, .counts = counts, .epoll = epoll_create1(EPOLL_CLOEXEC)};
  if (loop->epoll < 0) fail("epoll_create1");
  static const char upgrade[] =
    "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  loop->requestBytes = snprintf(loop->request, sizeof loop->request, upgrade, plan->path,
                                inet_ntoa(plan->target.sin_addr), ntohs(plan->target.sin_port));
  if (plan->subscription != NULL && strlen(plan->subscription) > longestMessage) fail("the subscription is too long");

  struct epoll_event events[eventsAtOnce];
  double startedAt = now();
  for (size_t started = 0;;) {
    size_t due = (now() - startedAt) * plan->connectsPerSecond;
    for (; started < clients && started < due; started++) startConnecting(loop, &all[started], first + started);
    int count = epoll_wait(loop->epoll, events, eventsAtOnce, started < clients ? pollEveryMs : -1);
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    for (int i = 0; i < count; i++) {
      struct client *client = events[i].data.ptr;
      if (client->state == connecting) sendUpgrade(loop, client);
      else readOnce(loop, client);
    }
  }
}
