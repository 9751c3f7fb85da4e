import { describe, expect, it } from 'vitest';
import { publisherOnStage, type Scene } from '../../../test/stage/publisher.js';
import { valuesOf, type WorkerGiven, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { backoffDelayMs } from '../roster/returning.js';
import { avalancheLedger } from './index.js';
import { avalancheAudience, avalancheOptions, avalanchePublisher } from './roles.js';

interface Given extends WorkerGiven {
  deadlineMs?: number;
}

const rampMs = 101;

/** An audience of 7 clients, on a clock that does not wait, at the end of its calm. */
async function atOrder({ deadlineMs = 20_011, ...given }: Given = {}) {
  const { clientCount = 7 } = given;
  const options = avalancheOptions.parse({ clients: clientCount, deadlineMs, rampRatePerSecond: 503 });
  const worker = workerOnStage(options, { broadcasts: 89, ...given, clientCount });
  const audience = avalancheAudience(worker.context);
  await worker.play(audience, 'ramp');
  const everybody = Array.from({ length: clientCount }, (_, each) => each);
  worker.at(rampMs, () => worker.deliver(everybody, 0, 1));
  await worker.play(audience, 'calm');
  const orderNs = worker.clock.nowNs();
  return {
    ...worker,
    audience,
    everybody,
    orderMs: worker.sinceStartMs(),
    /** Does something that long after the order. */
    after: (ms: number, action: () => void) => worker.clock.at(orderNs + ms * 1e6, action),
    cut: (clients: readonly number[], cause = 'reset') => {
      for (const each of clients) worker.told().closed(each, cause, true);
    },
    storm: () => worker.play(audience, 'storm'),
    books() {
      const report = audience.report();
      return { report, ...avalancheLedger.ledger(report) };
    },
  };
}

describe('the calm', () => {
  it('ends once a broadcast has reached everybody', async () => {
    const { orderMs } = await atOrder();
    expect(orderMs).toBeGreaterThanOrEqual(rampMs);
    expect(orderMs).toBeLessThan(rampMs + 7);
  });
});

describe('the storm', () => {
  it('ends when everybody was cut, came back and got a broadcast, and each instant is known', async () => {
    const stage = await atOrder();
    const waits = stage.everybody.map((client) =>
      backoffDelayMs({ seed: 7, backoffMs: 500, backoffMaxMs: 5000 }, client, 0),
    );
    stage.after(13, () => stage.cut(stage.everybody));
    stage.after(701, () => stage.deliver(stage.everybody, 1, 2));
    await stage.storm();
    const { report, entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({
      ...{ asked: 7, opened: 7, provenBefore: 7, cut: 7, neverCut: 0, proven: 7, notBack: 0 },
      ...{ attempts: 7, returns: 7, failedAttempts: 0, firstCutMs: 13, lastCutMs: 13 },
      ...{ backAfterMs50: 701, backAfterMs100: 701 },
    });
    expect(valuesOf(report.samples.disconnect)).toEqual(new Array(7).fill(13_000));
    expect(valuesOf(report.samples.back)).toEqual(new Array(7).fill(688_000));
    expect(valuesOf(report.samples.backAfter)).toEqual(new Array(7).fill(701_000));
    // Attempts begin at the first tick after the wait; opening takes 3 ms on this stage, the confirmation 2.
    const ticks = waits.map((ms) => Math.ceil((13 + ms) / 5) * 5 + 5 - 13);
    expect(valuesOf(report.samples.offline)).toEqual(ticks.map((ms) => ms * 1000).sort((a, b) => a - b));
    // Without the rig, an attempt begins as its wait is over. This stage counts all time as time asleep.
    const rigMs = ticks.map((ms, client) => ms - 5 - (waits[client] as number));
    const without = (wholeMs: number) => rigMs.map((ms) => Math.floor((wholeMs - ms) * 1000)).sort((a, b) => a - b);
    const absences = waits.map((ms) => Math.floor((ms + 5) * 1000)).sort((a, b) => a - b);
    expect(valuesOf(report.samples.disconnectAtLeast)).toEqual(new Array(7).fill(13_000));
    expect(valuesOf(report.samples.offlineAtLeast)).toEqual(absences);
    expect(valuesOf(report.samples.backAtLeast)).toEqual(without(688));
    expect(valuesOf(report.samples.backAfterAtLeast)).toEqual(without(701));
    expect(stage.sinceStartMs() - stage.orderMs).toBeLessThan(707);
  });

  it('takes no delivery for a proof that came before the confirmation', async () => {
    const stage = await atOrder({ deadlineMs: 1009 });
    stage.after(13, () => stage.cut([3]));
    stage.after(14, () => stage.deliver(stage.everybody, 1, 2));
    const takenOffNs = stage.clock.nowNs() + 17e6;
    stage.after(701, () =>
      stage.told().deliveries({
        count: 1,
        notBeforeNs: Float64Array.of(takenOffNs),
        client: Int32Array.of(3),
        sequence: Int32Array.of(2),
        receivedAtNs: Float64Array.of(takenOffNs),
        flags: new Uint8Array(1),
      }),
    );
    await stage.storm();
    const { entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ cut: 1, neverCut: 6, proven: 0, backUnproven: 1, notBack: 0 });
  });

  it('counts who is not back by the deadline, by the last cause, and gives no time for all', async () => {
    const isDead = (client: number) => client === 2 || client === 5;
    let isRestarted = false;
    const stage = await atOrder({
      deadlineMs: 10_007,
      welcome: (client) => (isRestarted && isDead(client) ? { refusal: 'connect-refused' } : {}),
    });
    isRestarted = true;
    stage.after(13, () => stage.cut(stage.everybody));
    for (let ms = 250; ms < 10_007; ms += 250) stage.after(ms, () => stage.deliver(stage.everybody, 1, 2));
    await stage.storm();
    const { report, entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ cut: 7, proven: 5, notBack: 2, notBackByCause: { 'connect-refused': 2 } });
    expect(entries).toHaveProperty('backAfterMs50');
    expect(entries).not.toHaveProperty('backAfterMs95');
    const backAfter = valuesOf(report.samples.backAfter);
    expect(backAfter).toHaveLength(5);
    expect(entries.deadlineMs).toBe(10_007);
    expect(valuesOf(report.samples.back)).toHaveLength(5);
    // Full jitter from half a second to five: at least two attempts in ten seconds, and no more than a client can draw.
    const attempts = stage.opens.filter(([client]) => client === 2).length - 1;
    expect(attempts).toBeGreaterThanOrEqual(2);
    expect(entries.failedAttempts).toBe(
      stage.opens.length - 7 - 5, // The ramp, and those that came back.
    );
    expect(Math.round(stage.sinceStartMs() - stage.orderMs)).toBeGreaterThanOrEqual(10_007);
  });

  it('says of nobody that it took longer in a run that ends before the deadline', async () => {
    const stage = await atOrder({ welcome: () => ({}) });
    stage.after(13, () => stage.cut([1, 2]));
    stage.after(17, () => stage.abort.abort());
    await stage.storm();
    const { report, entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ cut: 2, notBack: 2, notBackByCause: { 'not tried': 2 }, neverCut: 5 });
    expect(valuesOf(report.samples.backAfter)).toEqual([]);
    expect(entries).not.toHaveProperty('deadlineMs');
  });

  it('takes back what was proven of a client that is cut again', async () => {
    const stage = await atOrder({ deadlineMs: 10_007 });
    stage.after(13, () => stage.cut(stage.everybody));
    stage.after(701, () => stage.deliver(stage.everybody.slice(0, 6), 1, 2));
    stage.after(709, () => stage.cut([4], 'close-code:1012'));
    stage.after(1409, () => stage.deliver(stage.everybody, 2, 3));
    await stage.storm();
    const { entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({
      ...{ cut: 7, cutAgain: 1, cutAgainByCause: { 'close-code:1012': 1 }, returns: 8, proven: 7 },
      ...{ backAfterMs50: 701, backAfterMs100: 1409 },
    });
  });

  it('was never begun in a run that ends before it: who is there was not cut', async () => {
    const stage = await atOrder();
    const { entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ asked: 7, opened: 7, cut: 0, neverCut: 7, proven: 0 });
  });

  it('counts apart who was lost before the order', async () => {
    const stage = await atOrder();
    stage.cut([3]);
    stage.after(13, () => stage.cut([0, 1, 2, 4, 5, 6]));
    stage.after(701, () => stage.deliver(stage.everybody, 1, 2));
    await stage.storm();
    const { report, entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ asked: 7, opened: 6, lostBefore: 1, provenBefore: 6, cut: 6, proven: 6 });
    expect(report.counts.subscribers).toBe(6);
  });

  it('counts apart who was cut between the gate and the order: no restart cut him', async () => {
    const stage = await atOrder();
    const orderNs = stage.clock.nowNs() + 300e6;
    stage.after(17, () => stage.cut([3]));
    stage.after(313, () => stage.cut([0, 1, 2, 4, 5, 6]));
    stage.after(1201, () => stage.deliver(stage.everybody, 1, 2));
    await stage.clock.run(stage.audience.stage('storm', orderNs, stage.abort.signal));
    const { report, entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ cut: 7, cutBefore: 1, neverCut: 0, proven: 7, firstCutMs: 13, lastCutMs: 13 });
    expect(valuesOf(report.samples.disconnect)).toEqual(new Array(6).fill(13_000));
  });

  it('takes the cut after the order of a client that was cut before it, too', async () => {
    const stage = await atOrder();
    const orderNs = stage.clock.nowNs() + 1009e6;
    stage.after(17, () => stage.cut([3]));
    stage.after(1022, () => stage.cut(stage.everybody));
    stage.after(1801, () => stage.deliver(stage.everybody, 1, 2));
    await stage.clock.run(stage.audience.stage('storm', orderNs, stage.abort.signal));
    const { report, entries, breaks } = stage.books();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ cut: 7, cutBefore: 0, cutAgain: 1 });
    expect(valuesOf(report.samples.disconnect)).toEqual(new Array(7).fill(13_000));
  });
});

