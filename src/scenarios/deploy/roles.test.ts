import { describe, expect, it } from 'vitest';
import { onStage } from '../../../test/stage/deploy.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { Recorder } from '../../measure/samples/recorder.js';
import { gapsOf } from './roles.js';

describe('an application that stands alone', () => {
  it('takes no connection with it: what it does not publish nobody gets, and a gap says so', async () => {
    const fails = [13, 14, 15, 16];
    const stage = await onStage({ fails });
    const { report, entries, breaks } = await stage.toEnd();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({
      ...{ attempted: 40, acked: 36, failed: 4, unpublished: 4, wanted: 280, expected: 252, delivered: 252, lost: 0 },
      ...{ dropped: 0, neverCut: 7, attempts: 0, gaps: 7, openGaps: 0 },
    });
    expect(valuesOf(report.samples.gap)).toEqual(new Array(7).fill(500_000));
    expect(valuesOf(report.samples.offline)).toEqual([]);
  });
});

describe('an application that lives in the target', () => {
  it('takes every connection with it: all come back, and what they missed was lost while offline', async () => {
    const stage = await onStage();
    const everybody = [...stage.there];
    stage.after(1351, () => stage.cut(everybody));
    stage.after(2551, () => {
      for (const each of everybody) stage.there.add(each);
    });
    const { report, entries, breaks } = await stage.toEnd();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({
      ...{ dropped: 7, cut: 7, neverCut: 0, cutsBefore: 0, back: 7, proven: 7, notBack: 0, returns: 7 },
      ...{ expected: 280, delivered: 196, lost: 84, unpublished: 0, gaps: 7 },
    });
    expect(valuesOf(report.samples.gap)).toEqual(new Array(7).fill(1_300_000));
    expect(valuesOf(report.samples.reconnect)).toEqual(new Array(7).fill(5000));
    const offline = valuesOf(report.samples.offline);
    expect(offline).toHaveLength(7);
    // Full jitter draws the first wait from half a second; the attempt itself takes 5 ms.
    for (const us of offline) expect(us).toBeLessThanOrEqual(515_000);
    const waits = valuesOf(report.samples.wait);
    expect(valuesOf(report.samples.offlineAtLeast)).toEqual(waits.map((us) => us + 5000));
    expect(entries.lostOffline).toBeGreaterThan(0);
    expect(entries.lost).toBe((entries.lostOffline ?? 0) + (entries.lostOnline ?? 0));
  });

  it('has a client back while the gate is stood at, and between the stages', async () => {
    const stage = await onStage({ clientCount: 1 });
    stage.after(1301, () => stage.cut([0]));
    for (const name of ['steady', 'redeploy']) await stage.play(stage.audience, name);
    const opens = stage.opens.length;
    stage.told().closed(0, 'reset', true);
    await stage.clock.run(stage.clock.sleep(601));
    expect(stage.opens).toHaveLength(opens + 1);
  });

  it('that does not come back leaves every gap open', async () => {
    let isDown = false;
    const stage = await onStage({ welcome: () => (isDown ? { refusal: 'connect-refused' } : {}) });
    stage.after(1351, () => {
      isDown = true;
      stage.cut([...stage.there]);
    });
    const { report, entries, breaks } = await stage.toEnd();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ dropped: 7, back: 0, notBack: 7, gaps: 0, openGaps: 7 });
    expect(entries.notBackByCause).toEqual({ 'connect-refused': 7 });
    // From the last delivery to the end of the schedule: what comes after it is owed to nobody.
    expect(valuesOf(report.samples.gap)).toEqual(new Array(7).fill(2_897_000));
  });

  it('counts apart a connection that was dropped before the order', async () => {
    const stage = await onStage();
    stage.after(351, () => stage.cut([3]));
    stage.after(951, () => stage.there.add(3));
    const { report, entries, breaks } = await stage.toEnd();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ dropped: 1, cutsBefore: 1, proven: 1, neverCut: 6, gaps: 7 });
    expect(valuesOf(report.samples.disconnect)).toEqual([]);
    expect(entries).not.toHaveProperty('firstCutMs');
  });
});

describe('what is replayed', () => {
  it('closes the gap, and is counted apart from what came live', async () => {
    const stage = await onStage();
    stage.after(1351, () => stage.cut([4]));
    stage.after(1951, () => {
      stage.there.add(4);
      stage.deliver([4], 14, 20);
    });
    const { report, entries, breaks } = await stage.toEnd();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ dropped: 1, expected: 280, delivered: 280, lost: 0 });
    expect(entries.replayed).toBeGreaterThan(0);
    expect(entries.live).toBe(280 - (entries.replayed ?? 0));
    expect(valuesOf(report.samples.gap)).toEqual([...new Array(6).fill(100_000), 648_000]);
  });
});

