import mqtt from 'mqtt';
import { defineFlow } from 'ringside-bench/flow';

export default defineFlow({
  metrics: { message: { meaning: 'from the publish to the message' } },
  async client(me) {
    const url = new URL('/mqtt', me.target).href;
    const createWebsocket = (to: string, protocols: string[]) => new me.WebSocket(to, protocols);
    const client = await mqtt.connectAsync(url, { createWebsocket, reconnectPeriod: 0 });
    await client.subscribeAsync(`car/${me.number}`, { qos: 1 });
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      const heard = new Promise((resolve) => client.once('message', (_topic, bytes) => resolve(String(bytes))));
      await me.time('message', () => client.publishAsync(`car/${me.number}`, mark, { qos: 1 }).then(() => heard));
      me.check('came back with its mark', (await heard) === mark);
    }
    await client.endAsync();
  },
});
