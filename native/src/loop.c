/* A thread with an epoll and a descriptor table of its own: RLIMIT_NOFILE counts per table. */
#include "engine.h"

#include <errno.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { events_per_wait = 256, gathering_ns = 1000000 };

static int close_between(unsigned first, unsigned last) {
  return first > last ? 0 : (int)syscall(SYS_close_range, first, last, CLOSE_RANGE_UNSHARE);
}

static void close_one_by_one(int first, int second) {
  long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 3; fd < most; fd++)
    if (fd != first && fd != second) close(fd);
}

/* Takes a table of its own with only the standard streams and what both threads speak through. */
static bool own_table(int first, int second) {
  unsigned low = (unsigned)(first < second ? first : second), high = (unsigned)(first < second ? second : first);
  if (close_between(high + 1, ~0U) == 0) {
    close_between(low + 1, high - 1);
    close_between(3, low - 1);
    return true;
  }
  if (unshare(CLONE_FILES) != 0) return false;
  close_one_by_one(first, second);
  return true;
}

static void post(struct loop *loop, struct bytes first, struct bytes second) {
  struct commands *commands = &loop->commands;
  pthread_mutex_lock(&commands->mutex);
  buffer_append(&commands->posted, first.data, first.length);
  buffer_append(&commands->posted, second.data, second.length);
  bool is_first = !commands->is_signalled;
  commands->is_signalled = true;
  pthread_mutex_unlock(&commands->mutex);
  if (is_first) eventfd_write(loop->wake_fd, 1);
}

void loop_post(struct loop *loop, const struct command *command, const void *bytes) {
  post(loop, (struct bytes){(uint8_t *)command, sizeof *command}, (struct bytes){(uint8_t *)bytes, command->length});
}

void loop_post_all(struct loop *loop, const void *commands, size_t length) {
  post(loop, (struct bytes){(uint8_t *)commands, length}, (struct bytes){NULL, 0});
}

static void run_command(struct loop *loop, const struct command *command, const uint8_t *bytes) {
  struct client *client = &loop->clients[command->slot];
  switch (command->kind) {
    case command_open: connection_open(loop, client, command, bytes); break;
    case command_send: send_message(loop, client, command, bytes); break;
    case command_post: posted_add(loop, command, bytes); break;
    case command_drop: connection_drop(loop, client, (enum drop_mode)command->detail, (int)command->number); break;
    case command_read:
      if (client->generation == command->generation) connection_read(loop, client, (int64_t)command->number);
      break;
    case command_trust:
      if (client->generation == command->generation) client->account->judged = (uint32_t)command->detail;
  }
}

static void run_commands(struct loop *loop) {
  struct commands *commands = &loop->commands;
  eventfd_t times;
  eventfd_read(loop->wake_fd, &times);
  pthread_mutex_lock(&commands->mutex);
  struct buffer posted = commands->posted;
  commands->posted = commands->running;
  commands->running = posted;
  commands->is_signalled = false;
  pthread_mutex_unlock(&commands->mutex);
  for (size_t at = 0; at < posted.length && !atomic_load(&loop->engine->is_disposed);) {
    struct command command;
    memcpy(&command, posted.data + at, sizeof command);
    at += sizeof command;
    if (command.kind != command_post) loop->prompt_until_ns = loop->woke_ns + prompt_ns;
    run_command(loop, &command, posted.data + at);
    posted_send(loop);
    at += command.length;
  }
  /* A burst leaves no memory behind. */
  if (posted.capacity > 65536) buffer_free(&commands->running);
  commands->running.length = 0;
}

/* The client that an event is of, if any. */
static struct client *client_of(struct loop *loop, const struct epoll_event *event) {
  void *of = event->data.ptr;
  return of == loop || event->data.u64 & tag_leftover ? NULL : of;
}

/* Commands come last: they may give a client another socket, and the events at hand are of the one before. What falls
   due meanwhile does not wait for the rest. */
static void dispatch(struct loop *loop, const struct epoll_event *events, int count) {
  bool has_commands = false;
  for (int i = 0; i < count; i++) {
    struct client *client = client_of(loop, &events[i]);
    posted_send(loop);
    if (client != NULL) connection_ready(loop, client, events[i].events);
    else if (events[i].data.u64 & tag_leftover)
      leftover_ready(loop, (struct leftover *)(events[i].data.u64 - tag_leftover));
    else if (events[i].data.ptr == NULL) has_commands = true;
  }
  if (has_commands) run_commands(loop);
  posted_send(loop);
}

