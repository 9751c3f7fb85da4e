/* What JavaScript calls (N-API), and how it is woken: a descriptor that libuv polls, since the descriptor of a
   `uv_async_t` would be another one in the tables of the threads. */
#include "engine.h"

#include <dlfcn.h>
#include <math.h>
#include <netdb.h>
#include <node_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* libuv's headers do not come with Node-API; these are stable since its version 1. */
typedef struct uv_handle uv_handle;
enum { uv_poll_type = 8, uv_readable = 1 };
size_t uv_handle_size(int type);
void uv_handle_set_data(uv_handle *handle, void *data);
void *uv_handle_get_data(const uv_handle *handle);
int uv_poll_init(struct uv_loop_s *loop, uv_handle *handle, int fd);
int uv_poll_start(uv_handle *handle, int events, void (*callback)(uv_handle *, int, int));
void uv_close(uv_handle *handle, void (*callback)(uv_handle *));

/* What an engine needs on the thread of JavaScript, until it is disposed of. */
struct host {
  struct engine *engine;
  napi_env env;
  napi_ref on_wake;
  napi_async_context context;
  napi_async_cleanup_hook_handle at_exit;
  uv_handle *poll;
  struct buffer text;
};

/* ---- Values ---- */

static napi_value property(napi_env env, napi_value object, const char *name) {
  napi_value value;
  napi_get_named_property(env, object, name, &value);
  return value;
}

static double number_of(napi_env env, napi_value value) {
  double number = 0;
  napi_get_value_double(env, value, &number);
  return number;
}

static double number_in(napi_env env, napi_value object, const char *name) {
  return number_of(env, property(env, object, name));
}

static bool is_true(napi_env env, napi_value value) {
  bool flag = false;
  napi_get_value_bool(env, value, &flag);
  return flag;
}

/* Memory that lives as long as the setup. */
static void *setup_allocate(struct setup *setup, size_t count, size_t size) {
  struct block *block = must_allocate(1, sizeof *block + count * size);
  block->next = setup->blocks;
  setup->blocks = block;
  return block->data;
}

static void setup_free(struct setup *setup) {
  for (struct block *block = setup->blocks, *next; block != NULL; block = next) {
    next = block->next;
    free(block);
  }
}

static struct bytes bytes_of(napi_env env, napi_value value, struct setup *setup) {
  void *data = NULL;
  size_t length = 0;
  napi_get_buffer_info(env, value, &data, &length);
  struct bytes copy = {setup_allocate(setup, 1, length + 1), length};
  if (length > 0) memcpy(copy.data, data, length);
  return copy;
}

static struct bytes bytes_in(napi_env env, napi_value object, const char *name, struct setup *setup) {
  return bytes_of(env, property(env, object, name), setup);
}

static struct list list_in(napi_env env, napi_value object, const char *name, struct setup *setup) {
  napi_value list = property(env, object, name), each;
  uint32_t length = 0;
  napi_get_array_length(env, list, &length);
  struct list all = {setup_allocate(setup, length, sizeof *all.items), (int)length};
  for (uint32_t i = 0; i < length; i++) {
    napi_get_element(env, list, i, &each);
    all.items[i] = bytes_of(env, each, setup);
  }
  return all;
}

