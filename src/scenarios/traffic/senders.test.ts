import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { allSent } from '../../../test/stage/ahead.js';
import { type Given, playedSenders, type Sent, sendersOnStage } from '../../../test/stage/senders.js';
import { slotTimes } from '../../measure/paired/slots.js';
import { blockOf, blocksOf } from '../../measure/samples/blocks.js';
import { sendFate } from '../../protocols/protocol.js';
import { none, total } from '../books/ledger.js';
import { echo } from '../echo.js';
import { whisper } from '../whisper.js';
import { offsetOf, roundsOfSends, spreadShare } from './send-schedule.js';

const noFaults = { unsent: 0, lost: 0, duplicate: 0, late: 0, stray: 0 };

/** `owedEach`: deliveries of a send of one in the room of four. `proofs`: sends before the schedule. */
const kinds = [
  { scenario: echo, lag: 'sendLag', came: 'answered', proofs: 1, aRound: 7, owedEach: 1 },
  // Rooms of four and three.
  { scenario: whisper, lag: 'publishLag', came: 'received', proofs: 0, aRound: 4 * 3 + 3 * 2, owedEach: 3 },
];

describe.each(kinds)('senders of $scenario.name', ({ scenario, lag, came, proofs, aRound, owedEach }) => {
  const { metric = '', atLeast = '' } = scenario.slots ?? {};
  const options = { warmUp: 2 };
  const play = (given: Given = {}, begun?: Parameters<typeof playedSenders>[2]) =>
    playedSenders(scenario, { ...given, options: { ...options, ...given.options } }, begun);
  /** Drops, triples or keeps a copy, by a rule of client, number of its send, and receiver. */
  const copies = ({ client, nth }: Sent, receiver: number): number => {
    const key = client * 31 + nth * 7 + receiver * 3;
    return nth < proofs ? 1 : key % 5 === 4 ? 0 : key % 3 === 2 ? 3 : 1;
  };

  it('of a faultless target are all counted and timed, the warm-up in no figure', async () => {
    const { entries, counts, samples, reports, roles, sends } = await play();
    expect(entries).toMatchObject({ ...noFaults, sent: 70, expected: 10 * aRound, delivered: 10 * aRound });
    expect(sends).toHaveLength(7 * (proofs + 12));
    for (const name of [metric, atLeast]) expect(samples(name)).toEqual(Array(10 * aRound).fill(3000));
    expect(samples(lag)).toHaveLength(70);
    expect(counts).toMatchObject({ subscribers: 7, received: 12 * aRound, clockFaults: 0 });
    expect(roles[0]?.progress()).toMatchObject({ subscribers: 7, sent: 84, received: 12 * aRound });
    expect([total(reports[0]?.timeline.sent), total(reports[0]?.timeline[came])]).toEqual([70, 10 * aRound]);
    expect(counts.offeredPerSecond).toBeCloseTo(70, -1);
    expect(counts.achievedPerSecond).toBeCloseTo(70, -1);
    const [perSecond] = Object.values(perSecondOf(entries));
    expect(Number(perSecond) / (10 * aRound)).toBeCloseTo(1, 1);
  });

  it('leave at their own offset in each period, not when the target answers', async () => {
    const set = await sendersOnStage(scenario, { options, ahead: allSent, answer: () => [3] });
    await set.stage('ramp');
    const startMs = set.sinceStartMs();
    await set.stage(scenario.name);
    for (const { client, nth, atMs } of set.sends.filter((sent) => sent.nth >= proofs)) {
      const dueMs = offsetOf(7, client) * 100 + (nth - proofs) * 100;
      expect(atMs - startMs - dueMs).toBeGreaterThanOrEqual(-0.001);
      expect(atMs - startMs - dueMs).toBeLessThan(1);
    }
    const [prompt, slow] = [await play(), await play({ answer: ({ nth }) => [nth < proofs ? 3 : 409] })];
    expect(slow.sends).toEqual(prompt.sends);
    expect(slow.samples(metric)).toEqual(Array(10 * aRound).fill(409_000));
    const most = (name: string): number => Math.max(...slow.samples(name));
    expect(Math.abs(most(`${metric}FromIntended`) - 409_000 - most(lag))).toBeLessThan(2);
  });

  it.each([
    ['a faultless target', undefined],
    ['one that drops and triples', (...of: [Sent, number]) => Array(copies(...of)).fill(3)],
  ])('leave at their instants if clients take them ahead, with the same books: %s', async (_name, answer) => {
    const given = answer ? { answer } : {};
    const [now, ahead] = [await play(given), await play({ ...given, ahead: allSent })];
    expect(ahead.entries).toEqual({ ...now.entries, ...perSecondOf(ahead.entries) });
    expect(ahead.roles[0]?.progress()).toEqual(now.roles[0]?.progress());
    expect(new Set(ahead.samples(lag))).toEqual(new Set([0]));
    expect(ahead.samples(metric)).toEqual(now.samples(metric));
  });

  it.each([
    ['gone', sendFate.gone],
    ['unread', sendFate.unread],
  ])('that are taken ahead and do not leave are unsent: %s', async (cause, fate) => {
    const { entries } = await play({ ahead: (client) => (client === 3 ? fate : sendFate.sent) });
    const expected = 10 * (aRound - owedEach);
    expect(entries).toMatchObject({ ...noFaults, sent: 60, expected, delivered: expected, unsent: 10 });
    expect(entries.unsentByCause).toEqual({ [cause]: 10 });
  });

  it('are counted to the last when the run is ended early, if they left', async () => {
    const set = await play({ ahead: allSent }, ({ at, abort }) => at(503, () => abort.abort()));
    const sent = set.sends.filter(({ isMeasured }) => isMeasured).length;
    expect(sent).toBeLessThan(70);
    expect([set.entries.sent, set.entries.unsent]).toEqual([sent, 0]);
    expect(set.sinceStartMs()).toBeLessThan(1000);
  });

  it('that the target never read are taken back', async () => {
    const isRead = ({ client, nth }: Sent): boolean => client !== 2 || nth < proofs + 2 + 6;
    const answer = (sent: Sent) => (isRead(sent) ? [3] : []);
    const { entries } = await play({ answer, unread: (client) => (client === 2 ? 4 : 0) });
    const expected = 10 * aRound - 4 * owedEach;
    expect(entries).toMatchObject({ ...noFaults, sent: 66, expected, delivered: expected, unsent: 4 });
    expect(entries.unsentByCause).toEqual({ unread: 4 });
  });

  it('of a client that the target cuts are unsent', async () => {
    const { entries, counts, gaveUp } = await play({}, ({ at, cut }) => at(503, () => cut(3)));
    const unsent = Number(entries.unsent);
    expect(unsent).toBeGreaterThan(3);
    expect([Number(entries.sent) + unsent, entries.unsentByCause]).toEqual([70, { gone: unsent }]);
    // The stage passes on to it all the same.
    expect(entries).toMatchObject({ expected: 10 * aRound - unsent * owedEach, lost: 0 });
    // The rig kept the schedule of all who were there.
    expect(counts.achievedPerSecond! / counts.offeredPerSecond!).toBeCloseTo(1, 2);
    expect(gaveUp()).toEqual([]);
  });

  it('give up when nobody is left', async () => {
    const cutAll: Parameters<typeof playedSenders>[2] = ({ at, cut }) => at(503, () => [0, 1].forEach(cut));
    const { gaveUp } = await play({ clientCount: 2 }, cutAll);
    expect(gaveUp()).toEqual([{ code: 'targetGone', evidence: naming('reset') }]);
  });

  it.each([1, 2])('drain no longer than needed, and no longer than asked: %i shard(s)', async (shards) => {
    for (const isMute of [false, true]) {
      const answer = ({ isMeasured, nth }: Sent) => (isMeasured && isMute ? [] : nth === proofs ? [] : [3]);
      const set = await sendersOnStage(scenario, { options, shards, answer });
      for (const name of ['ramp', scenario.name]) await set.stage(name);
      const beginMs = set.sinceStartMs();
      await set.stage('drain');
      expect(Math.floor((set.sinceStartMs() - beginMs) / 10)).toBe(isMute ? 50 : 0);
      expect(set.books().entries).toMatchObject({ lost: isMute ? 10 * aRound : 0 });
    }
  });

  it('counts as strays what reaches others or was never sent', async () => {
    const set = await sendersOnStage(scenario, { options });
    for (const name of ['ramp', scenario.name]) await set.stage(name);
    const ofFirst = set.sends.find(({ client, nth }) => client === 0 && nth === 5)!.number;
    // The sender of a whisper is in its room, and the third of another.
    set.deliver(5, ofFirst);
    set.deliver(scenario === whisper ? 0 : 6, ofFirst);
    for (const number of [999_999_999, ofFirst + 20]) set.deliver(1, number);
    await set.stage('drain');
    expect(set.books().entries).toMatchObject({ ...noFaults, sent: 70, stray: 4 });
  });

  it.each([
    [1, 3],
    [1, 7],
    [2, 1],
    [3, 2],
  ])(
    'over %i shard(s) of %i worker(s) have the books of one: drops, triples and late ones',
    async (shards, workers) => {
      const run = async (split: Given) => {
        const dropped: [client: number, number: number][] = [];
        const counted = { lost: 0, duplicate: 0 };
        const answer = (sent: Sent, receiver: number): number[] => {
          const times = copies(sent, receiver);
          if (times === 0) dropped.push([receiver, sent.number]);
          if (times === 0 && sent.isMeasured) counted.lost++;
          if (times > 1 && sent.isMeasured) counted.duplicate += times - 1;
          return Array(times).fill(3);
        };
        const set = await sendersOnStage(scenario, { ...split, clientCount: 29, options, answer, ahead: allSent });
        await set.stage('ramp');
        const startMs = set.sinceStartMs();
        for (const name of [scenario.name, 'drain']) await set.stage(name);
        for (const late of dropped) set.deliver(...late);
        const { entries, series, samples } = set.books();
        const { untimed = 0, ...books } = entries;
        expect(books).toMatchObject({ sent: 290, ...counted, late: counted.lost });
        expect(samples(metric)).toHaveLength(Number(entries.delivered) - Number(untimed));
        expect(total(series.came)).toBe(Number(entries.delivered) - Number(untimed));
        const leave = set.sends.filter(({ nth }) => nth >= proofs).map(({ client, atMs }) => [client, atMs - startMs]);
        return { books, untimed: Number(untimed), leave: new Set(leave.map(String)) };
      };
      const [whole, parts] = [await run({}), await run({ shards, workers })];
      expect(parts.books).toEqual({ ...whole.books, ...perSecondOf(parts.books) });
      expect(parts.leave).toEqual(whole.leave);
      expect([whole.untimed, parts.untimed > 0]).toEqual([0, shards > 1 && scenario === whisper]);
    },
  );

  it('are one of each client in its slot of a paired comparison, and counted by round', async () => {
    const [rounds, warmUp, targets, slotMs] = [5, 2, 3, 40];
    const slotsMs = Array.from({ length: targets }, () => slotMs);
    const slots = { beginNs: slotTimes({ seed: 7, rounds: rounds + warmUp, slotsMs }, 1), slotMs };
    const sizes = roundsOfSends({ rounds, warmUp, roundMs: targets * slotMs });
    const isLost = ({ client, nth }: Sent): boolean => client === 2 && nth === proofs + warmUp + 3;
    const answer = (sent: Sent): number[] => (isLost(sent) ? [] : [3]);
    const set = await sendersOnStage(scenario, { options: sizes, slots, workers: 2, answer });
    await set.stage('ramp');
    const startMs = set.sinceStartMs();
    for (const name of [scenario.name, 'drain']) await set.stage(name);
    const sends = set.sends.filter(({ nth }) => nth >= proofs);
    expect(sends).toHaveLength(7 * (rounds + warmUp));
    for (const { nth, atMs } of sends) {
      const afterMs = atMs - startMs - slots.beginNs[nth - proofs]! / 1e6;
      expect(afterMs).toBeGreaterThanOrEqual(0);
      expect(afterMs).toBeLessThanOrEqual(spreadShare * slotMs + 2);
    }
    const { series, entries } = set.books();
    const lost = [0, 0, 0, owedEach, 0];
    expect(entries).toMatchObject({ sent: 7 * rounds, expected: rounds * aRound, lost: owedEach });
    expect([...(series.missing ?? none)]).toEqual(lost);
    expect([...(series.came ?? none)]).toEqual(lost.map((each) => aRound - each));
    for (const name of [metric, atLeast, `${metric}FromIntended`]) {
      const blocks = series[blocksOf(name)] ?? none;
      expect(lost.map((_, round) => total(blockOf(blocks, round, rounds)))).toEqual(lost.map((each) => aRound - each));
    }
  });
});

