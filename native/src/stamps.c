/* Clocks, and the kernel's receive timestamps (SO_TIMESTAMPING) on CLOCK_MONOTONIC. */
#include "engine.h"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <time.h>

enum { most_jitter_ns = 20000, sync_tries = 5 };
static const int64_t sync_every_ns = 1000000000;

static int64_t read_clock(clockid_t id) {
  struct timespec at;
  clock_gettime(id, &at);
  return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

int64_t now_ns(const struct clocks *clocks) {
  return read_clock(CLOCK_MONOTONIC) - clocks->origin_ns;
}

static int64_t injected_ns(const struct clocks *clocks) {
  return (int64_t)atomic_load_explicit(&clocks->shared->injected_ns, memory_order_acquire);
}

static int64_t wall_ns(const struct clocks *clocks) {
  return read_clock(CLOCK_REALTIME) + injected_ns(clocks);
}

/* The wall clock less the monotonic one, by the closest of several sandwiches. */
static int64_t offset_of(const struct clocks *clocks) {
  int64_t closest = INT64_MAX, offset = 0;
  for (int try = 0; try < sync_tries && closest > 200; try++) {
    int64_t before = read_clock(CLOCK_MONOTONIC);
    int64_t wall = wall_ns(clocks);
    int64_t gap = read_clock(CLOCK_MONOTONIC) - before;
    if (gap >= closest) continue;
    closest = gap;
    offset = wall - before - gap / 2;
  }
  return offset;
}

void clocks_start(struct clocks *clocks, int64_t origin_ns, const struct shared *shared) {
  clocks->origin_ns = origin_ns;
  clocks->shared = shared;
  clocks->offset_ns = offset_of(clocks);
  clocks->synced_ns = now_ns(clocks);
}

/* Both clocks are slewed alike: their difference changes only when the wall clock is set. A read that something came
   between looks like a step, so it is repeated closely. */
int64_t clocks_check(struct clocks *clocks, bool *is_stepped) {
  int64_t wall = wall_ns(clocks);
  int64_t now = now_ns(clocks);
  int64_t drift = wall - (now + clocks->origin_ns) - clocks->offset_ns;
  *is_stepped = false;
  if (drift > -most_jitter_ns && drift < most_jitter_ns && now - clocks->synced_ns < sync_every_ns) return now;
  int64_t offset = offset_of(clocks);
  int64_t step = offset - clocks->offset_ns;
  *is_stepped = step > most_jitter_ns || step < -most_jitter_ns;
  if (*is_stepped) {
    clocks->steps++;
    clocks->is_suspect = true;
  }
  clocks->offset_ns = offset;
  clocks->synced_ns = now;
  return now;
}

void stamps_enable(int fd) {
  int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags);
}

int64_t stamp_of(struct clocks *clocks, struct msghdr *message) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPING) continue;
    const struct timespec *at = &((const struct scm_timestamping *)CMSG_DATA(part))->ts[0];
    int64_t wall = at->tv_sec * INT64_C(1000000000) + at->tv_nsec;
    if (wall == 0) return 0;
    int64_t injected = injected_ns(clocks);
    if (injected != 0 && (double)wall >= atomic_load(&clocks->shared->injected_at_ns)) wall += injected;
    return wall - clocks->offset_ns - clocks->origin_ns;
  }
  return 0;
}
