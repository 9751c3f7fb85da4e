import { describe, expect, it } from 'vitest';
import { shareOf, shareStart } from '../../measure/share.js';
import { nothingOf } from '../../run/judge/shortfall.js';
import type { Scenario } from '../scenario.js';
import { flow } from './index.js';
import { flowLedger, leftInWords } from './ledger.js';
import { arrivalsIn, arrivalsOf, flowOptions, sizeOfFlow, slicesOf } from './options.js';

const counts = {
  ...{ begun: 13, finished: 7, ended: 2, left: 4, connects: 15, connected: 12, notConnected: 3, cut: 2 },
  ...{ declared: 101, sent: 97, unsent: 4, owing: 89, owed: 179, delivered: 173, lost: 6, unclear: 5 },
  ...{
    duplicate: 1,
    stray: 2,
    answersOwed: 8,
    answered: 7,
    unanswered: 1,
    asks: 5,
    asksAnswered: 4,
    asksUnanswered: 1,
  },
  ...{ requests: 3, requestsAnswered: 2, requestsFailed: 1, checks: 11, checksKept: 9, checksBroken: 2 },
  ...{ streamOwed: 31, streamCame: 29, streamLost: 2, threw: 1, received: 307, unscheduled: 17, userMs: 53 },
  ...{ liveMs: 401, userLiveMs: 47, heldUpMs: 0 },
};
const causes = {
  left: { 'within game.ts:14': 3, 'check game.ts:9': 1 },
  connect: { 'connect-refused': 3 },
  close: { reset: 2 },
  unsent: { gone: 3, stopped: 1 },
  ask: { within: 1 },
  request: { 'http-status:503': 1 },
  checkKept: { history: 9 },
  checkBroken: { history: 2 },
  checkReached: { history: 11, end: 13 },
  threw: { 'game.ts:17': 1 },
  owingByName: { key: 61, 'game.ts:14': 28 },
  lostByName: { key: 6 },
};
const nothing = { samples: {}, series: {}, timeline: {} };
const of = (more: Partial<typeof counts> = {}) =>
  flowLedger.ledger({ ...nothing, counts: { ...counts, ...more }, causes });

describe('the ledger of flows', () => {
  it('adds up, and names each sum that does not', () => {
    expect(of().breaks).toEqual([]);
    expect(of({ delivered: 172 }).breaks).toEqual(['owed 179 is not delivered + lost = 178']);
    expect(of({ left: 5, begun: 14 }).breaks).toEqual(['left 5 is not the sum over causes = 4']);
  });

  it('counts by name what a part of a metric has of sends and losses', () => {
    expect(of()).toMatchObject({
      independent: { 'delivery:key': 61, 'delivery:game.ts:14': 28 },
      unfinished: { 'delivery:key': 6 },
      entries: { came: 12 + 307 + 173 + 7 + 4 + 2 + 29, checksNotReached: 2 },
    });
    expect(of().entries.checksNotReachedByName).toEqual({ history: 2, end: 0 });
  });

  it('begins with the clients that left, and has no line about what the flow did not do', () => {
    const labels = (entries: ReturnType<typeof of>['entries']) => flow.ledgerLines(entries).map(([label]) => label);
    expect(flow.ledgerLines(of().entries)[0]?.[1]).toContain('4 left (within game.ts:14 × 3, check game.ts:9 × 1)');
    expect(labels(of().entries)).toEqual([
      ...['clients', 'connections', 'sends', 'deliveries', 'answers', 'asks', 'requests', 'checks', 'not reached'],
      ...['streams', 'messages', 'the flow', 'user code'],
    ]);
    expect(labels(flowLedger.ledger({ ...nothing, counts: { begun: 3, finished: 3 }, causes: {} }).entries)).toEqual([
      'clients',
      'messages',
      'user code',
    ]);
    expect(flow.ledgerLines(of().entries).at(-1)?.[1]).toBe('ran for 53 ms, 11.72 % of the time of its loops');
    expect(flow.ledgerLines(of({ heldUpMs: 7 }).entries).at(-1)?.[1]).toContain('threads waited 7 ms');
    expect(leftInWords(of().entries)).toBe('4 of 13 clients left; the commonest cause is within game.ts:14 × 3');
    expect(leftInWords(of({ left: 0 }).entries)).toBeUndefined();
  });

  it('a run in which nothing came, or nothing of what was owed, is a failure', () => {
    const scenario = flow as unknown as Scenario;
    const found = (more: Record<string, number>): string[] =>
      nothingOf(scenario, flowLedger.ledger({ ...nothing, counts: more, causes: {} }).entries, []);
    expect(found({ received: 1 })).toEqual([]);
    expect(found({ begun: 3 })).toEqual(['0 came']);
    expect(found({ received: 1, owed: 7, lost: 7 })).toEqual(['0 delivered, 7 lost']);
  });
});

describe('the options of a flow', () => {
  const options = (given: object) => flowOptions.parse(given);
  const contradictions = (given: object) => flow.contradictions?.(options(given)) ?? [];

  it('let all clients begin within the duration', () => {
    expect(arrivalsOf(options({}))).toBe(50);
    expect(arrivalsOf(options({ clients: 30_000 }))).toBe(2000);
    expect(contradictions({ clients: 30_000 })).toEqual([]);
    expect(contradictions({ clients: 301, arrivalsPerSecond: 10 })).toHaveLength(1);
    expect(contradictions({ clients: 300, arrivalsPerSecond: 10 })).toEqual([]);
  });

  it('make slices of a second', () => {
    expect(slicesOf(options({ durationMs: 7001 }))).toEqual({ count: 8, everyNs: 1e9 });
    expect(flow.blockTimes?.(options({ durationMs: 7001 })).delivery).toMatchObject({ units: 8, everyMs: 1000 });
  });
});

/** The arrivals of all workers together, the first one first. */
function together(given: Record<string, unknown>, workers: number) {
  const options = flowOptions.parse(given);
  const { clients: totalClients } = sizeOfFlow(options);
  return Array.from({ length: workers }, (_, index) => {
    const part = {
      firstClient: shareStart(totalClients, index, workers),
      clientCount: shareOf(totalClients, index, workers),
    };
    return arrivalsIn({ options, totalClients, ...part });
  });
}

describe('the arrivals of a flow', () => {
  it('are even at the rate, in each worker at its share', () => {
    const [one = [], two = []] = together({ clients: 10, arrivalsPerSecond: 5 }, 2);
    expect(one.map(({ fromMs }) => fromMs)).toEqual([0, 400, 800, 1200, 1600]);
    expect(two).toEqual(one);
    expect(new Set(one.map(({ toMs }) => toMs))).toEqual(new Set([Number.POSITIVE_INFINITY]));
  });

  it.each([1, 2, 3])('of stages come and go as planned, over %d workers', (workers) => {
    const all = together({ stages: '10s:50,5s:50,10s:20,5s:40' }, workers).flat();
    expect(all).toHaveLength(70);
    const there = (atMs: number) => all.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).length;
    expect([10_000, 15_000, 25_000, 30_000].map(there)).toEqual([50, 50, 20, 40]);
  });

  it('begin with the first', () => {
    for (const each of together({ stages: '10s:50,5s:0' }, 3))
      expect(each.map(({ fromMs }) => fromMs)).toEqual(each.map(({ fromMs }) => fromMs).sort((a, b) => a - b));
  });
});