describe('clients that a first echo proves', () => {
  const books = (counts: object, proofs: number, proofsLost: number) => ({
    ...noFaults,
    ...counts,
    proofs,
    proofsLost,
  });

  it('are in no other book', async () => {
    const set = await sendersOnStage(echo);
    await set.stage('ramp');
    expect(set.sends.map(({ client, nth }) => [client, nth])).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => [n, 0]));
    expect(set.roles[0]?.progress()).toMatchObject({ subscribers: 7, failed: 0, sent: 0, received: 0 });
    expect(set.books().samples('firstEcho')).toEqual(Array(7).fill(3000));
  });

  it('are asked again, and end when their time is over', async () => {
    const { entries, sends, counts, causes } = await playedSenders(echo, {
      answer: ({ client }) => (client === 4 ? [] : [3]),
    });
    expect(sends.filter(({ client }) => client === 4)).toHaveLength(4);
    expect([counts.subscribers, counts.failed, causes.connect]).toEqual([6, 1, { 'subscribe-timeout': 1 }]);
    expect(entries).toMatchObject(books({ sent: 60, delivered: 60, unsent: 10 }, 10, 4));
  });

  it.each([
    ['the second', [[], [3]], 1],
    ['the first, which is late', [[300], []], 1],
    ['either, if the first comes when the second has proven it', [[500], [3]], 0],
  ])('take %s of two first echoes for a proof', async (_name, ways, lost) => {
    const answer = ({ client, nth }: Sent) => (client === 4 ? (ways[nth] ?? [3]) : [3]);
    const { entries } = await playedSenders(echo, { answer });
    expect(entries).toMatchObject(books({ sent: 70, delivered: 70 }, 8, lost));
    expect(echo.ledgerLines(entries as never).some(([label]) => label === 'first echoes')).toBe(lost > 0);
  });

  it('are not proven by that of another, which is a stray', async () => {
    const set = await sendersOnStage(echo, { answer: ({ client }) => (client === 4 ? [] : [3, 4]) });
    await set.stage('ramp');
    const first = set.sends.find(({ client }) => client === 4)!.number;
    set.deliver(2, first);
    expect(set.roles[0]?.progress()).toMatchObject({ subscribers: 6, received: 0 });
    expect(set.books().entries).toMatchObject({ ...noFaults, stray: 1, proofs: 10, proofsLost: 4 });
  });
});

/** The rates of some books, which depend on the last arrival. */
function perSecondOf(books: object): object {
  return Object.fromEntries(Object.entries(books).filter(([name]) => name.endsWith('PerSecond')));
}
