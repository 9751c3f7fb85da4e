import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { type WorkerGiven, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { heldLedger } from './index.js';
import { type IdleOptions, idleAudience, idleOptions } from './roles.js';

const settleMs = 211;
const durationMs = 1009;
const probeTimeoutMs = 2003;

function idleOnStage({ clientCount = 7, ...given }: WorkerGiven = {}, more: Partial<IdleOptions> = {}) {
  const options = idleOptions.parse({
    clients: given.totalClients ?? clientCount,
    rampRatePerSecond: 100,
    settleMs,
    durationMs,
    probeTimeoutMs,
    stallMs: 1009,
    maxPending: 3,
    ...more,
  });
  const worker = workerOnStage(options, { ...given, clientCount });
  const audience = idleAudience(worker.context);
  return {
    ...worker,
    audience,
    stage: (name: string) => worker.play(audience, name),
    /** Cuts clients that long after now. */
    cut(clients: readonly number[], cause: string, afterMs: number) {
      for (const client of clients)
        worker.at(worker.sinceStartMs() + afterMs, () => worker.told().closed(client, cause, true));
    },
    /** Lets the probe reach clients that long after now. */
    probe(clients: readonly number[], afterMs = 3, sequence = 0) {
      worker.at(worker.sinceStartMs() + afterMs, () => worker.deliver(clients, sequence, sequence + 1));
    },
    /** What the whole run would say, were this worker all of it. */
    books() {
      const { counts, causes, timeline } = audience.report();
      return { counts, ...heldLedger.ledger({ counts, causes, timeline, series: {} }) };
    },
  };
}

const all = [0, 1, 2, 3, 4, 5, 6];

describe('the stages of an idle audience', () => {
  it('settle, then hold, for as long as is asked', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    const beginMs = stage.sinceStartMs();
    await stage.stage('hold');
    expect(stage.sinceStartMs() - beginMs).toBe(settleMs + durationMs);
  });

  it('end the hold when the run is ended', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    const beginMs = stage.sinceStartMs();
    stage.at(beginMs + 101, () => stage.abort.abort());
    await stage.stage('hold');
    await stage.stage('probe');
    expect(stage.sinceStartMs() - beginMs).toBe(101);
  });

  it('do not hold what is not there', async () => {
    const stage = idleOnStage({ welcome: () => ({ refusal: 'http-status:503' }) });
    await stage.stage('ramp');
    const beginMs = stage.sinceStartMs();
    await stage.stage('hold');
    expect(stage.sinceStartMs()).toBe(beginMs);
    expect(stage.gaveUp).toEqual([]);
  });

  it('end the hold with the last connection, and hold one that is left to the end', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    const beginMs = stage.sinceStartMs();
    stage.cut(all, 'reset', 307);
    await stage.stage('hold');
    expect(stage.sinceStartMs() - beginMs).toBe(307);

    const other = idleOnStage({ welcome: (client) => (client === 3 ? {} : { refusal: 'http-status:503' }) });
    await other.stage('ramp');
    const otherBeginMs = other.sinceStartMs();
    await other.stage('hold');
    expect(other.sinceStartMs() - otherBeginMs).toBe(settleMs + durationMs);
  });

  it('end the probe once everybody is proven', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    const beginMs = stage.sinceStartMs();
    stage.probe(all, 503);
    await stage.stage('probe');
    expect(stage.sinceStartMs() - beginMs).toBeGreaterThanOrEqual(503);
    expect(stage.sinceStartMs() - beginMs).toBeLessThanOrEqual(503 + 100);
  });

  it('wait for the probe as long as is asked, and no longer', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    const beginMs = stage.sinceStartMs();
    stage.probe([0, 1, 2, 3, 4, 5]);
    stage.probe([6], probeTimeoutMs + 503);
    await stage.stage('probe');
    expect(stage.sinceStartMs() - beginMs).toBeGreaterThanOrEqual(probeTimeoutMs);
    expect(stage.sinceStartMs() - beginMs).toBeLessThanOrEqual(probeTimeoutMs + 100);
    expect(stage.books().entries).toMatchObject({ held: 6, proven: 6, lostByCause: { unproven: 1 } });
  });

  it('probe nothing where nothing is open', async () => {
    const stage = idleOnStage({ welcome: () => ({ refusal: 'connect-refused' }) });
    await stage.stage('ramp');
    const beginMs = stage.sinceStartMs();
    await stage.stage('probe');
    expect(stage.sinceStartMs()).toBe(beginMs);
    expect(stage.gaveUp).toEqual([]);
  });
});