/* Addresses as text, all with that port. */
static struct sockaddr_storage *addresses_in(napi_env env, napi_value object, const char *name, int port,
                                             struct setup *setup, int *count) {
  struct list texts = list_in(env, object, name, setup);
  struct sockaddr_storage *all = setup_allocate(setup, (size_t)texts.count, sizeof *all);
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  char service[8];
  snprintf(service, sizeof service, "%d", port);
  for (int i = 0; i < texts.count; i++) {
    struct addrinfo *found = NULL;
    if (getaddrinfo((const char *)texts.items[i].data, service, &hints, &found) != 0) continue;
    memcpy(&all[i], found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
  }
  *count = texts.count;
  return all;
}

static void read_setup(napi_env env, napi_value object, struct setup *setup) {
  int port = (int)number_in(env, object, "port");
  setup->targets = addresses_in(env, object, "targets", port, setup, &setup->target_count);
  setup->sources = addresses_in(env, object, "sources", 0, setup, &setup->source_count);
  setup->request = list_in(env, object, "request", setup);
  setup->subprotocols = list_in(env, object, "subprotocols", setup);
  setup->delivery_heads = list_in(env, object, "deliveryHeads", setup);
  setup->marker = bytes_in(env, object, "marker", setup);
  setup->acknowledgement = bytes_in(env, object, "acknowledgement", setup);
  setup->sequence_offset = (int)number_in(env, object, "sequenceOffset");
  setup->sequence_digits = (int)number_in(env, object, "sequenceDigits");
  setup->has_judge = is_true(env, property(env, object, "hasJudge"));
  setup->keeps_positions = is_true(env, property(env, object, "keepsPositions"));
  setup->received = list_in(env, object, "received", setup);
  setup->replies = list_in(env, object, "replies", setup);
  setup->reply_flags = bytes_in(env, object, "replyFlags", setup).data;
  setup->connect_timeout_ns = (int64_t)(number_in(env, object, "connectTimeoutMs") * 1e6);
  setup->close_timeout_ns = (int64_t)(number_in(env, object, "closeTimeoutMs") * 1e6);
  setup->origin_ns = (int64_t)number_in(env, object, "originNs");
  setup->capacity = (int)number_in(env, object, "capacity");
  setup->loop_count = (int)number_in(env, object, "loops");
}

/* ---- The life of an engine ---- */

static void list_begin(struct link *list) {
  list->next = list->previous = list;
}

static bool loop_create(struct engine *engine, int index) {
  struct loop *loop = &engine->loops[index];
  const struct setup *setup = &engine->setup;
  loop->engine = engine;
  loop->index = index;
  loop->client_count = (setup->capacity - index + setup->loop_count - 1) / setup->loop_count;
  loop->clients = must_allocate((size_t)loop->client_count + 1, sizeof *loop->clients);
  loop->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  list_begin(&loop->connecting);
  list_begin(&loop->closing);
  list_begin(&loop->vanished);
  list_begin(&loop->posted);
  pthread_mutex_init(&loop->commands.mutex, NULL);
  outbox_create(&loop->outbox);
  clocks_start(&loop->clocks, setup->origin_ns);
  return loop->wake_fd >= 0;
}

static void engine_free(struct engine *engine) {
  for (int i = 0; i < engine->setup.loop_count; i++) {
    struct loop *loop = &engine->loops[i];
    outbox_free(&loop->outbox);
    buffer_free(&loop->commands.posted);
    buffer_free(&loop->commands.running);
    buffer_free(&loop->frame);
    pthread_mutex_destroy(&loop->commands.mutex);
    free(loop->clients);
  }
  free(engine->loops);
  setup_free(&engine->setup);
  free(engine);
}

void engine_release(struct engine *engine) {
  if (atomic_fetch_sub(&engine->references, 1) == 1) engine_free(engine);
}

static void host_closed(uv_handle *poll) {
  struct host *host = uv_handle_get_data(poll);
  struct engine *engine = host->engine;
  /* A thread that shares our table may still speak through them, so there they stay. */
  bool are_ours = true;
  for (int i = 0; i < engine->setup.loop_count; i++) {
    if (engine->loops[i].has_own_table) close(engine->loops[i].wake_fd);
    else are_ours = false;
  }
  if (are_ours) close(engine->tell_fd);
  if (host->at_exit != NULL) napi_remove_async_cleanup_hook(host->at_exit);
  buffer_free(&host->text);
  free(poll);
  free(host);
  engine_release(engine);
}

/* Returns at once: the threads close their sockets, up to 26 us each, in their own time. */
static void engine_stop(struct host *host) {
  struct engine *engine = host->engine;
  if (atomic_exchange(&engine->is_disposed, true)) return;
  for (int i = 0; i < engine->setup.loop_count; i++) loop_wake(&engine->loops[i]);
  napi_delete_reference(host->env, host->on_wake);
  napi_async_destroy(host->env, host->context);
  uv_close(host->poll, host_closed);
}

/* The worker ends without `dispose`. */
static void on_exit_of_env(napi_async_cleanup_hook_handle handle, void *data) {
  (void)handle;
  engine_stop(data);
}

static void on_tell(uv_handle *poll, int status, int events) {
  (void)status;
  (void)events;
  struct host *host = uv_handle_get_data(poll);
  uint64_t times;
  ssize_t taken = read(host->engine->tell_fd, &times, sizeof times);
  (void)taken;
  napi_env env = host->env;
  napi_handle_scope scope;
  napi_value callback, receiver, error;
  napi_open_handle_scope(env, &scope);
  napi_get_reference_value(env, host->on_wake, &callback);
  napi_get_global(env, &receiver);
  if (napi_make_callback(env, host->context, receiver, callback, 0, NULL, NULL) == napi_pending_exception) {
    napi_get_and_clear_last_exception(env, &error);
    napi_fatal_exception(env, error);
  }
  napi_close_handle_scope(env, scope);
}

static void release(napi_env env, void *data, void *hint) {
  (void)env;
  (void)data;
  engine_release(hint);
}

/* What JavaScript sees of a loop: its rings by name, each with its columns. */
static napi_value views_of(napi_env env, struct loop *loop) {
  static const napi_typedarray_type types[] = {[column_uint8] = napi_uint8_array, [column_int32] = napi_int32_array,
                                               [column_uint32] = napi_uint32_array, [column_double] = napi_float64_array};
  const struct outbox *outbox = &loop->outbox;
  napi_value memory, object, ring = NULL, view;
  napi_create_external_arraybuffer(env, outbox->memory, outbox->memory_bytes, release, loop->engine, &memory);
  napi_create_object(env, &object);
  for (const struct column *column = outbox_columns; column->ring != NULL; column++) {
    const uint8_t *at;
    bool is_first = column == outbox_columns || strcmp(column->ring, column[-1].ring) != 0;
    if (is_first) napi_create_object(env, &ring);
    if (is_first) napi_set_named_property(env, object, column->ring, ring);
    if (column->name == NULL) continue;
    memcpy(&at, (const uint8_t *)outbox + column->offset, sizeof at);
    size_t offset = (size_t)(at - (const uint8_t *)outbox->memory);
    napi_create_typedarray(env, types[column->type], column->length, memory, offset, &view);
    napi_set_named_property(env, ring, column->name, view);
  }
  return object;
}

static void host_create(napi_env env, struct engine *engine, napi_value on_wake, struct host **created) {
  struct host *host = must_allocate(1, sizeof *host);
  struct uv_loop_s *uv_loop;
  napi_value name;
  host->engine = engine;
  host->env = env;
  napi_create_reference(env, on_wake, 1, &host->on_wake);
  napi_create_string_utf8(env, "ringside.wire", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, NULL, name, &host->context);
  napi_get_uv_event_loop(env, &uv_loop);
  host->poll = must_allocate(1, uv_handle_size(uv_poll_type));
  uv_handle_set_data(host->poll, host);
  uv_poll_init(uv_loop, host->poll, engine->tell_fd);
  uv_poll_start(host->poll, uv_readable, on_tell);
  napi_add_async_cleanup_hook(env, on_exit_of_env, host, &host->at_exit);
  *created = host;
}

/* create(setup, onWake): { handle, loops }. Throws if a thread cannot start. */
static napi_value create(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], result, handle, loops;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  struct engine *engine = must_allocate(1, sizeof *engine);
  read_setup(env, arguments[0], &engine->setup);
  int loop_count = engine->setup.loop_count;
  engine->loops = must_allocate((size_t)loop_count, sizeof *engine->loops);
  engine->tell_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  bool is_created = engine->tell_fd >= 0;
  for (int i = 0; i < loop_count; i++) is_created = loop_create(engine, i) && is_created;
  /* The poll, the handle, and per loop its memory and its thread. */
  atomic_store(&engine->references, 2 + loop_count);
  struct host *host;
  host_create(env, engine, arguments[1], &host);
  napi_create_object(env, &result);
  napi_create_external(env, host, release, engine, &handle);
  napi_set_named_property(env, result, "handle", handle);
  napi_create_array(env, &loops);
  napi_set_named_property(env, result, "loops", loops);
  for (int i = 0; i < loop_count; i++) {
    napi_set_element(env, loops, (uint32_t)i, views_of(env, &engine->loops[i]));
    if (is_created) atomic_fetch_add(&engine->references, 1);
    if (is_created && !loop_start(&engine->loops[i])) {
      atomic_fetch_sub(&engine->references, 1);
      is_created = false;
    }
  }
  if (!is_created) {
    engine_stop(host);
    napi_throw_error(env, "EMFILE", "no descriptor or thread for the native engine");
  }
  return result;
}

