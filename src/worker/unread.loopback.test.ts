import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { jobBody } from '../../test/stage/job-body.js';
import type { Ledger } from '../measure/ledger.js';
import { nowNs } from '../measure/rig/clock.js';
import { Board } from '../measure/samples/board.js';
import { payloadFormat } from '../measure/samples/payload.js';
import { Recorder } from '../measure/samples/recorder.js';
import { EchoAudience } from '../scenarios/echo/audience.js';
import { echoLedger } from '../scenarios/echo/ledger.js';
import { echoOptions } from '../scenarios/echo/options.js';
import type { AudienceContext, Role } from '../scenarios/scenario.js';
import { WhisperAudience } from '../scenarios/whisper/audience.js';
import { whisperLedger } from '../scenarios/whisper/ledger.js';
import { whisperOptions } from '../scenarios/whisper/options.js';
import { openClients } from './clients.js';
import { parseJob } from './parse-job.js';

const clientCount = 3;
/** More than the kernel holds for a connection: by default at most 4 MiB on the way out and 6 MiB on the way in. */
const payloadBytes = 100_003;
const sendsEach = 400;
let server: WebSocketServer | undefined;
let role: Role | undefined;

afterEach(async () => {
  role?.dispose?.();
  for (const socket of server?.clients ?? []) socket.terminate();
  server?.close();
  if (server) await once(server, 'close');
});

/** A target of ws-json that answers the first message of each client and then reads no more. */
async function listen(): Promise<string> {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) =>
    socket.once('message', (data: Buffer) => {
      const { type, stream } = JSON.parse(data.toString()) as { type: string; stream?: string };
      socket.send(type === 'subscribe' ? JSON.stringify({ type: 'subscribed', stream }) : data.toString());
      socket.pause();
    }),
  );
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
}

function contextOf<O>(wsUrl: string, client: string, options: O): AudienceContext<O> {
  const job = parseJob(jobBody({ wsUrls: [wsUrl], options: { connections: clientCount }, load: { client } }));
  const format = payloadFormat(job.runId, payloadBytes);
  return {
    ...{ options, clientCount, totalClients: clientCount, firstClient: 0, seed: job.seed, slice: job.slice, nowNs },
    sleptNs: () => 0,
    ask: async () => ({ cause: 'connect-refused' }),
    ...{ load: job.load, stream: job.stream, board: new Board(1), recorder: () => new Recorder() },
    sleep: (ms, signal) => delay(Math.max(0, ms), undefined, signal && { signal }).catch(() => undefined),
    log: () => undefined,
    giveUp: () => undefined,
    openClients: (events) => openClients(job, format, { first: 0, capacity: clientCount }, events),
  };
}

/** The books of a role that ran to its end. */
async function booksOf(played: Role, stages: readonly string[], { ledger }: typeof echoLedger): Promise<Ledger> {
  role = played;
  for (const stage of stages) await played.stage(stage, nowNs(), new AbortController().signal);
  return ledger(played.report());
}

const schedule = {
  clients: clientCount,
  ratePerSecond: 400,
  durationMs: 1000,
  drainMs: 100,
  rampRatePerSecond: 1000,
  payloadBytes,
};

describe.each(['wire', 'library'])('%s clients before a target that reads nothing', (kind) => {
  it('echo into a bounded queue, and count what never left as not sent', async () => {
    const context = contextOf(await listen(), kind, echoOptions.parse(schedule));
    const { entries, breaks } = await booksOf(new EchoAudience(context), ['ramp', 'echo', 'drain'], echoLedger);
    expect(breaks).toEqual([]);
    expect(Number(entries.sent) + Number(entries.unsent)).toBe(clientCount * sendsEach);
    expect(entries.unsentByCause).toEqual({ unread: entries.unsent });
    expect(entries.unsent).toBeGreaterThan(0);
    expect([entries.lost, entries.delivered]).toEqual([entries.sent, 0]);
  });

  it('whisper into a bounded queue, and count what never left as not sent', async () => {
    const options = whisperOptions.parse({ ...schedule, room: clientCount, warmUp: 0 });
    const context = contextOf(await listen(), kind, options);
    const { entries, breaks } = await booksOf(
      new WhisperAudience(context),
      ['ramp', 'whisper', 'drain'],
      whisperLedger,
    );
    expect(breaks).toEqual([]);
    expect(Number(entries.sent) + Number(entries.unsent)).toBe(clientCount * sendsEach);
    expect(entries.unsentByCause).toEqual({ unread: entries.unsent });
    expect(entries.unsent).toBeGreaterThan(0);
    expect([entries.expected, entries.delivered]).toEqual([Number(entries.sent) * (clientCount - 1), 0]);
  });
});
