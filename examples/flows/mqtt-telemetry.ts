import mqtt from 'mqtt';
import { defineFlow } from 'ringside-bench/flow';

// Cars that report where they are, with the real client of MQTT: npm install mqtt
//   node examples/servers/mqtt.mjs
//   npx ringside run flow examples/flows/mqtt-telemetry.ts --target-url ws://127.0.0.1:4007 --clients 100
export default defineFlow({
  metrics: {
    puback: { meaning: 'from a report to its acknowledgement', thresholds: ['p99<100ms'] },
    order: { meaning: 'from an order to the car that gets it' },
  },

  async client(me) {
    const url = new URL('/mqtt', me.target).href;
    // On every attempt to connect, the library asks for a socket. Without attempts of its own, a cut client stays away.
    const createWebsocket = (to: string, protocols: string[]) => new me.WebSocket(to, protocols);
    const car = await mqtt.connectAsync(url, { createWebsocket, reconnectPeriod: 0 });

    // Each car listens to orders of its own.
    const orders = `car/${me.number}/orders`;
    await car.subscribeAsync(orders, { qos: 1 });

    for (let n = 0; n < 10; n++) {
      // A draw of `me.random` depends on the seed and the number of the client: the next run draws the same.
      const report = JSON.stringify({ n, latitude: 47 + me.random(), longitude: 8 + me.random() });
      await me.time('puback', () => car.publishAsync(`car/${me.number}/place`, report, { qos: 1 }));

      const heard = new Promise<string>((resolve) => car.once('message', (_topic, bytes) => resolve(`${bytes}`)));
      await me.time('order', () => car.publishAsync(orders, `turn ${n}`, { qos: 1 }).then(() => heard));
      me.check('the order is the last one', (await heard) === `turn ${n}`);
      await me.sleep('500ms');
    }
    await car.endAsync();
  },
});
