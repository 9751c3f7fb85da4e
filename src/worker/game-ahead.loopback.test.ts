import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nativeAddon } from '../../test/doubles/engines.js';
import { listening } from '../../test/stage/listening.js';
import { contextWithClients } from '../../test/stage/real-clients.js';
import { valuesOf } from '../../test/stage/worker-on-stage.js';
import { nowNs } from '../measure/rig/clock.js';
import { GameAudience } from '../scenarios/game/audience.js';
import { gameLedger } from '../scenarios/game/ledger.js';
import { gameOptions } from '../scenarios/game/options.js';
import { playersPerRoom } from '../scenarios/game/players.js';

/** Rooms of six, six and one. */
const clientCount = 13;
const passage = 'sphinx of black quartz';
let http: HttpServer;
let io: Server;
let game: GameAudience | undefined;
/** What the server took, refused as not the next key of the passage, and owes to all in the rooms. */
let heard = { keys: 0, wrong: 0, pings: 0, owed: 0 };
/** After so many keys it cuts some players. */
let cutAfter = Number.POSITIVE_INFINITY;

/** A game whose rooms all start as soon as everybody is there. */
function serve(socket: Socket, waiting: (() => void)[]): void {
  let typed = 0;
  socket.on('join', (stream: string, answer: (state?: object) => void) => {
    if (!stream.endsWith('/start')) {
      void socket.join(stream.split('/')[0] as string);
      answer({ passage });
    } else if (waiting.push(answer) === clientCount) for (const each of waiting) each();
  });
  socket.on('keystroke', (stream: string, key: string, data: unknown) => {
    if (key !== passage[typed % passage.length]) heard.wrong++;
    else {
      typed++;
      heard.keys++;
      const room = stream.split('/')[0] as string;
      heard.owed += io.sockets.adapter.rooms.get(room)?.size ?? 0;
      io.to(room).emit('message', data);
    }
    if (heard.keys === cutAfter) for (const each of [...io.sockets.sockets.values()].slice(0, 5)) each.disconnect(true);
  });
  socket.on('echo', (data: unknown, answer: (told: unknown) => void) => {
    heard.pings++;
    answer(data);
  });
}

beforeEach(async () => {
  heard = { keys: 0, wrong: 0, pings: 0, owed: 0 };
  cutAfter = Number.POSITIVE_INFINITY;
  http = createServer();
  io = new Server(http);
  const waiting: (() => void)[] = [];
  io.on('connection', (socket) => serve(socket, waiting));
  await once(http.listen(0, '127.0.0.1'), 'listening');
});

afterEach(async () => {
  game?.dispose();
  await io.close();
});

/** Plays a game on the native engine, and ends it once that holds. */
async function played(isEnough: () => boolean) {
  const wsUrls = [`ws://127.0.0.1:${(http.address() as AddressInfo).port}`];
  const schedule = { stages: `101ms:${clientCount},600s:${clientCount}`, deadAfterMs: 600_000 };
  const options = gameOptions.parse({ ...schedule, wordsPerMinute: 240, pingsPerSecond: 7 });
  const setup = { wsUrls, clientCount, payloadBytes: 200, protocol: 'socketio', load: { engine: 'native' }, options };
  const context = contextWithClients(setup);
  let dealt = 0;
  const ask = async () => {
    const [room, seat] = [Math.floor(dealt / playersPerRoom), dealt++ % playersPerRoom];
    return { text: JSON.stringify({ room: `g${room}`, seat }) };
  };
  let handedOver = 0;
  const audience = new GameAudience({
    ...context,
    ask,
    openClients: (events) =>
      context.openClients(
        listening(events, {
          sends(batch) {
            handedOver += batch.count;
            events.sends?.(batch);
          },
        }),
      ),
  });
  game = audience;
  const abort = new AbortController();
  const timer = setInterval(() => isEnough() && abort.abort(), 5);
  await audience.stage('ramp', nowNs(), abort.signal);
  await audience.stage('play', nowNs(), abort.signal);
  clearInterval(timer);
  return { handedOver, audience };
}

/** Ends the drain at once. */
async function booksOf(ended: GameAudience) {
  await ended.stage('drain', nowNs(), AbortSignal.abort());
  const report = ended.report();
  const { entries, breaks } = gameLedger.ledger(report);
  return { report, breaks, entries: entries as Record<string, number> & { unsentByCause: object } };
}

describe.skipIf(nativeAddon === undefined)('keys and pings of a game', () => {
  it('leave natively, never early, each key the next of the passage, and are in the books if they left', async () => {
    const { audience, handedOver } = await played(() => heard.keys > 199);
    expect(handedOver).toBeGreaterThan(0);
    const isAllIn = (): number[] => {
      const { sent, received } = audience.progress();
      return [Number(sent) - heard.keys, Number(received) - heard.owed];
    };
    await expect.poll(isAllIn, { timeout: 60_000 }).toEqual([0, 0]);
    const { report, breaks, entries } = await booksOf(audience);
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ typed: heard.keys, expected: heard.owed, delivered: heard.owed });
    expect(entries).toMatchObject({ playersStayed: clientCount, unsent: 0, pingsUnsent: 0, duplicate: 0, stray: 0 });
    await expect.poll(() => heard.pings).toBe(entries.pings);
    expect(heard.wrong).toBe(0);
    const lags = valuesOf(report.samples.publishLag);
    expect(lags).toHaveLength(heard.keys);
    expect(Math.min(...lags)).toBeGreaterThanOrEqual(0);
    expect(report.counts.clockFaults).toBe(0);
  });

  it('are in the ledger, to the last, where the server cuts players', async () => {
    cutAfter = 61;
    const { audience, handedOver } = await played(() => heard.keys > 199);
    expect(handedOver).toBeGreaterThan(0);
    const { breaks, entries } = await booksOf(audience);
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ playersCut: 5, playersStayed: clientCount - 5 });
    expect(heard.wrong).toBe(0);
    expect(entries.typed).toBeGreaterThanOrEqual(heard.keys);
    expect(entries.unsentByCause).toEqual(entries.unsent === 0 ? {} : { gone: entries.unsent });
  });
});
