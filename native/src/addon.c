/* What JavaScript calls (N-API), and how it is woken: a descriptor that libuv polls, since the descriptor of a
   `uv_async_t` would be another one in the tables of the threads. */
#include "engine.h"

#include <dlfcn.h>
#include <node_api.h>
#include <stdlib.h>
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

/* An engine, and what it needs on the thread of JavaScript until it is disposed of. */
struct host {
  struct engine engine;
  napi_env env;
  napi_ref on_wake;
  napi_async_context context;
  napi_async_cleanup_hook_handle at_exit;
  uv_handle *poll;
  struct buffer text;
};

/* ---- The life of an engine ---- */

void engine_release(struct engine *engine) {
  if (atomic_fetch_sub(&engine->references, 1) != 1) return;
  for (int i = 0; i < engine->loop_count; i++) loop_free(&engine->loops[i]);
  free(engine->loops);
  setup_free(&engine->setup);
  free((struct host *)engine);
}

static void host_closed(uv_handle *poll) {
  struct host *host = uv_handle_get_data(poll);
  struct engine *engine = &host->engine;
  /* A thread that shares our table may still speak through them, so there they stay. */
  bool are_ours = true;
  for (int i = 0; i < engine->loop_count; i++) {
    if (engine->loops[i].has_own_table) close(engine->loops[i].wake_fd);
    else are_ours = false;
  }
  if (are_ours) close(engine->tell_fd);
  if (host->at_exit != NULL) napi_remove_async_cleanup_hook(host->at_exit);
  buffer_free(&host->text);
  free(poll);
  engine_release(engine);
}

/* Returns at once: the threads close their sockets, up to 26 us each, in their own time. */
static void engine_stop(struct host *host) {
  struct engine *engine = &host->engine;
  if (atomic_exchange(&engine->is_disposed, true)) return;
  for (int i = 0; i < engine->loop_count; i++) eventfd_write(engine->loops[i].wake_fd, 1);
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
  eventfd_t times;
  eventfd_read(host->engine.tell_fd, &times);
  /* Before JavaScript looks: what is published later tells it anew. */
  atomic_exchange(&host->engine.is_told, false);
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

static void host_start(napi_env env, struct host *host, napi_value on_wake) {
  struct uv_loop_s *uv_loop;
  napi_value name;
  host->env = env;
  napi_create_reference(env, on_wake, 1, &host->on_wake);
  napi_create_string_utf8(env, "ringside.wire", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, NULL, name, &host->context);
  napi_get_uv_event_loop(env, &uv_loop);
  host->poll = must_allocate(1, uv_handle_size(uv_poll_type));
  uv_handle_set_data(host->poll, host);
  uv_poll_init(uv_loop, host->poll, host->engine.tell_fd);
  uv_poll_start(host->poll, uv_readable, on_tell);
  napi_add_async_cleanup_hook(env, on_exit_of_env, host, &host->at_exit);
}

/* ---- Calls ---- */

static void release(napi_env env, void *data, void *hint) {
  (void)env;
  (void)data;
  engine_release(hint);
}

static bool read_setup(napi_env env, napi_value numbers, napi_value texts, struct setup *setup) {
  void *data = NULL;
  uint32_t count = 0;
  napi_get_typedarray_info(env, numbers, NULL, NULL, &data, NULL, NULL);
  napi_get_array_length(env, texts, &count);
  struct bytes *all = must_allocate(count, sizeof *all);
  for (uint32_t i = 0; i < count; i++) {
    napi_value text;
    napi_get_element(env, texts, i, &text);
    napi_get_buffer_info(env, text, (void **)&all[i].data, &all[i].length);
  }
  bool is_taken = setup_read(setup, data, all, count);
  free(all);
  return is_taken;
}

/* create(numbers, texts, onWake): [handle, the memory of each loop …]. Throws if a thread cannot start. */
static napi_value create(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3], result, handle, memory;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  struct host *host = must_allocate(1, sizeof *host);
  struct engine *engine = &host->engine;
  bool has_tls = read_setup(env, arguments[0], arguments[1], &engine->setup);
  int loop_count = engine->loop_count = (int)engine->setup.numbers.loops;
  engine->loops = must_allocate((size_t)loop_count, sizeof *engine->loops);
  engine->tell_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  bool is_created = engine->tell_fd >= 0 && has_tls;
  for (int i = 0; i < loop_count; i++) is_created = loop_create(&engine->loops[i], engine, i) && is_created;
  /* The poll, the handle, and per loop its memory and its thread. */
  atomic_store(&engine->references, 2 + loop_count);
  host_start(env, host, arguments[2]);
  napi_create_array(env, &result);
  napi_create_external(env, host, release, engine, &handle);
  napi_set_element(env, result, 0, handle);
  for (int i = 0; i < loop_count; i++) {
    struct loop *loop = &engine->loops[i];
    napi_create_external_arraybuffer(env, loop->shared, loop->shared_bytes, release, engine, &memory);
    napi_set_element(env, result, (uint32_t)i + 1, memory);
    if (is_created) atomic_fetch_add(&engine->references, 1);
    if (is_created && !loop_start(loop)) {
      atomic_fetch_sub(&engine->references, 1);
      is_created = false;
    }
  }
  if (!is_created) {
    engine_stop(host);
    const char *lack = has_tls ? "no descriptor or thread for the native engine" : "OpenSSL has no TLS for us";
    napi_throw_error(env, has_tls ? "EMFILE" : "ENOTSUP", lack);
  }
  return result;
}