/** A publisher of shard `index` of 2. */
function onStage({ index = 0, answers }: { index?: number } & Pick<Scene, 'answers'> = {}) {
  const options = avalancheOptions.parse({ calmBroadcasts: 3, ratePerSecond: 5 });
  return publisherOnStage(avalanchePublisher, options, { broadcasts: 3 + 41, slice: { index, of: 2 }, answers });
}

describe('the publisher of an avalanche', () => {
  it('sends its share of the calm, and then goes on beyond the end of its stage until the drain', async () => {
    const { play, wait, sends, publisher } = onStage();
    await play('ramp');
    await play('calm');
    expect(sends).toEqual([
      [0, 0],
      [2, 400],
    ]);
    await play('storm');
    await wait(997);
    await play('drain');
    const shift = 403;
    expect(sends.slice(2)).toEqual([
      [3, shift],
      [5, shift + 400],
      [7, shift + 800],
    ]);
    await wait(2003);
    expect(sends).toHaveLength(5);
    expect(publisher.progress()).toEqual({ published: 5, acked: 5 });
    expect(publisher.report().counts).toMatchObject({ attempted: 5, acked: 5, refused: 0, failedPublishes: 0 });
  });

  it('counts what the target does not take, by cause', async () => {
    const answers = (sequence: number) => (sequence === 5 ? 'connect-refused' : sequence === 7 ? 503 : 200);
    const { play, wait, publisher } = onStage({ answers });
    await play('calm');
    await play('storm');
    await wait(997);
    await play('drain');
    const { counts, causes } = publisher.report();
    expect(counts).toMatchObject({ attempted: 5, acked: 3, refused: 1, failedPublishes: 1 });
    expect(causes).toEqual({ publish: { 'connect-refused': 1, 'http-status:503': 1 } });
  });

  it('leaves no publish out of its books when the run is ended in the storm', async () => {
    const { play, wait, publisher, abort } = onStage({ answers: (sequence) => (sequence < 5 ? 200 : undefined) });
    await play('calm');
    await play('storm');
    await wait(601);
    abort.abort();
    const { counts, causes } = publisher.report();
    expect(counts).toMatchObject({ attempted: 4, acked: 3, failedPublishes: 1 });
    expect(causes).toEqual({ publish: { ours: 1 } });
  });
});