describe('an audience', () => {
  it('that has nobody left gives up', async () => {
    const stage = await onStage({ clientCount: 1, welcome: () => ({ refusal: 'connect-refused' }) });
    await stage.play(stage.audience, 'steady');
    expect(stage.gaveUp).toEqual([{ code: 'targetGone', evidence: expect.any(String) }]);
  });

  it('that has nobody left, while others have, ends with its schedule', async () => {
    const stage = await onStage({ clientCount: 1, welcome: () => ({ refusal: 'connect-refused' }) });
    const steadyMs = stage.sinceStartMs();
    const { breaks, entries } = await stage.toEnd();
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ subscribers: 0, expected: 0, gaps: 0, openGaps: 0, unheard: 0 });
    // Forty-two broadcasts at ten a second; its looks are 5 ms apart.
    expect(Math.abs(stage.sinceStartMs() - steadyMs - 4200)).toBeLessThanOrEqual(15);
  });
});

const ms = 1e6;

function takenGaps(deliveries: readonly (readonly [client: number, atMs: number])[], orderMs: number, clients = 3) {
  const gaps = gapsOf(clients, new Recorder());
  let isOrdered = false;
  for (const [client, atMs] of deliveries) {
    if (atMs >= orderMs && !isOrdered) gaps.ordered(orderMs * ms);
    isOrdered ||= atMs >= orderMs;
    gaps.take({
      count: 1,
      notBeforeNs: new Float64Array(1),
      client: Int32Array.of(client),
      sequence: Int32Array.of(0),
      receivedAtNs: Float64Array.of(atMs * ms),
      flags: new Uint8Array(1),
    });
  }
  return gaps;
}

/** The books of a schedule of ten a second are closed. */
const end = (atMs: number, silent: readonly number[] = [], members = [0]) => ({
  isMember: (client: number) => members.includes(client),
  isSilent: (client: number) => silent.includes(client),
  atNs: atMs * ms,
  everyNs: 100 * ms,
});

describe('the gap of a client', () => {
  it('reaches over the order, from the last delivery before it to the first after it', () => {
    const gaps = takenGaps(
      [
        [0, 7001],
        [0, 7101],
        [0, 7201],
        [0, 9203],
        [0, 9301],
      ],
      7300,
    );
    const { counts, samples } = gaps.report(end(9400));
    expect(counts).toEqual({ gaps: 1, openGaps: 0, unheard: 0 });
    expect(valuesOf(samples.gap)).toEqual([2_002_000]);
  });

  it('is the longest of those that were not over at the order', () => {
    const gaps = takenGaps(
      [
        [0, 1],
        [0, 5003],
        [0, 5103],
        [0, 5203],
        [0, 6001],
        [0, 6101],
      ],
      5150,
    );
    expect(valuesOf(gaps.report(end(6200)).samples.gap)).toEqual([798_000]);
  });

  it('is open where a client that was cut got nothing since: it took longer than until now', () => {
    const gaps = takenGaps(
      [
        [0, 7001],
        [0, 7101],
        [0, 8009],
      ],
      7300,
    );
    const { counts, samples } = gaps.report(end(20_011, [0]));
    expect(counts).toEqual({ gaps: 0, openGaps: 1, unheard: 0 });
    expect(valuesOf(samples.gap)).toEqual([(20_011 - 8009) * 1000]);
  });

  it('is open where nothing came after the order at all', () => {
    const { counts, samples } = takenGaps([[0, 7001]], 7300).report(end(20_011));
    expect(counts).toMatchObject({ gaps: 0, openGaps: 1 });
    expect(valuesOf(samples.gap)).toEqual([(20_011 - 7001) * 1000]);
  });

  it('is open where nobody was cut and nothing is published any more: it has taken longer than any before it', () => {
    const given = [
      [0, 7001],
      [0, 7101],
      [0, 7301],
    ] as const;
    const { counts, samples } = takenGaps(given, 7200).report(end(20_011));
    expect(counts).toEqual({ gaps: 0, openGaps: 1, unheard: 0 });
    expect(valuesOf(samples.gap)).toEqual([(20_011 - 7301) * 1000]);
  });

  it('is closed where the rest of the schedule is two intervals at most, or shorter than the gap before it', () => {
    const regular = [
      [0, 7001],
      [0, 7101],
      [0, 7201],
    ] as const;
    expect(takenGaps(regular, 7150).report(end(7401)).counts).toEqual({ gaps: 1, openGaps: 0, unheard: 0 });
    expect(takenGaps(regular, 7150).report(end(7402)).counts).toEqual({ gaps: 0, openGaps: 1, unheard: 0 });
    const long = [
      [0, 7001],
      [0, 8001],
    ] as const;
    const { counts, samples } = takenGaps(long, 7150).report(end(9001));
    expect(counts).toEqual({ gaps: 1, openGaps: 0, unheard: 0 });
    expect(valuesOf(samples.gap)).toEqual([1_000_000]);
  });

  it('is none of a client that never heard any, nor of one that is no member', () => {
    const { counts, samples } = takenGaps(
      [
        [0, 7001],
        [0, 7401],
        [2, 7001],
        [2, 7401],
      ],
      7300,
    ).report(end(7500, [], [0, 1]));
    expect(counts).toEqual({ gaps: 1, openGaps: 0, unheard: 1 });
    expect(valuesOf(samples.gap)).toEqual([400_000]);
  });
});