static double number_of(napi_env env, napi_value value) {
  double number = 0;
  napi_get_value_double(env, value, &number);
  return number;
}

/* The bytes of a text, which then are in `text`, or of a Uint8Array. */
static struct bytes message_of(napi_env env, napi_value value, struct buffer *text, uint8_t *opcode) {
  struct bytes bytes = {NULL, 0};
  napi_valuetype type;
  napi_typeof(env, value, &type);
  *opcode = type == napi_string ? op_text : op_binary;
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

/* command(handle, kind, client, generation, detail, number, message): false for a send that would wait beyond the
   bound. `struct command` tells of detail and number. */
static napi_value command(napi_env env, napi_callback_info info) {
  size_t count = 7;
  napi_value arguments[7], result;
  void *data = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_external(env, arguments[0], &data);
  struct host *host = data;
  const struct engine *engine = &host->engine;
  int id = (int)number_of(env, arguments[2]);
  struct loop *loop = &engine->loops[id % engine->loop_count];
  struct command command = {.kind = (enum command_kind)number_of(env, arguments[1]), .slot = id / engine->loop_count};
  command.generation = (uint32_t)number_of(env, arguments[3]);
  command.detail = (int32_t)number_of(env, arguments[4]);
  command.number = number_of(env, arguments[5]);
  struct client *client = &loop->clients[command.slot];
  struct bytes bytes = message_of(env, arguments[6], &host->text, &command.opcode);
  command.length = (uint32_t)bytes.length;
  bool is_queued = command.kind == command_send && command.detail < send_pong;
  bool is_bounded = is_queued && command.detail != send_close;
  bool is_taken = !is_bounded || send_has_room(engine, client->account, frame_bytes(bytes.length));
  if (is_queued && is_taken) send_expect(client->account, frame_bytes(bytes.length), command.detail == send_data);
  if (command.kind == command_drop) atomic_store(&client->is_leaving, true);
  if (is_taken) loop_post(loop, &command, bytes.data);
  if (host->text.capacity > 65536) buffer_free(&host->text);
  napi_get_boolean(env, is_taken, &result);
  return result;
}

/* post(handle, loop, commands, length): posts in a row, as src/wire/native/commands.ts writes them. */
static napi_value post(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value arguments[4];
  void *host = NULL, *data = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_external(env, arguments[0], &host);
  struct engine *engine = &((struct host *)host)->engine;
  napi_get_buffer_info(env, arguments[2], &data, NULL);
  loop_post_all(&engine->loops[(int)number_of(env, arguments[1])], data, (size_t)number_of(env, arguments[3]));
  return NULL;
}

/* dispose(handle) */
static napi_value dispose(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value handle;
  void *host = NULL;
  napi_get_cb_info(env, info, &count, &handle, NULL, NULL);
  napi_get_value_external(env, handle, &host);
  engine_stop(host);
  return NULL;
}

/* A worker that ends unloads what it loaded, while threads may still close sockets. */
static void stay_loaded(void) {
  Dl_info of;
  if (dladdr((void *)stay_loaded, &of) != 0) dlopen(of.dli_fname, RTLD_NOW | RTLD_NODELETE);
}

static void join_at_exit(void) {
  atexit(loops_join);
}

NAPI_MODULE_INIT() {
  static const napi_property_descriptor calls[] = {
      {.utf8name = "create", .method = create, .attributes = napi_enumerable},
      {.utf8name = "command", .method = command, .attributes = napi_enumerable},
      {.utf8name = "post", .method = post, .attributes = napi_enumerable},
      {.utf8name = "dispose", .method = dispose, .attributes = napi_enumerable},
  };
  stay_loaded();
  /* Registered behind that of OpenSSL, so it runs before: no thread may be in there when `exit` takes it apart. */
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, join_at_exit);
  napi_value openssl;
  const char *version = tls_version();
  if (version == NULL) napi_get_undefined(env, &openssl);
  else napi_create_string_utf8(env, version, NAPI_AUTO_LENGTH, &openssl);
  napi_set_named_property(env, exports, "openssl", openssl);
  napi_define_properties(env, exports, sizeof calls / sizeof *calls, calls);
  return exports;
}
