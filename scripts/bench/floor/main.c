/* floor ADDRESS PORT PATH CLIENTS CONNECTS-PER-SECOND SOURCES [SUBSCRIPTION]
 *
 * SOURCES are addresses with commas, or `-`. Each line on stdin is answered by a line of JSON on stdout. The end of
 * stdin ends the process. */
#define _GNU_SOURCE
#include "floor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Below the usual hard limit of 20,000 descriptors, which counts for each table. */
enum { clientsPerLoop = 18000, mostLoops = 64 };

static struct plan plan = {.target = {.sin_family = AF_INET}};

static struct share {
  struct counts counts;
  size_t first;
  size_t clients;
} shares[mostLoops];
static size_t loops;

void fail(const char *what) {
  fprintf(stderr, "floor: %s (%s)\n", what, errno == 0 ? "no system error" : strerror(errno));
  exit(1);
}

static void *thread(void *argument) {
  struct share *share = argument;
  if (loops > 1 && unshare(CLONE_FILES) < 0) fail("unshare");
  runLoop(&plan, &share->counts, share->first, share->clients);
  return NULL;
}

static void readSources(char *list) {
  if (strcmp(list, "-") == 0) return;
  for (char *one = strtok(list, ","); one != NULL; one = strtok(NULL, ",")) {
    if (plan.sourceCount == sizeof plan.sources / sizeof *plan.sources) fail("too many sources");
    if (inet_aton(one, &plan.sources[plan.sourceCount++]) == 0) fail("a source is no address");
  }
}

static void startLoops(size_t clients) {
  loops = (clients + clientsPerLoop - 1) / clientsPerLoop;
  if (loops > mostLoops) fail("too many clients");
  for (size_t i = 0; i < loops; i++) {
    size_t first = clients * i / loops;
    shares[i].first = first;
    shares[i].clients = clients * (i + 1) / loops - first;
    pthread_t started;
    if (pthread_create(&started, NULL, thread, &shares[i]) != 0) fail("pthread_create");
    pthread_detach(started);
  }
}

static unsigned long long microseconds(struct timeval time) {
  return time.tv_sec * 1000000ULL + time.tv_usec;
}

static void printCounts(void) {
  unsigned long long opened = 0, frames = 0, reads = 0, bytes = 0;
  for (size_t i = 0; i < loops; i++) {
    opened += shares[i].counts.opened;
    frames += shares[i].counts.frames;
    reads += shares[i].counts.reads;
    bytes += shares[i].counts.bytes;
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("{\"opened\":%llu,\"messages\":%llu,\"reads\":%llu,\"bytes\":%llu,\"userUs\":%llu,\"systemUs\":%llu}\n",
         opened, frames, reads, bytes, microseconds(used.ru_utime), microseconds(used.ru_stime));
  fflush(stdout);
}

int main(int count, char **words) {
  if (count < 7 || count > 8) fail("expected ADDRESS PORT PATH CLIENTS CONNECTS-PER-SECOND SOURCES [SUBSCRIPTION]");
  if (inet_aton(words[1], &plan.target.sin_addr) == 0) fail("expected an IPv4 address");
  plan.target.sin_port = htons(atoi(words[2]));
  plan.path = words[3];
  plan.connectsPerSecond = atoi(words[5]);
  readSources(words[6]);
  if (count == 8) plan.subscription = words[7];
  startLoops(atoi(words[4]));
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) printCounts();
  return 0;
}