/* What a wait reports became ready after the look before it, and after its own look if that found nothing. Only a
   client that is connecting needs to know, so only then is a look of its own worth its time. */
static int wait_for_events(struct loop *loop, struct epoll_event *events) {
  int64_t look_ns = now_ns(&loop->clocks);
  int count = 0;
  loop->ready_from_ns = loop->looked_ns;
  bool is_connecting = loop->dialled > 0;
  if (is_connecting) count = epoll_wait(loop->epoll_fd, events, events_per_wait, 0);
  if (count <= 0) {
    if (is_connecting) loop->ready_from_ns = look_ns;
    int timeout_ms = connections_timeout(loop, outbox_timeout(loop));
    posted_arm(loop);
    count = epoll_wait(loop->epoll_fd, events, events_per_wait, timeout_ms);
  }
  if (count < events_per_wait) loop->looked_ns = look_ns;
  loop->woke_ns = now_ns(&loop->clocks);
  return count;
}

/* The wall clock was set: what the stamps of this wait said of its sockets is not true. */
static void forget_stamps(struct loop *loop, const struct epoll_event *events, int count) {
  for (int i = 0; i < count; i++) {
    struct client *client = client_of(loop, &events[i]);
    if (client == NULL) continue;
    client->drained_ns = loop->woke_ns;
    if (client->handshake != NULL) client->handshake->tls_least_ns = 0;
  }
}

/* Where only deliveries come, the kernel has stamped them: to read many at once saves a wake for each. Commands end
   the pause. Talk is answered at once, so that the rig adds nothing to a round trip, unless much of it comes. A posted
   send ends the pause and leaves first. */
static void gather(struct loop *loop) {
  int64_t now = now_ns(&loop->clocks), told_ns = loop->outbox.due_ns, due_ns = posted_due_ns(loop);
  bool has_much_talk = outbox_has_much_talk(loop, now);
  if (!has_much_talk && loop->woke_ns < loop->prompt_until_ns) return;
  int64_t until_ns = now + (has_much_talk ? talk_patience_ns : gathering_ns);
  if (told_ns != 0 && told_ns < until_ns) until_ns = told_ns;
  if (due_ns < until_ns) until_ns = due_ns;
  struct pollfd wake = {.fd = loop->wake_fd, .events = POLLIN};
  const struct timespec most = {.tv_nsec = until_ns - now};
  if (until_ns > now) ppoll(&wake, 1, &most, NULL);
  posted_send(loop);
}

static void run(struct loop *loop) {
  struct epoll_event events[events_per_wait];
  while (!atomic_load(&loop->engine->is_disposed)) {
    bool was_suspect = loop->clocks.is_suspect;
    uint32_t steps = loop->clocks.steps;
    int count = wait_for_events(loop, events);
    dispatch(loop, events, count);
    connections_expire(loop);
    outbox_publish(loop);
    if (steps != loop->clocks.steps) forget_stamps(loop, events, count);
    gather(loop);
    if (was_suspect && count < events_per_wait) loop->clocks.is_suspect = false;
  }
}

bool loop_watch(const struct loop *loop, int operation, int fd, bool awaits_room, void *of) {
  /* Of room only where somebody waits for it: each report costs a look. */
  uint32_t room = awaits_room ? EPOLLOUT : 0;
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET | room, .data.ptr = of};
  return epoll_ctl(loop->epoll_fd, operation, fd, &event) == 0;
}

/* While one socket is stamped the kernel keeps stamping, so that no connection switches it on or off. Gives it. */
static int create_descriptors(struct loop *loop) {
  loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->wake_fd, &event);
  loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  event = (struct epoll_event){.events = EPOLLIN | EPOLLET, .data.ptr = loop};
  epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->timer_fd, &event);
  int stamping_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (stamping_fd >= 0) stamps_enable(stamping_fd);
  return stamping_fd;
}

/* ---- Threads of the process ---- */

/* `loop` until the thread lets go of its engine. */
struct runner {
  struct link link;
  pthread_t thread;
  struct loop *loop;
};

static pthread_mutex_t runners_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct link runners = {&runners, &runners};
static bool is_exiting;

