import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nativeAddon } from '../../test/doubles/engines.js';
import { RecordingEvents } from '../../test/doubles/session-recorders.js';
import { jobBody } from '../../test/stage/job-body.js';
import { nowNs } from '../measure/rig/clock.js';
import { payloadFormat } from '../measure/samples/payload.js';
import type { Clients } from '../protocols/protocol.js';
import { type Job, parseJob } from '../scenarios/job.js';
import { clientKinds } from '../scenarios/load-options.js';
import { openClients } from './clients.js';
import { HttpPublish } from './publish.js';

/** Of what the two threads tell each other: requests seen, requests that may be answered, answers written. */
const [seen, allowed, answered] = [0, 1, 2];
const blockedMs = 50;
/** Two clocks are read one behind the other where they are matched. */
const matchNs = 10_000;
const stream = 'spring';

/** A target in a thread of its own. It answers nothing before this thread allows it. */
const targetCode = `
  const { once } = require('node:events');
  const { createServer } = require('node:http');
  const { parentPort, workerData: told } = require('node:worker_threads');
  const { WebSocketServer } = require('ws');
  const answer = (write) => {
    const number = Atomics.add(told, ${seen}, 1) + 1;
    Atomics.wait(told, ${allowed}, number - 1);
    write();
    Atomics.add(told, ${answered}, 1);
  };
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => request.resume().on('end', () => answer(() => response.end())));
  server.on('upgrade', (...asked) => answer(() => sockets.handleUpgrade(...asked, (socket) => {
    socket.on('message', () => answer(() => socket.send('{"type":"subscribed","stream":"${stream}"}')));
  })));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

let told: Int32Array;
let target: Worker;
let port: number;
const opened: { close(): unknown }[] = [];

beforeEach(async () => {
  told = new Int32Array(new SharedArrayBuffer(12));
  target = new Worker(targetCode, { eval: true, workerData: told });
  [port] = (await once(target, 'message')) as [number];
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await target.terminate();
});

/**
 * Blocks this thread as soon as the target has the request, until its answer has lain in the socket for 50 ms. Gives
 * when it was in the socket.
 */
async function blockWhileAnswered(): Promise<number> {
  const number = told[answered]! + 1;
  while (Atomics.load(told, seen) < number) await new Promise(setImmediate);
  Atomics.store(told, allowed, number);
  Atomics.notify(told, allowed);
  while (Atomics.load(told, answered) < number);
  const answeredNs = nowNs();
  for (const untilMs = performance.now() + blockedMs; performance.now() < untilMs; );
  return answeredNs;
}

/** Of the JavaScript engine: the native one leaves nothing in a socket while this thread is blocked. */
function jobOf(client: string, engine = 'js'): Job {
  const at = { wsUrls: [`ws://127.0.0.1:${port}/`], publishUrl: `http://127.0.0.1:${port}/_publish` };
  return parseJob(jobBody({ ...at, options: { clients: 2 }, load: { client, engine } }));
}

/** The two ends of a bracket, in nanoseconds. */
interface Bracket {
  mostNs: number;
  leastNs: number;
}

function expectBlockInside({ mostNs, leastNs }: Bracket): void {
  expect(leastNs).toBeGreaterThanOrEqual(0);
  expect(mostNs - leastNs).toBeGreaterThanOrEqual(blockedMs * 1e6);
}

it.skipIf(nativeAddon === undefined)('a native client’s answers came while a blocked loop could not look', async () => {
  const job = jobOf('wire', 'native');
  const arrivedNs: (number | undefined)[] = [];
  let clients: Clients | undefined;
  class Arrivals extends RecordingEvents {
    override opened(client: number): void {
      arrivedNs.push(clients?.arrivedAtNs?.(client));
      super.opened(client);
    }
    override ready(client: number): void {
      clients?.subscribe(client, stream);
      super.ready(client);
    }
    override subscribed(client: number, name: string): void {
      arrivedNs.push(clients?.arrivedAtNs?.(client));
      super.subscribed(client, name);
    }
  }
  const events = new Arrivals();
  clients = await openClients(job, payloadFormat(job.runId, 200), { first: 0, capacity: 2 }, events);
  opened.push({ close: () => clients?.dispose() });
  const answeredNs: number[] = [];
  // The kernel begins to stamp a moment after the first socket has asked for it.
  for (const client of [0, 1]) {
    clients.open(client);
    answeredNs.push(await blockWhileAnswered(), await blockWhileAnswered());
    await events.seen(`${client} subscribed ${stream}`);
  }
  for (const answer of [2, 3]) {
    expect(arrivedNs[answer]).toBeLessThanOrEqual((answeredNs[answer] as number) + matchNs);
    expect(arrivedNs[answer]).toBeGreaterThan(answeredNs[answer - 1] as number);
  }
});

it.each(clientKinds)(
  'the brackets of a %s client hold the time for which a blocked loop left answers',
  async (kind) => {
    const job = jobOf(kind);
    const connect: Bracket = { mostNs: 0, leastNs: 0 };
    const subscribe: Bracket = { mostNs: 0, leastNs: 0 };
    let askedAtNs = 0;
    let clients: Clients | undefined;
    class Brackets extends RecordingEvents {
      override opened(client: number, _tcpNs?: number, upgradeNs = 0): void {
        Object.assign(connect, { mostNs: upgradeNs, leastNs: clients?.leastNs(client) });
        super.opened(client);
      }
      override ready(client: number): void {
        askedAtNs = nowNs();
        clients?.subscribe(client, stream);
        super.ready(client);
      }
      override subscribed(client: number, name: string): void {
        const leastNs = (clients?.leastNs(client) ?? 0) - connect.leastNs;
        Object.assign(subscribe, { mostNs: nowNs() - askedAtNs, leastNs });
        super.subscribed(client, name);
      }
    }
    const events = new Brackets();
    clients = await openClients(job, payloadFormat(job.runId, 200), { first: 0, capacity: 1 }, events);
    opened.push({ close: () => clients?.dispose() });
    clients.open(0);
    await blockWhileAnswered();
    await blockWhileAnswered();
    await events.seen(`0 subscribed ${stream}`);
    expectBlockInside(connect);
    expectBlockInside(subscribe);
  },
);

it('the bracket of a publish holds the time for which a blocked loop left its answer', async () => {
  const http = new HttpPublish(jobOf('wire'));
  opened.push(http);
  for (let n = 0; n < 3; n++) {
    let [sentAtNs, writtenAtNs, readableFromNs, answeredAtNs] = [0, 0, 0, 0];
    const answer = http.publish('payload', {
      sent: () => {
        sentAtNs = nowNs();
      },
      written: () => {
        writtenAtNs = nowNs();
      },
      answered: (fromNs) => {
        readableFromNs = fromNs;
        answeredAtNs = nowNs();
      },
    });
    await blockWhileAnswered();
    expect(await answer).toBe(200);
    expect(writtenAtNs).toBeGreaterThan(sentAtNs);
    expectBlockInside({ mostNs: answeredAtNs - sentAtNs, leastNs: Math.max(0, readableFromNs - writtenAtNs) });
  }
});
