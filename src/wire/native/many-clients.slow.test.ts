import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { makeNative } from '../../../test/doubles/engines.js';
import { WireRecorder } from '../../../test/doubles/wire-recorder.js';
import { plainSetup } from '../../../test/stage/raw-stage.js';
import { targetByName } from '../../targets/list.js';
import type { Engine } from '../wire.js';
import { clientsPerTable } from './layout.js';

/** Of each of two engines: together more than the 20,000 descriptors that many machines give a process. */
const clients = 10_007;
/** More than one thread takes. */
const capacity = clientsPerTable + 13;
const servers: ChildProcess[] = [];
const uws = await targetByName('uws')!.availability();
const title = `the engines of one process${uws.isAvailable ? '' : `, which have no server here: ${uws.why}`}`;

/** A server that says how many clients it holds, and tells all of them what it is told. */
const code = `
  import uWS from 'uWebSockets.js';
  let held = 0;
  const app = uWS.App().ws('/*', {
    idleTimeout: 0,
    open: (socket) => { socket.subscribe('all'); held++; },
    close: () => { held--; },
  });
  app.listen('127.0.0.1', 0, (socket) => process.send(uWS.us_socket_local_port(socket)));
  process.on('message', (text) => text === 'held' ? process.send(held) : app.publish('all', text));
  process.on('disconnect', () => process.exit());
`;

async function serve(): Promise<number> {
  const server = spawn(process.execPath, ['--input-type=module', '-e', code], {
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

function engineFor(port: number, sink: WireRecorder): Engine {
  return makeNative!(
    {
      ...{ ...plainSetup, url: `ws://127.0.0.1:${port}/`, connectTimeoutMs: 300_007, capacity },
      localAddresses: ['127.0.0.2', '127.0.0.3'],
    },
    sink,
  );
}

describe.skipIf(makeNative === undefined || !uws.isAvailable)(title, () => {
  it('hold more clients than it has descriptors, and take a delivery of each', async () => {
    const sink = new WireRecorder();
    const engines = [engineFor(await serve(), sink), engineFor(await serve(), sink)];
    const opened = (): number => sink.openTimes.length;
    for (let client = 0; client < clients; client++) {
      for (const engine of engines) engine.open(client);
      while (2 * client - opened() > 499) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await expect.poll(opened, { timeout: 300_000 }).toBe(2 * clients);
    expect(sink.events.filter((event) => !event.startsWith('opened'))).toEqual([]);
    expect(await held()).toBe(2 * clients);
    expect(engines.map((engine) => engine.stats().loops)).toEqual([2, 2]);
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(1009);
    for (const server of servers) server.send('#n007');
    await sink.until(() => sink.seen.length === 2 * clients);
    expect(new Set(sink.seen.map(({ client }) => client)).size).toBe(clients);
    for (const engine of engines) engine.dispose();
    await expect.poll(held, { timeout: 300_000 }).toBe(0);
  });
});