static void stop(const struct engine *engine) {
  for (int i = 0; i < engine->loop_count; i++) eventfd_write(engine->loops[i].wake_fd, 1);
}

void loops_join(void) {
  pthread_mutex_lock(&runners_mutex);
  is_exiting = true;
  for (struct link *each = runners.next; each != &runners; each = each->next) {
    struct loop *loop = ((struct runner *)each)->loop;
    if (loop != NULL && !atomic_exchange(&loop->engine->is_disposed, true)) stop(loop->engine);
  }
  pthread_mutex_unlock(&runners_mutex);
  /* From here on nobody adds or removes one. */
  for (struct link *each = runners.next; each != &runners; each = each->next)
    pthread_join(((struct runner *)each)->thread, NULL);
}

static void runner_over(struct runner *runner) {
  struct engine *engine = runner->loop->engine;
  pthread_mutex_lock(&runners_mutex);
  runner->loop = NULL;
  pthread_mutex_unlock(&runners_mutex);
  engine_release(engine);
  tls_thread_over();
  pthread_mutex_lock(&runners_mutex);
  if (!is_exiting) {
    pthread_detach(runner->thread);
    link_remove(&runner->link);
    free(runner);
  }
  pthread_mutex_unlock(&runners_mutex);
}

static void *run_thread(void *argument) {
  struct runner *runner = argument;
  struct loop *loop = runner->loop;
  struct engine *engine = loop->engine;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  atomic_store(&loop->shared->tid, (uint32_t)syscall(SYS_gettid));
  /* A pause ends on time. */
  prctl(PR_SET_TIMERSLACK, 1);
  loop->has_own_table = own_table(loop->wake_fd, engine->tell_fd);
  int stamping_fd = create_descriptors(loop);
  sem_post(&loop->is_ready);
  loop->read_buffer = must_allocate(1, read_bytes);
  loop->keys_used = key_pool_bytes;
  tls_start(loop);
  loop->looked_ns = now_ns(&loop->clocks);
  run(loop);
  connections_dispose(loop);
  tls_end(loop);
  posted_free(loop);
  close(loop->timer_fd);
  close(stamping_fd);
  close(loop->epoll_fd);
  if (loop->has_own_table) {
    close(loop->wake_fd);
    close(engine->tell_fd);
  }
  free(loop->read_buffer);
  runner_over(runner);
  return NULL;
}

bool loop_create(struct loop *loop, struct engine *engine, int index) {
  loop->engine = engine;
  loop->client_count = ((int)engine->setup.numbers.capacity - index + engine->loop_count - 1) / engine->loop_count;
  loop->shared_bytes = sizeof *loop->shared + (size_t)loop->client_count * sizeof *loop->shared->accounts;
  loop->shared = must_allocate(1, loop->shared_bytes);
  loop->clients = must_allocate((size_t)loop->client_count + 1, sizeof *loop->clients);
  for (int i = 0; i < loop->client_count; i++) {
    loop->clients[i].id = index + i * engine->loop_count;
    loop->clients[i].account = &loop->shared->accounts[i];
  }
  loop->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  link_begin(&loop->connecting);
  link_begin(&loop->closing);
  link_begin(&loop->vanished);
  link_begin(&loop->posted);
  pthread_mutex_init(&loop->commands.mutex, NULL);
  sem_init(&loop->is_ready, 0, 0);
  clocks_start(&loop->clocks, engine->setup.numbers.origin_ns, loop->shared);
  return loop->wake_fd >= 0;
}

bool loop_start(struct loop *loop) {
  struct runner *runner = must_allocate(1, sizeof *runner);
  runner->loop = loop;
  pthread_mutex_lock(&runners_mutex);
  bool is_started = !is_exiting && pthread_create(&runner->thread, NULL, run_thread, runner) == 0;
  if (is_started) link_add(&runners, &runner->link);
  else free(runner);
  pthread_mutex_unlock(&runners_mutex);
  if (!is_started) return false;
  while (sem_wait(&loop->is_ready) != 0) continue;
  return true;
}

void loop_free(struct loop *loop) {
  buffer_free(&loop->commands.posted);
  buffer_free(&loop->commands.running);
  buffer_free(&loop->frame);
  pthread_mutex_destroy(&loop->commands.mutex);
  sem_destroy(&loop->is_ready);
  free(loop->clients);
  free(loop->shared);
}
