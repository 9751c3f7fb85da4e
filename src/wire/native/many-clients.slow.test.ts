import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { makeNative } from '../../../test/doubles/engines.js';
import { WireRecorder } from '../../../test/doubles/wire-recorder.js';

/** More than the 20,000 descriptors that many machines give a process. */
const clients = 20_011;
const servers: ChildProcess[] = [];

/** A server beside others on one port, which says how many it holds, and tells all of them what it is told. */
const code = `
  import uWS from 'uWebSockets.js';
  let held = 0;
  const app = uWS.App().ws('/*', {
    idleTimeout: 0,
    open: (socket) => { socket.subscribe('all'); held++; },
    close: () => { held--; },
  });
  app.listen('127.0.0.1', Number(process.env.PORT), (socket) => process.send(uWS.us_socket_local_port(socket)));
  process.on('message', (text) => text === 'held' ? process.send(held) : app.publish('all', text));
  process.on('disconnect', () => process.exit());
`;

async function serve(port: number): Promise<number> {
  const server = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  servers.push(server);
  const [taken] = (await once(server, 'message')) as [number];
  return taken;
}

async function held(): Promise<number> {
  let sum = 0;
  for (const server of servers) {
    const answered = once(server, 'message');
    server.send('held');
    sum += ((await answered) as [number])[0];
  }
  return sum;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.disconnect();
});

describe.skipIf(makeNative === undefined)('one engine', () => {
  it('holds more clients than a process has descriptors, and takes a delivery of each', async () => {
    const port = await serve(0);
    await serve(port);
    const sink = new WireRecorder();
    let opened = 0;
    sink.opened = () => {
      opened++;
    };
    const engine = makeNative!(
      {
        url: `ws://127.0.0.1:${port}/`,
        ...{ subprotocols: [], headers: {}, isInsecure: false, connectTimeoutMs: 300_007, capacity: clients },
        ...{ localAddresses: ['127.0.0.2', '127.0.0.3'], numberOf: (client) => client },
        scan: { marker: '#n', sequenceOffset: 2, sequenceDigits: 3 },
      },
      sink,
    );
    for (let client = 0; client < clients; client++) {
      engine.open(client);
      while (client - opened > 499) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await expect.poll(() => opened, { timeout: 300_000 }).toBe(clients);
    expect(sink.events).toEqual([]);
    expect(await held()).toBe(clients);
    expect(engine.stats().loops).toBe(2);
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(1009);
    for (const server of servers) server.send('#n007');
    await sink.until(() => sink.seen.length === clients);
    expect(new Set(sink.seen.map(({ client }) => client)).size).toBe(clients);
    engine.dispose();
    await expect.poll(held, { timeout: 300_000 }).toBe(0);
  });
});