describe('what is called held', () => {
  it('is open and proven', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    stage.cut([2], 'close-code:1001', 307);
    stage.cut([4, 5], 'reset', 1103);
    await stage.stage('hold');
    stage.probe([0, 1, 3]);
    await stage.stage('probe');
    const { counts, entries, breaks } = stage.books();
    expect(counts).toMatchObject({ asked: 7, opened: 7, open: 4, held: 3, proven: 3, subscribers: 4 });
    expect(entries).toEqual({
      asked: 7,
      opened: 7,
      notOpened: 0,
      peak: 7,
      held: 3,
      proven: 3,
      lost: 4,
      lostByCause: { 'close-code:1001': 1, reset: 2, unproven: 1 },
      lostInRampByCause: {},
      lostInHoldByCause: { 'close-code:1001': 1, reset: 2 },
      lostAtProbeByCause: { unproven: 1 },
      failedByCause: {},
    });
    expect(breaks).toEqual([]);
  });

  it('is told from what was lost stage by stage, the gaps between them with the earlier one', async () => {
    const stage = idleOnStage();
    // The fourth is started at 30 ms.
    stage.at(41, () => stage.told().closed(0, 'reset', true));
    await stage.stage('ramp');
    stage.told().closed(1, 'end-of-stream', true);
    stage.cut([2], 'reset', 307);
    await stage.stage('hold');
    stage.told().closed(3, 'reset', true);
    stage.cut([4], 'reset', 101);
    stage.probe([5]);
    await stage.stage('probe');
    const { entries, breaks } = stage.books();
    expect(entries).toMatchObject({
      held: 1,
      lost: 6,
      lostByCause: { reset: 4, 'end-of-stream': 1, unproven: 1 },
      lostInRampByCause: { reset: 1, 'end-of-stream': 1 },
      lostInHoldByCause: { reset: 2 },
      lostAtProbeByCause: { reset: 1, unproven: 1 },
    });
    expect(breaks).toEqual([]);
  });

  it('is not what was proven and then cut', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    stage.probe(all, 3);
    await stage.stage('probe');
    stage.told().closed(5, 'reset', true);
    const { entries, breaks } = stage.books();
    expect(entries).toMatchObject({ held: 6, proven: 7, lost: 1, lostAtProbeByCause: { reset: 1 } });
    expect(breaks).toEqual([]);
  });

  it('is proven once, by whichever attempt of the probe', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    stage.probe([0, 1, 2, 3], 3, 0);
    stage.probe([3, 4, 5, 6], 1009, 1);
    await stage.stage('probe');
    expect(stage.audience.progress()).toMatchObject({ proven: 7 });
    expect(stage.books().entries).toMatchObject({ held: 7, proven: 7, lost: 0 });
  });
});

describe('a target that is gone', () => {
  it('is given up when the last connection of the worker is cut', async () => {
    const stage = idleOnStage();
    await stage.stage('ramp');
    stage.cut([0, 1, 2, 3, 4, 5], 'reset', 101);
    stage.cut([6], 'end-of-stream', 211);
    await stage.stage('hold');
    expect(stage.gaveUp).toEqual([{ code: 'targetGone', evidence: naming('end-of-stream') }]);
  });

  it('is not while one is left, nor while more are on their way', async () => {
    const stage = idleOnStage();
    // The only one yet: the next is started at 10 ms.
    stage.at(7, () => stage.told().closed(0, 'reset', true));
    await stage.stage('ramp');
    stage.cut([1, 2, 3, 4, 5], 'reset', 101);
    await stage.stage('hold');
    expect(stage.gaveUp).toEqual([]);
    expect(stage.audience.progress()).toMatchObject({ subscribers: 1, lost: 6 });
  });
});

describe('a probe by pings', () => {
  const pinged = (given: WorkerGiven) => idleOnStage(given, { probe: 'ping' });

  it('holds who answers, and no pong of before counts', async () => {
    const stage = pinged({ welcome: (client) => (client % 3 === 2 ? {} : { pongAfterMs: 5 }) });
    await stage.stage('ramp');
    stage.told().ponged?.(2);
    await stage.stage('hold');
    stage.cut([1], 'reset', 3);
    await stage.stage('probe');
    expect(stage.pings).toEqual(all);
    const { entries, breaks } = stage.books();
    expect(entries).toMatchObject({ opened: 7, held: 4, lost: 3, lostByCause: { reset: 1, unproven: 2 } });
    expect(breaks).toEqual([]);
  });

  it('asks only those that are open, and ends once all have answered', async () => {
    const stage = pinged({ welcome: () => ({ pongAfterMs: 5 }) });
    await stage.stage('ramp');
    stage.cut([3], 'reset', 7);
    await stage.stage('hold');
    const before = stage.sinceStartMs();
    await stage.stage('probe');
    expect(stage.pings).toEqual([0, 1, 2, 4, 5, 6]);
    expect(stage.sinceStartMs() - before).toBeLessThan(probeTimeoutMs);
    expect(stage.books().entries).toMatchObject({ held: 6, lost: 1 });
  });
});
