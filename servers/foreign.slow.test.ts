import { describe, expect, it } from 'vitest';
import { protocolByName } from '../src/protocols/list.js';
import { targetByName } from '../src/targets/list.js';
import { lackOfPython, type PythonServer, startedByFile } from '../test/foreign/python.js';
import { broadcastBooks, latencyFlags, soundResult } from '../test/latency.js';
import { clean, sizes as echoSizes, sound as soundEcho } from '../test/runs/echo.js';
import { books, sound as soundWhisper, sizes as whisperSizes } from '../test/runs/whisper.js';
import { keptResult, workplace } from '../test/workplace.js';

const place = workplace();

/** Kinds of clients, and the shards that they are split over. */
const ways = [
  ['wire', 1],
  ['library', 2],
] as const;

const allDelivered = {
  ...{ attempted: 53, acked: 53, refused: 0, failed: 0 },
  ...{ expected: 53 * 7, delivered: 53 * 7, lost: 0 },
};
const inOrder = { duplicate: 0, outOfOrder: 0, late: 0 };

async function measured(scenario: string, flags: readonly string[], client: string, shards: number) {
  return place.measure(['run', scenario, ...flags, '--client', client], shards, {
    ANYCABLE_GO_BIN: process.env.ANYCABLE_GO_BIN,
  });
}

/** Every broadcast arrives at all, in order, once; `more` are flags of the scenario. */
async function broadcasts(scenario: string, flags: readonly string[], client: string, shards: number) {
  const result = soundResult(await measured(scenario, [...flags, ...latencyFlags(7, 53)], client, shards));
  expect(broadcastBooks(result)).toEqual(allDelivered);
  expect(result.ledger).toMatchObject(inOrder);
}

async function echoes(flags: readonly string[], client: string, shards: number) {
  const result = soundEcho(keptResult(await measured('echo', [...flags, ...echoSizes], client, shards)));
  expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 });
}

async function whispers(flags: readonly string[], client: string, shards: number) {
  const result = soundWhisper(keptResult(await measured('whisper', [...flags, ...whisperSizes], client, shards)));
  expect(result.ledger).toMatchObject(books);
}

const pythonSocketio: PythonServer = {
  name: 'python-socketio',
  packages: { 'python-socketio': 'socketio', aiohttp: 'aiohttp' },
  protocol: 'socketio',
  wsPath: '',
};
const pythonWebsockets: PythonServer = {
  name: 'python-websockets',
  packages: { websockets: 'websockets.asyncio.server' },
  protocol: 'ws-json',
  wsPath: '/ws',
};

/** The title of what runs, or is skipped for that lack. */
const titled = (name: string, lack: string | undefined): string =>
  lack === undefined ? name : `${name} is not here: ${lack}`;

const socketioLack = lackOfPython(pythonSocketio);
const websocketsLack = lackOfPython(pythonWebsockets);

// What the servers heard holds the warm-up: three broadcasts, one whisper of each client, one echo that proves each.
describe.skipIf(socketioLack)(titled('python-socketio', socketioLack), () => {
  it.each(ways)('is measured to the last message by %s clients of %i shards', async (client, shards) => {
    const started = (run: string) => startedByFile(place.folder, pythonSocketio, `${run}-${client}`);
    const [latency, echo, whisper] = [started('latency'), started('echo'), started('whisper')];
    await broadcasts('latency', latency.flags, client, shards);
    expect(latency.heard()).toEqual({ joins: 7, broadcasts: 56 });
    await echoes(echo.flags, client, shards);
    expect(echo.heard()).toEqual({ echoes: 310 + 31 });
    await whispers(whisper.flags, client, shards);
    expect(whisper.heard()).toEqual({ joins: 33, whispers: 330 + 33 });
  });
});

describe.skipIf(websocketsLack)(titled('websockets of Python', websocketsLack), () => {
  it.each(ways)('is measured to the last message by %s clients of %i shards', async (client, shards) => {
    const started = (run: string) => startedByFile(place.folder, pythonWebsockets, `${run}-${client}`);
    const [throughput, echo, whisper] = [started('throughput'), started('echo'), started('whisper')];
    await broadcasts('throughput', [...throughput.flags, '--publish', 'clients'], client, shards);
    expect(throughput.heard()).toEqual({ subscribe: 7, broadcast: 56 });
    await echoes(echo.flags, client, shards);
    expect(echo.heard()).toEqual({ echo: 310 + 31 });
    await whispers(whisper.flags, client, shards);
    expect(whisper.heard()).toEqual({ subscribe: 33, whisper: 330 + 33 });
  });
});

/** Targets over servers and libraries from elsewhere. */
const foreign = await Promise.all(
  ['soketi', 'sockudo', 'socketioxide', 'anycable', 'anycable-pusher'].map(async (name) => {
    const target = targetByName(name);
    if (target === undefined) throw new Error(`there is no target ${name}`);
    const there = await target.availability();
    return { name, target, lack: there.isAvailable ? undefined : `${there.why} – ${there.hint}` };
  }),
);

describe.each(foreign)('$name', ({ name, target, lack }) => {
  const { verbs } = protocolByName(target.protocol)!;

  describe.skipIf(lack)(titled(name, lack), () => {
    it.each(ways)('is measured to the last message by %s clients of %i shards', async (client, shards) => {
      await broadcasts('latency', ['--target', name], client, shards);
      if (verbs.includes('echo')) await echoes(['--target', name], client, shards);
      if (verbs.includes('whisper')) await whispers(['--target', name], client, shards);
    });
  });
});
