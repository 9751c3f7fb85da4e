/* Buffers that grow, and lists. */
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

void link_begin(struct link *list) {
  list->next = list->previous = list;
}

void link_add(struct link *list, struct link *link) {
  link->previous = list->previous;
  link->next = list;
  list->previous->next = link;
  list->previous = link;
}

bool link_is_empty(const struct link *list) {
  return list->next == list;
}

void link_remove(struct link *link) {
  if (link->next == NULL) return;
  link->previous->next = link->next;
  link->next->previous = link->previous;
  link->next = link->previous = NULL;
}
