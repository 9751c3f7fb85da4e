import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import {
  audienceOnStage,
  type Given,
  halfMinute,
  numbers,
  plannedDrops,
  played,
  valuesOf,
} from '../../../test/stage/jitter.js';
import { jitterLedger } from '../jitter.js';
import { dropInstants } from '../roster/drops.js';
import { backoffDelayMs, defaultBackoff } from '../roster/returning.js';

const waitMs = (client: number, attempt: number): number =>
  backoffDelayMs({ seed: 7, ...defaultBackoff }, client, attempt);

/** How the target takes a client's attempts to come back, numbered from 1. */
async function returning(treat: (client: number, attempt: number) => ReturnType<NonNullable<Given['welcome']>>) {
  let attempts: () => readonly [client: number, atMs: number][] = () => [];
  const welcome = (client: number) => treat(client, attempts().filter(([each]) => each === client).length - 1);
  return played({ welcome }, ({ opens }) => {
    attempts = () => opens;
  });
}

describe('a client of ours', () => {
  it('is dropped by its schedule, and opened again when the window is over', async () => {
    const { beginMs, endMs, reopens, stage, report } = await played({ options: { dropMode: 'vanish' } });
    const drops = numbers(7).flatMap((client) =>
      dropInstants(client, halfMinute).map((atMs) => [client, beginMs + atMs] as const),
    );
    drops.sort(([, a], [, b]) => a - b);
    expect(stage.drops).toEqual(drops.map(([client]) => `${client} vanish`));
    expect(reopens).toHaveLength(drops.length);
    drops.forEach(([client, atMs], n) => {
      const [reopened, reopenedMs = 0] = reopens[n] ?? [];
      expect(reopened).toBe(client);
      // Each of the two may be a look of 5 ms late.
      expect(reopenedMs - atMs).toBeGreaterThanOrEqual(2000);
      expect(reopenedMs - atMs).toBeLessThanOrEqual(2010);
    });
    const { counts, samples } = report;
    const back = drops.length;
    expect(counts).toMatchObject({ planned: back, drops: back, skipped: 0, back, attempts: back, failedAttempts: 0 });
    expect(counts).toMatchObject({ notDue: 0, underWay: 0, cuts: 0, subscribers: 7, resumes: 0 });
    // 3 ms to open and 2 to confirm, after the window.
    expect(valuesOf(samples.reconnect)).toEqual(Array(back).fill(5000));
    expect(valuesOf(samples.reconnectAtLeast)).toEqual(Array(back).fill(5000));
    expect(valuesOf(samples.offlineAtLeast)).toEqual(Array(back).fill(2_005_000));
    const offline = valuesOf(samples.offline);
    expect([offline.length, Math.min(...offline) >= 2_005_000, Math.max(...offline) <= 2_010_000]).toEqual([
      back,
      true,
      true,
    ]);
    expect(endMs - beginMs).toBeGreaterThanOrEqual(30_000);
  });

  it('is dropped, and opened again, at the same instants whenever they are drawn by the same seed', async () => {
    const disruptions = async (seed: number) => {
      const { beginMs, stage, reopens } = await played({ seed });
      return { drops: stage.drops, reopens: reopens.map(([client, atMs]) => [client, atMs - beginMs]) };
    };
    const drawn = await disruptions(7);
    expect(await disruptions(7)).toEqual(drawn);
    expect((await disruptions(8)).reopens).not.toEqual(drawn.reopens);
  });

  it('is dropped as often whichever worker it is of', async () => {
    const whole = await played();
    const parts = [
      await played({ clientCount: 3, totalClients: 7 }),
      await played({ clientCount: 4, totalClients: 7, firstClient: 3 }),
    ];
    const of = (each: Awaited<ReturnType<typeof played>>, first: number): string[] =>
      each.stage.drops.map((line) => `${Number(line.split(' ')[0]) + first}`);
    const [one, other] = parts as [typeof whole, typeof whole];
    expect([...of(one, 0), ...of(other, 3)].sort()).toEqual(of(whole, 0).sort());
  });

  it('is waited for when it was dropped before the end, and the floor of the window holds', async () => {
    const { stage } = await played({ options: { offlineMs: 1 } });
    expect(stage.options.offlineMs).toBe(2000);
    const long = await played({ options: { offlineMs: 7000 } });
    const lastMs = Math.max(...long.reopens.map(([, atMs]) => atMs));
    expect(long.endMs).toBeGreaterThanOrEqual(lastMs);
    expect(long.report.causes.notBack).toEqual({});
  });

  it('tries again when it does not come back, and counts each failure by cause', async () => {
    const { reopens, report } = await returning((client, attempt) => {
      if (client === 2 && attempt === 1) return { refusal: 'connect-refused' };
      if (client === 2 && attempt === 2) return { refusal: 'http-status:503' };
      return client === 3 && attempt === 1 ? { isMute: true } : {};
    });
    expect(report.causes.reconnect).toEqual({ 'connect-refused': 1, 'http-status:503': 1, 'subscribe-timeout': 1 });
    const { attempts = 0, back = 0, failedAttempts } = report.counts;
    expect([failedAttempts, attempts - back, report.causes.notBack]).toEqual([3, 3, {}]);
    const [first = 0, second = 0, third = 0] = reopens.filter(([client]) => client === 2).map(([, atMs]) => atMs);
    for (const [attempt, apartMs] of [second - first - 3, third - second - 3].entries()) {
      expect(apartMs).toBeGreaterThanOrEqual(waitMs(2, attempt));
      expect(apartMs).toBeLessThanOrEqual(waitMs(2, attempt) + 10);
    }
    expect(valuesOf(report.samples.wait)).toHaveLength(3);
  });

  it('that the protocol refused waits no longer than others', async () => {
    const { reopens } = await returning((client, attempt) =>
      client === 4 && attempt === 1 ? { refusal: 'rejected:go away' } : {},
    );
    const [first = 0, second = 0] = reopens.filter(([client]) => client === 4).map(([, atMs]) => atMs);
    expect(second - first - 3).toBeGreaterThanOrEqual(waitMs(4, 0));
    expect(second - first - 3).toBeLessThanOrEqual(waitMs(4, 0) + 10);
  });

  it('that the target cuts comes back, and is a cut and no drop', async () => {
    const { report } = await played({ options: { everyMs: 80_000_000 } }, (stage, beginMs) => {
      stage.at(beginMs + 11_000, () => stage.told().closed(5, 'close-code:1012', true));
    });
    expect(report.counts).toMatchObject({ planned: 0, drops: 0, cuts: 1, back: 1, attempts: 1, subscribers: 7 });
    expect(report.causes).toMatchObject({ close: { 'close-code:1012': 1 }, notBack: {} });
    expect([valuesOf(report.samples.offline).length, valuesOf(report.samples.reconnect).length]).toEqual([0, 1]);
  });

  it('counts a client that can’t come back, and gives up when none can', async () => {
    let isDown = false;
    const { stage, report } = await played(
      { welcome: () => (isDown ? { refusal: 'connect-refused' } : {}) },
      ({ at }, beginMs) =>
        at(beginMs + 17_000, () => {
          isDown = true;
        }),
    );
    expect(stage.gaveUp).toEqual([{ code: 'targetGone', evidence: naming('connect-refused') }]);
    expect(report.causes.notBack).toEqual({ 'connect-refused': 7 });
    expect(report.counts.skipped).toBeGreaterThan(0);
    expect(
      jitterLedger.ledger({ ...report, series: {} }).breaks.filter((line) => !line.startsWith('expected')),
    ).toEqual([]);
  });

  it('that a target took away for a moment comes back: one failure of each is no end', async () => {
    let isDown = false;
    const { stage, report } = await played(
      { options: { everyMs: 80_000_000 }, welcome: () => (isDown ? { refusal: 'connect-refused' } : {}) },
      ({ at, told }, beginMs) => {
        at(beginMs + 11_000, () => {
          isDown = true;
          for (const client of numbers(7)) told().closed(client, 'end-of-stream', true);
        });
        at(beginMs + 13_000, () => {
          isDown = false;
        });
      },
    );
    expect(stage.gaveUp).toEqual([]);
    expect(report.counts).toMatchObject({ cuts: 7, back: 7 });
    expect(report.counts.failedAttempts).toBeGreaterThanOrEqual(7);
  });
});

