import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import { expect, it } from 'vitest';
import { keptResult, workplace } from '../../../test/workplace.js';

const place = workplace();

it.each([
  ['native', 2, 1],
  ['js', 1, 2],
])('players on the engine %s, %i shards and %i workers play in the same rooms, and hear every key', async (...rig) => {
  const [engine, shards, workers] = rig;
  const flags = ['--stages', '3s:17,8s:17', '--drain', '2s', '--engine', engine, '--workers', String(workers)];
  const ended = await place.measureWhole(['run', 'game', '--target', 'socketio', ...flags], shards);
  const { ledger, stop, verdict, metrics } = keptResult(ended);
  expect(stop).toEqual({ code: 'completed', evidence: [] });
  expect(verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
  expect(ledger).toMatchObject({ arrivals: 17, playersStayed: 17, playersCut: 0, arrivalsFailed: 0, deadWorkers: 0 });
  expect(ledger).toMatchObject({ lost: 0, duplicate: 0, late: 0, stray: 0, unclear: 0, unanswered: 0 });
  expect(ledger.typed).toBeGreaterThan(0);
  expect(ledger.delivered).toBe(ledger.expected);
  if (shards > 1) expect(ledger.untimed).toBeGreaterThan(0);
  else expect(ledger.untimed).toBe(0);
  expect(metrics.ping?.count).toBe(ledger.answered);
  expect(metrics.pingStep1?.count).toBe(ledger.answered);
  expect(metrics.delivery?.count).toBe(Number(ledger.delivered) - Number(ledger.untimed));
  expect(metrics.deliveryStep1?.count).toBe(metrics.delivery?.count);
});

/** A game whose only room starts when so many players are there. It loses and doubles keys, and answers few pings. */
async function faultyGame(players: number) {
  const seen = { keys: 0, wrong: 0, emitted: 0, lost: 0, doubled: 0, pings: 0, mute: 0 };
  let seats = 0;
  const http = createServer((_, response) => response.end(JSON.stringify({ room: 'g3', seat: seats++ })));
  const io = new Server(http);
  const waiting: (() => void)[] = [];
  const passage = 'sphinx of black quartz';
  io.on('connection', (socket: Socket) => {
    let typed = 0;
    socket.on('join', (stream: string, answer: (state?: object) => void) => {
      if (!stream.endsWith('/start')) answer({ passage });
      else if (waiting.push(answer) === players) for (const each of waiting) each();
    });
    socket.on('keystroke', (_stream, key: string, data: unknown) => {
      seen.keys++;
      if (key !== passage[typed++ % passage.length]) seen.wrong++;
      for (const each of io.sockets.sockets.values()) {
        seen.emitted++;
        if (seen.emitted % 11 === 0) seen.lost++;
        else each.emit('message', data);
        if (seen.emitted % 7 !== 0 || seen.emitted % 11 === 0) continue;
        seen.doubled++;
        each.emit('message', data);
      }
    });
    socket.on('echo', (data: unknown, answer: (told: unknown) => void) => {
      seen.pings++;
      if (seen.pings % 5 === 0) seen.mute++;
      else answer(data);
    });
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return { seen, io, url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

it('finds each key that a server loses or doubles, and each ping that it does not answer', async () => {
  const { seen, io, url } = await faultyGame(5);
  const flags = [
    '--target-url',
    url,
    '--protocol',
    'socketio',
    '--stages',
    '1s:5,9s:5',
    '--wpm',
    '240',
    '--drain',
    '2s',
  ];
  const { ledger, verdict } = keptResult(await place.measureWhole(['run', 'game', ...flags, '--workers', '2']));
  await io.close();
  expect(verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
  expect(seen).toMatchObject({ wrong: 0, keys: ledger.typed, emitted: ledger.expected, pings: ledger.pings });
  expect(ledger).toMatchObject({ lost: seen.lost, duplicate: seen.doubled, unanswered: seen.mute });
  expect(ledger).toMatchObject({ playersStayed: 5, unsent: 0, late: 0, stray: 0, unclear: 0 });
  expect(Math.min(seen.lost, seen.doubled, seen.mute)).toBeGreaterThan(0);
});
