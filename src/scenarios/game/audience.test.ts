import { describe, expect, it } from 'vitest';
import { allSent } from '../../../test/stage/ahead.js';
import { clients, gameOnStage, playMs, startMs } from '../../../test/stage/game.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { sendFate } from '../../protocols/protocol.js';
import { game } from './index.js';

const nothingWrong = {
  lost: 0,
  unsent: 0,
  playersCut: 0,
  arrivalsFailed: 0,
  unanswered: 0,
  duplicate: 0,
  late: 0,
  stray: 0,
};

/** Rooms of six, six and one: what each key is owed to. */
const rooms = [6, 6, 1];

describe('a game on a server that does its part', () => {
  it('owes every key to everybody in its room, and every ping an answer', async () => {
    const { ledger, report } = await gameOnStage().played();
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({
      ...nothingWrong,
      arrivals: clients,
      playersStayed: clients,
      deadWorkers: 0,
    });
    const typed = [...(report.series.typed ?? [])].filter((keys) => keys > 0);
    expect([...(report.series.players ?? [])].filter((players) => players > 0).sort()).toEqual([1, 6, 6]);
    expect(typed).toHaveLength(rooms.length);
    const expected = [...(report.series.typed ?? [])].reduce(
      (sum, keys, room) => sum + keys * (report.series.players?.[room] ?? 0),
      0,
    );
    expect(ledger.entries).toMatchObject({ expected, delivered: expected });
  });

  it('has each player type 60 words a minute from its start on, and ping every second', async () => {
    const { report } = await gameOnStage().played();
    const { attempted = 0, pings = 0 } = report.counts;
    const playedMs = clients * (playMs - startMs);
    expect(attempted).toBeGreaterThan((playedMs / 200) * 0.98);
    expect(attempted).toBeLessThan((playedMs / 200) * 1.02 + clients);
    expect(pings).toBeGreaterThan((playedMs / 1000) * 0.98);
    expect(pings).toBeLessThan(playedMs / 1000 + clients);
    expect(new Set(valuesOf(report.samples.ping))).toEqual(new Set([7000]));
    expect(new Set(valuesOf(report.samples.delivery))).toEqual(new Set([7000]));
    expect(valuesOf(report.samples.arrival)).toEqual(Array(clients).fill(5000));
    expect(Math.max(...valuesOf(report.samples.publishLag))).toBeLessThanOrEqual(5000);
  });

  it('records every distribution that it names', async () => {
    const { report } = await gameOnStage().played();
    expect(Object.keys(report.samples)).toEqual(expect.arrayContaining(Object.keys(game.metrics)));
  });
});

describe('a game on a server with faults', () => {
  it('counts lost and doubled keys to the last', async () => {
    const { played } = gameOnStage({
      loses: (client, sequence) => client === 3 && sequence % 11 === 0,
      doubles: (client, sequence) => client === 5 && sequence % 7 === 0,
    });
    const { ledger } = await played();
    const { expected, delivered, lost, duplicate } = ledger.entries as Record<string, number>;
    expect(ledger.breaks).toEqual([]);
    expect(lost).toBeGreaterThan(0);
    expect(duplicate).toBeGreaterThan(0);
    expect(delivered).toBe((expected ?? 0) - (lost ?? 0));
  });

  it('counts arrivals that find no seat or are refused, by cause', async () => {
    const full = gameOnStage();
    full.context.ask = async () => ({ cause: 'http-status:503' });
    const { ledger } = await full.played();
    expect(ledger.entries).toMatchObject({ arrivalsFailed: clients, arrivalsFailedByCause: { 'http-status:503': 13 } });
    const refused = gameOnStage({ welcome: (client) => (client === 2 ? { refusal: 'rejected:gone' } : {}) });
    const { entries, breaks } = (await refused.played()).ledger;
    expect(entries).toMatchObject({ arrivalsFailed: 1, arrivalsFailedByCause: { 'rejected:gone': 1 }, lost: 0 });
    expect(breaks).toEqual([]);
  });

  it('still owes a player that was cut in its game every key of its room', async () => {
    const { played, at, told } = gameOnStage({ loses: (client) => client === 4 });
    at(3000, () => told().closed(4, 'reset', true));
    const { ledger, report } = await played();
    expect(ledger.entries).toMatchObject({
      playersCut: 1,
      playersStayed: clients - 1,
      playersCutByCause: { reset: 1 },
    });
    const room = (report.series.typed ?? new Uint32Array(0)).filter((_, n) => report.series.players?.[n] === 6);
    expect([...room]).toContain(ledger.entries.lost);
    expect(ledger.breaks).toEqual([]);
  });

  it('ends when the server has answered no ping for as long as that takes: it is dead', async () => {
    const { played, sinceStartMs } = gameOnStage({ isMute: (atMs) => atMs > 5000, lastsMs: 30_000 });
    const { ledger } = await played();
    expect(ledger.entries.deadWorkers).toBe(1);
    expect(ledger.entries.unanswered).toBeGreaterThan(clients * 7);
    expect(sinceStartMs()).toBeGreaterThan(4000 + 8000);
    expect(sinceStartMs()).toBeLessThan(5100 + 8000 + 600);
    expect(ledger.breaks).toEqual([]);
  });

  it('goes on while any ping is answered', async () => {
    const { ledger } = await gameOnStage({ isMute: (atMs) => atMs > 5000 && atMs < 12_000, lastsMs: 20_000 }).played();
    expect(ledger.entries.deadWorkers).toBe(0);
  });
});