describe('an audience', () => {
  it('that lost a client before the first broadcast owes it nothing and never drops it', async () => {
    const { stage, report } = await played({}, ({ told }) => told().closed(6, 'reset', true));
    expect(stage.drops.some((line) => line.startsWith('6 '))).toBe(false);
    expect(report.counts).toMatchObject({ subscribers: 6, planned: plannedDrops(6) });
    expect(report.causes.close).toEqual({ reset: 1 });
  });

  it('without a client gives up at once', async () => {
    const stage = audienceOnStage({ welcome: () => ({ refusal: 'http-status:503' }) });
    await stage.stage('ramp');
    await stage.stage('publish');
    expect(stage.gaveUp).toEqual([{ code: 'targetGone', evidence: expect.any(String) }]);
  });

  it('ends early, without error, when the run is ended: what was not yet due is counted', async () => {
    const { stage, report } = await played({}, ({ at, abort }, beginMs) => at(beginMs + 9000, () => abort.abort()));
    const { drops = 0, skipped = 0, notDue = 0 } = report.counts;
    expect(drops + skipped + notDue).toBe(plannedDrops(7));
    expect(notDue).toBeGreaterThan(0);
    expect(stage.sinceStartMs()).toBeLessThan(10_000);
  });

  it('shows how many are offline, and counts drops and returns by the second', async () => {
    let seen: Record<string, number> = {};
    const { stage, report } = await played({}, ({ at, audience }, beginMs) =>
      at(beginMs + 7001, () => {
        seen = audience.progress();
      }),
    );
    const offlineThen = numbers(7).filter((client) =>
      dropInstants(client, halfMinute).some((atMs) => atMs < 6995 && atMs + 2015 > 7001),
    ).length;
    expect(seen).toMatchObject({ subscribers: 7, offline: offlineThen });
    const total = (name: string): number => (report.timeline[name] ?? []).reduce((sum, each) => sum + each, 0);
    expect([total('dropped'), total('back'), total('opened')]).toEqual([plannedDrops(7), plannedDrops(7), 7]);
    stage.audience.dispose?.();
    expect(stage.isDisposed()).toBe(true);
  });
});
