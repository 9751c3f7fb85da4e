/* What an engine is set up with. */
#include "engine.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In one piece of memory, each with a zero behind it. */
static struct bytes *copy_texts(const struct bytes *texts, size_t count) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++) length += texts[i].length + 1;
  struct bytes *copies = must_allocate(1, count * sizeof *copies + length);
  uint8_t *at = (uint8_t *)(copies + count);
  for (size_t i = 0; i < count; i++) {
    copies[i] = (struct bytes){at, texts[i].length};
    if (texts[i].length > 0) memcpy(at, texts[i].data, texts[i].length);
    at += texts[i].length + 1;
  }
  return copies;
}

/* Addresses as text, all with that port. */
static struct sockaddr_storage *addresses_of(const struct bytes *texts, int64_t count, int64_t port) {
  struct sockaddr_storage *all = must_allocate((size_t)count + 1, sizeof *all);
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found;
  char service[8];
  snprintf(service, sizeof service, "%d", (int)port);
  for (int64_t i = 0; i < count; i++) {
    if (getaddrinfo((const char *)texts[i].data, service, &hints, &found) != 0) continue;
    memcpy(&all[i], found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
  }
  return all;
}

bool setup_read(struct setup *setup, const int64_t *numbers, const struct bytes *texts, size_t text_count) {
  memcpy(&setup->numbers, numbers, sizeof setup->numbers);
  const struct numbers *counts = &setup->numbers;
  struct bytes *next = setup->texts = copy_texts(texts, text_count);
  setup->marker = *next++;
  setup->acknowledgement = *next++;
  setup->server_name = *next++;
  setup->authorities = *next++;
  setup->ciphers = *next++;
  setup->cipher_suites = *next++;
  setup->tunnel = *next++;
  setup->identities = next;
  next += counts->identities;
  setup->targets = addresses_of(next, counts->targets, counts->port);
  setup->sources = addresses_of(next += counts->targets, counts->sources, 0);
  setup->delivery_heads = next += counts->sources;
  setup->replies = (struct reply *)(next + counts->delivery_heads);
  setup->reply_flags = must_allocate((size_t)counts->replies + 1, 1);
  for (int64_t i = 0; i < counts->replies; i++)
    setup->reply_flags[i] = (uint8_t)numbers[sizeof *counts / sizeof *numbers + (size_t)i];
  if (counts->tls != tls_none) setup->tls_context = tls_context(setup);
  return counts->tls == tls_none || setup->tls_context != NULL;
}

void setup_free(struct setup *setup) {
  tls_context_free(setup);
  free(setup->texts);
  free(setup->targets);
  free(setup->sources);
  free(setup->reply_flags);
}