/** From the start on, five keys a second and one ping, of each player. */
const [keys, pings] = [clients * ((playMs - startMs) / 200), clients * ((playMs - startMs) / 1000)];

describe('keys and pings that clients take ahead', () => {
  it('leave at their instants, each once, to the end', async () => {
    const { played, sends } = gameOnStage({ ahead: allSent });
    const { ledger, report } = await played();
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ typed: keys, pings, lost: 0, unsent: 0, pingsUnsent: 0, unanswered: 0 });
    expect(sends).toHaveLength(keys + pings);
    expect(valuesOf(report.samples.publishLag)).toEqual(Array(keys).fill(0));
    expect(new Set(valuesOf(report.samples.delivery))).toEqual(new Set([7000]));
    expect(new Set(valuesOf(report.samples.deliveryFromIntended))).toEqual(new Set([7000]));
    expect(new Set(valuesOf(report.samples.ping))).toEqual(new Set([7000]));
  });

  it.each([
    ['gone', sendFate.gone],
    ['unread', sendFate.unread],
  ])('follow a key that does not leave by the same one: %s', async (cause, fate) => {
    const tried = new Map<number, number>();
    /** Of client 3, every third send does not leave. */
    const ahead = (client: number): number => {
      tried.set(client, (tried.get(client) ?? 0) + 1);
      return client === 3 && (tried.get(client) as number) % 3 === 0 ? fate : sendFate.sent;
    };
    const { played, sends } = gameOnStage({ ahead });
    const { ledger } = await played();
    const { unsent = 0, pingsUnsent = 0 } = ledger.entries as Record<string, number>;
    expect(ledger.breaks).toEqual([]);
    expect(unsent).toBeGreaterThan(0);
    expect(ledger.entries).toMatchObject({ typed: keys - unsent, pings: pings - pingsUnsent, lost: 0, unanswered: 0 });
    expect(ledger.entries.unsentByCause).toEqual({ [cause]: unsent });
    expect(unsent + pingsUnsent).toBe(Math.floor((tried.get(3) as number) / 3));
    const typed = sends.flatMap(([client, , key]) => (client === 3 && key !== 'ping' ? [key] : []));
    expect(typed).toEqual(typed.map((_, number) => number));
  });

  it('of a player that is cut are unsent, and of nobody else', async () => {
    let isCut = false;
    const ahead = (client: number): number => (isCut && client === 4 ? sendFate.gone : sendFate.sent);
    const { played, at, told } = gameOnStage({ ahead });
    at(3001, () => {
      isCut = true;
      told().closed(4, 'reset', true);
    });
    const { ledger } = await played();
    const unsentKeys = Number(ledger.entries.unsent);
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ playersCut: 1, lost: 0, unanswered: 0 });
    // The one key that was handed over; no ping is due so soon.
    expect([unsentKeys, ledger.entries.pingsUnsent]).toEqual([1, 0]);
    expect(ledger.entries.unsentByCause).toEqual({ gone: 1 });
  });

  it('are counted to the last when the run is ended early, if they left', async () => {
    const { played, at, abort, sends, sinceStartMs } = gameOnStage({ ahead: allSent });
    at(4101, () => abort.abort());
    const { ledger, report } = await played();
    expect(ledger.breaks).toEqual([]);
    const typed = sends.filter(([, , key]) => key !== 'ping').length;
    expect(typed).toBeLessThan(keys);
    expect([report.counts.attempted, report.counts.pings]).toEqual([typed, sends.length - typed]);
    expect(sends.some(([, , , atMs]) => atMs > 4101)).toBe(true);
    expect(sinceStartMs()).toBeLessThan(4101 + 300);
  });

  it('stay with the event loop where clients take nothing ahead', async () => {
    const { played, sends } = gameOnStage();
    const { ledger } = await played();
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ unsent: 0, pingsUnsent: 0, lost: 0 });
    expect(sends).toHaveLength(Number(ledger.entries.typed) + Number(ledger.entries.pings));
  });
});
