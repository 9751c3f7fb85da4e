/* send-floor PORT CLIENTS PER-SECOND
 *
 * Sends to a server on loopback and does nothing else: PER-SECOND messages by all clients in turn, those of each slot
 * of 1 ms together. The end of stdin ends the process. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { messageBytes = 100, headBytes = 1024, slotNs = 1000000, second = 1000000000 };

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "send-floor: %s (%s)\n", what, strerror(errno));
  exit(1);
}

static void *endWithStdin(void *nothing) {
  while (getchar() != EOF) continue;
  exit(0);
  return nothing;
}

static int openClient(int port) {
  static const char upgrade[] =
    "GET /sink HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
  if (client < 0 || connect(client, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  char head[headBytes];
  if (write(client, upgrade, sizeof upgrade - 1) < 0 || read(client, head, sizeof head) <= 0) fail("upgrade");
  return client;
}

int main(int count, char **words) {
  if (count != 4) fail("expected PORT CLIENTS PER-SECOND");
  int port = atoi(words[1]), clients = atoi(words[2]), perSecond = atoi(words[3]);
  pthread_t watcher;
  if (pthread_create(&watcher, NULL, endWithStdin, NULL) != 0) fail("pthread_create");
  int *all = calloc(clients, sizeof *all);
  for (int i = 0; i < clients; i++) all[i] = openClient(port);
  /* A masked frame of text with a mask of zeros. */
  unsigned char frame[6 + messageBytes] = {0x81, 0x80 | messageBytes};
  memset(frame + 6, 'x', messageBytes);
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  for (unsigned long slot = 1, sent = 0;; slot++) {
    at.tv_nsec += slotNs;
    at.tv_sec += at.tv_nsec / second;
    at.tv_nsec %= second;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    for (; sent < slot * perSecond / 1000; sent++)
      if (write(all[sent % clients], frame, sizeof frame) != sizeof frame) fail("write");
  }
}