/* ---- Calls ---- */

static struct host *host_of(napi_env env, napi_callback_info info, napi_value *arguments, size_t count) {
  void *host = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_external(env, arguments[0], &host);
  return host;
}

static struct loop *loop_of(struct engine *engine, int client, int *slot) {
  *slot = client / engine->setup.loop_count;
  return &engine->loops[client % engine->setup.loop_count];
}

/* open(handle, client, number, generation) */
static napi_value open_client(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  struct engine *engine = host_of(env, info, arguments, 4)->engine;
  int slot, client = (int)number_of(env, arguments[1]);
  struct loop *loop = loop_of(engine, client, &slot);
  loop->clients[slot].id = client;
  struct command command = {.kind = command_open, .slot = slot, .number = number_of(env, arguments[2])};
  command.generation = (uint8_t)number_of(env, arguments[3]);
  loop_post(loop, &command, NULL);
  return NULL;
}

/* The bytes of a text, which then are in `text`, or of a Uint8Array. */
static struct bytes message_of(napi_env env, napi_value value, struct buffer *text, uint8_t *opcode) {
  struct bytes bytes = {NULL, 0};
  napi_valuetype type;
  napi_typeof(env, value, &type);
  *opcode = type == napi_string ? 1 : 2;
  if (type != napi_string) {
    napi_get_buffer_info(env, value, (void **)&bytes.data, &bytes.length);
    return bytes;
  }
  napi_get_value_string_utf8(env, value, NULL, 0, &bytes.length);
  if (text->capacity < bytes.length + 1) {
    buffer_free(text);
    text->data = must_allocate(1, bytes.length + 1);
    text->capacity = bytes.length + 1;
  }
  napi_get_value_string_utf8(env, value, (char *)text->data, text->capacity, &bytes.length);
  bytes.data = text->data;
  return bytes;
}

