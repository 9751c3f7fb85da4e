import { wsconnect } from '@nats-io/nats-core';
import { defineFlow } from 'ringside-bench/flow';

export default defineFlow({
  metrics: { request: { meaning: 'from the request to its answer' } },
  async client(me) {
    const wsFactory = async (url: string) => ({ socket: new me.WebSocket(url), encrypted: false });
    const nats = await wsconnect({ servers: me.target.origin, wsFactory, reconnect: false });
    nats.subscribe(`echo.${me.number}`, { callback: (_error, message) => void message.respond(message.data) });
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      const answer = await me.time('request', () => nats.request(`echo.${me.number}`, mark));
      me.check('answered with its mark', answer.string() === mark);
    }
    await nats.drain();
  },
});
