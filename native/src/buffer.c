/* Buffers that grow. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

void *must_allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) abort();
  return memory;
}

void buffer_append(struct buffer *buffer, const void *data, size_t length) {
  if (buffer->length + length > buffer->capacity) {
    size_t capacity = buffer->capacity * 2 > buffer->length + length ? buffer->capacity * 2 : buffer->length + length;
    buffer->data = realloc(buffer->data, capacity);
    if (buffer->data == NULL) abort();
    buffer->capacity = capacity;
  }
  if (length > 0) memcpy(buffer->data + buffer->length, data, length);
  buffer->length += length;
}

void buffer_free(struct buffer *buffer) {
  free(buffer->data);
  *buffer = (struct buffer){0};
}