static void post_message(struct host *host, struct loop *loop, struct command *command, const struct bytes *bytes) {
  command->length = (uint32_t)bytes->length;
  loop_post(loop, command, bytes->data);
  if (host->text.capacity > 65536) buffer_free(&host->text);
}

/* send(handle, client, message, isData, generation): boolean */
static napi_value send_to(napi_env env, napi_callback_info info) {
  napi_value arguments[5], result;
  struct host *host = host_of(env, info, arguments, 5);
  struct command command = {.kind = command_send, .is_data = is_true(env, arguments[3])};
  struct loop *loop = loop_of(host->engine, (int)number_of(env, arguments[1]), &command.slot);
  struct client *client = &loop->clients[command.slot];
  struct bytes bytes = message_of(env, arguments[2], &host->text, &command.opcode);
  size_t length = frame_bytes(bytes.length);
  bool is_taken = send_has_room(client, length);
  command.generation = (uint8_t)number_of(env, arguments[4]);
  if (is_taken) {
    send_expect(client, length, command.is_data);
    post_message(host, loop, &command, &bytes);
  }
  napi_get_boolean(env, is_taken, &result);
  return result;
}

/* post(handle, client, message, dueNs, token, generation): a send of the run that leaves at its instant. */
static napi_value post_to(napi_env env, napi_callback_info info) {
  napi_value arguments[6];
  struct host *host = host_of(env, info, arguments, 6);
  struct command command = {.kind = command_post, .is_data = true, .at_ns = number_of(env, arguments[3])};
  struct loop *loop = loop_of(host->engine, (int)number_of(env, arguments[1]), &command.slot);
  struct bytes bytes = message_of(env, arguments[2], &host->text, &command.opcode);
  command.token = (int32_t)number_of(env, arguments[4]);
  command.generation = (uint8_t)number_of(env, arguments[5]);
  post_message(host, loop, &command, &bytes);
  return NULL;
}

/* drop(handle, client, mode) */
static napi_value drop_client(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  struct engine *engine = host_of(env, info, arguments, 3)->engine;
  int slot;
  struct loop *loop = loop_of(engine, (int)number_of(env, arguments[1]), &slot);
  atomic_store(&loop->clients[slot].is_leaving, true);
  struct command command = {.kind = command_drop, .slot = slot, .mode = (uint8_t)number_of(env, arguments[2])};
  loop_post(loop, &command, NULL);
  return NULL;
}

/* left(handle, client): when all that it said had left; Infinity while something waits. */
static napi_value left_of(napi_env env, napi_callback_info info) {
  napi_value arguments[2], result;
  struct engine *engine = host_of(env, info, arguments, 2)->engine;
  int slot;
  struct loop *loop = loop_of(engine, (int)number_of(env, arguments[1]), &slot);
  struct client *client = &loop->clients[slot];
  bool is_waiting = atomic_load(&client->waiting_bytes) > 0;
  int64_t left_ns = atomic_load(&client->left_ns);
  napi_create_double(env, is_waiting || left_ns == INT64_MAX ? (double)INFINITY : (double)left_ns, &result);
  return result;
}

/* unsent(handle, client): how many sends of the run no write has ever begun with. */
static napi_value unsent_of(napi_env env, napi_callback_info info) {
  napi_value arguments[2], result;
  struct engine *engine = host_of(env, info, arguments, 2)->engine;
  int slot;
  struct loop *loop = loop_of(engine, (int)number_of(env, arguments[1]), &slot);
  napi_create_uint32(env, atomic_load(&loop->clients[slot].unsent), &result);
  return result;
}

