import { describe, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import {
  audienceOnStage,
  type Given,
  halfMinute,
  numbers,
  plannedDrops,
  played,
  valuesOf,
} from '../../test/stage/jitter.js';
import { jitterLedger } from './jitter.js';
import { dropInstants } from './roster/drops.js';
import { backoffDelayMs, defaultBackoff } from './roster/returning.js';

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

const broadcasts = 120;
const sentMs = (sequence: number): number => sequence * 250;
const schedule = { everyMs: 9000, spread: 'fixed' } as const;
const given = { clientCount: 2, broadcasts, options: schedule };
const dropsOf = (client: number): number[] => dropInstants(client, { ...halfMinute, ...schedule });
/** What is sent while the client is dropped, by its schedule; drops and returns come up to 20 ms later than that. */
const isAway = (client: number, sequence: number): boolean =>
  dropsOf(client).some((dropMs) => dropMs <= sentMs(sequence) && sentMs(sequence) < dropMs + 2020);

/** Sends everything on time; each client that `isHeard` names for it gets it 2 ms later. */
function broadcast(
  stage: ReturnType<typeof audienceOnStage>,
  beginMs: number,
  isHeard: (client: number, sequence: number) => boolean,
): void {
  for (const sequence of numbers(broadcasts)) {
    stage.send(sequence, beginMs + sentMs(sequence));
    const heard = numbers(2).filter((client) => isHeard(client, sequence));
    stage.at(beginMs + sentMs(sequence) + 2, () => stage.deliver(heard, sequence, sequence + 1));
  }
}

/** The books as if a publisher had been answered every time. */
function booksOf(report: Awaited<ReturnType<typeof played>>['report']) {
  const acked = new Uint32Array(broadcasts).fill(1);
  const counts = { ...report.counts, attempted: broadcasts };
  return jitterLedger.ledger({ ...report, counts, series: { ...report.series, acked } });
}

/** Three drops of each, of eight broadcasts or nine. */
const lost = numbers(2).flatMap((client) => numbers(broadcasts).filter((sequence) => isAway(client, sequence))).length;

it('what is sent to a client that is away is lost while offline, and nothing while online', async () => {
  const { report } = await played(given, (stage, beginMs) =>
    broadcast(stage, beginMs, (client, sequence) => !isAway(client, sequence)),
  );
  const { entries, breaks } = booksOf(report);
  expect(breaks).toEqual([]);
  expect(lost).toBeGreaterThanOrEqual(6 * 8);
  expect(entries).toMatchObject({
    expected: 240,
    live: 240 - lost,
    replayed: 0,
    lost,
    lostOffline: lost,
    lostOnline: 0,
  });
});

it('what a target loses of a client that is there is lost while online', async () => {
  const dropped = numbers(broadcasts).filter((sequence) => sequence % 17 === 3 && !isAway(1, sequence));
  const { report } = await played(given, (stage, beginMs) =>
    broadcast(stage, beginMs, (client, sequence) => {
      return !isAway(client, sequence) && !(client === 1 && dropped.includes(sequence));
    }),
  );
  const { entries, breaks } = booksOf(report);
  expect(breaks).toEqual([]);
  expect(dropped.length).toBeGreaterThan(4);
  expect(entries).toMatchObject({ lostOffline: lost, lostOnline: dropped.length, lost: lost + dropped.length });
});

it('what is replayed after the return is delivered, and timed apart, from its publish on', async () => {
  const { report } = await played(given, (stage, beginMs) => {
    broadcast(stage, beginMs, (client, sequence) => !isAway(client, sequence));
    for (const client of numbers(2)) {
      for (const dropMs of dropsOf(client)) {
        const missed = numbers(broadcasts).filter(
          (sequence) => isAway(client, sequence) && Math.abs(sentMs(sequence) - dropMs) < 2500,
        );
        stage.at(beginMs + dropMs + 2030, () => {
          for (const sequence of missed) stage.deliver([client], sequence, sequence + 1);
        });
      }
    }
  });
  const { entries, breaks } = booksOf(report);
  expect(breaks).toEqual([]);
  expect(entries).toMatchObject({ expected: 240, live: 240 - lost, replayed: lost, lost: 0, duplicate: 0 });
  const replayed = valuesOf(report.samples.replayed);
  expect(replayed).toHaveLength(lost);
  expect(Math.max(...replayed)).toBeLessThanOrEqual(2_030_000);
  expect(valuesOf(report.samples.delivery)).toEqual(Array(240 - lost).fill(2000));
});