static void *data_of(napi_env env, napi_value typed_array) {
  void *data = NULL;
  napi_get_typedarray_info(env, typed_array, NULL, NULL, &data, NULL, NULL);
  return data;
}

/* take(handle, heads): how far each loop has published deliveries, acknowledgements and events. */
static napi_value take(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct engine *engine = host_of(env, info, arguments, 2)->engine;
  uint32_t *heads = data_of(env, arguments[1]);
  atomic_store(&engine->is_told, false);
  for (int i = 0; i < engine->setup.loop_count; i++, heads += 3) {
    struct outbox *outbox = &engine->loops[i].outbox;
    /* Against the order in which they are published. */
    heads[0] = atomic_load(&outbox->deliveries.ring.head);
    heads[1] = atomic_load(&outbox->acknowledgements.ring.head);
    heads[2] = atomic_load(&outbox->events.ring.head);
  }
  return NULL;
}

/* reports(handle, heads): how far each loop has published what became of posted sends. */
static napi_value reports(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct engine *engine = host_of(env, info, arguments, 2)->engine;
  uint32_t *heads = data_of(env, arguments[1]);
  for (int i = 0; i < engine->setup.loop_count; i++)
    heads[i] = atomic_load(&engine->loops[i].outbox.reports.ring.head);
  return NULL;
}

/* done(handle, tails): how far JavaScript has read. */
static napi_value done(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct engine *engine = host_of(env, info, arguments, 2)->engine;
  const uint32_t *tails = data_of(env, arguments[1]);
  for (int i = 0; i < engine->setup.loop_count; i++, tails += 3) {
    struct outbox *outbox = &engine->loops[i].outbox;
    atomic_store(&outbox->deliveries.ring.tail, tails[0]);
    atomic_store(&outbox->acknowledgements.ring.tail, tails[1]);
    atomic_store(&outbox->events.ring.tail, tails[2]);
  }
  return NULL;
}

/* large(address, length): a message that the arena had no room for, once. */
static napi_value large(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], result;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  uint8_t *bytes = (uint8_t *)(uintptr_t)number_of(env, arguments[0]);
  napi_create_buffer_copy(env, (size_t)number_of(env, arguments[1]), bytes, NULL, &result);
  free(bytes);
  return result;
}

/* stats(handle, into): reads, clockSteps, loops, cpuNs, coreWaitNs, own tables */
static napi_value stats(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct engine *engine = host_of(env, info, arguments, 2)->engine;
  double *into = data_of(env, arguments[1]);
  for (int i = 0; i < 6; i++) into[i] = 0;
  for (int i = 0; i < engine->setup.loop_count; i++) {
    struct loop *loop = &engine->loops[i];
    into[0] += (double)loop->reads;
    into[1] = fmax(into[1], (double)loop->steps);
    into[2]++;
    int64_t cpu_ns, core_wait_ns;
    loop_measure(loop, &cpu_ns, &core_wait_ns);
    into[3] += (double)cpu_ns;
    into[4] += (double)core_wait_ns;
    into[5] += loop->has_own_table;
  }
  return NULL;
}

/* stepClock(handle, ns): for tests, as if somebody set the wall clock. */
static napi_value step_clock(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct engine *engine = host_of(env, info, arguments, 2)->engine;
  for (int i = 0; i < engine->setup.loop_count; i++)
    clocks_inject(&engine->loops[i].clocks, (int64_t)number_of(env, arguments[1]));
  return NULL;
}

/* dispose(handle) */
static napi_value dispose(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  engine_stop(host_of(env, info, arguments, 1));
  return NULL;
}

/* A worker that ends unloads what it loaded, while threads may still close sockets. */
static void stay_loaded(void) {
  Dl_info of;
  if (dladdr((void *)stay_loaded, &of) != 0) dlopen(of.dli_fname, RTLD_NOW | RTLD_NODELETE);
}

NAPI_MODULE_INIT() {
  static const struct {
    const char *name;
    napi_callback callback;
  } functions[] = {{"create", create},       {"open", open_client}, {"send", send_to},   {"post", post_to},
                   {"drop", drop_client},    {"left", left_of},     {"unsent", unsent_of}, {"take", take},
                   {"reports", reports},     {"done", done},        {"large", large},    {"stats", stats},
                   {"stepClock", step_clock}, {"dispose", dispose}};
  stay_loaded();
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function;
    napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].callback, NULL, &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}
