import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { percentiles } from '../../src/measure/samples/distribution.js';
import type { RunResult } from '../../src/results/result.js';
import { soundResult } from '../latency.js';
import { published } from '../live.js';
import { exitOf, workplace } from '../workplace.js';

/*
 * The target sleeps for three of seven and a half seconds of publishing. What falls due in its sleep waits for the rest
 * of it, so the latencies of a freeze are known before the run:
 *
 *   STOP                     CONT
 *    │ 0  1  2  3  4  …       │     due
 *      └──────────────────────│     the slowest
 *         └───────────────────│     the slowest but one
 *
 * A process can wait for a core after the CONT: its sleep ends when it runs. Then it has little to catch up with. The
 * allowed share is for that and for half a period. What target and bench-runner still wait for cores meanwhile, as the
 * kernel tells, may be added.
 */
const subscribers = 7;

const warmUp = 3;

export const broadcasts = 151;

export const perSecond = 20;

const askedMs = 3000;
/** In so long, a target has caught up. */
const catchUpMs = 1000;

const allowedShare = 0.05;

const place = workplace();

/** Those that lie among what fell due in the sleep: two fifths of everything. */
const figures = ['p90', 'p95', 'max'] as const;

export type Figures = Record<(typeof figures)[number], number>;

/** For how long the main thread of a process has had a core, as the kernel tells. */
const cpuNsOf = (pid: number): string => readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0] as string;

/** For how long all threads of these processes were ready without a core. */
function waitedMs(pids: readonly number[]): number {
  const ofTask = (path: string): number => Number(readFileSync(`${path}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  const tasks = pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}`));
  return tasks.reduce((sum, path) => sum + ofTask(path), 0);
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const figuresOf = (of: (figure: (typeof figures)[number]) => number): Figures =>
  Object.fromEntries(figures.map((figure) => [figure, of(figure)])) as Figures;

/** Each figure of a freeze by arithmetic, in ms; `periods` passed between the STOP and the first due after it. */
export function predicted(frozenMs: number, periods: number): Figures {
  return figuresOf((figure) => {
    const share = figure === 'max' ? 1 : percentiles[figure];
    const slower = Math.floor((1 - share) * broadcasts);
    return frozenMs - ((slower + periods) * 1000) / perSecond;
  });
}

export const measured = ({ metrics }: RunResult, metric: string): Figures =>
  figuresOf((figure) => (metrics[metric]?.[figure] ?? Number.NaN) / 1000);

/** Held figure by figure within 5 % of the least and the most that was predicted; `addedMs` may have come on top. */
export function expectNear(found: Figures, least: Figures, most: Figures, addedMs: number): void {
  const said = JSON.stringify({ found, least, most, addedMs });
  for (const figure of figures) {
    expect(found[figure] / least[figure], said).toBeGreaterThan(1 - allowedShare);
    expect(found[figure] / (most[figure] + addedMs), said).toBeLessThan(1 + allowedShare);
  }
}

/**
 * What holds on every machine: nothing is faster than the rest of the sleep, and between two figures lies no more than
 * between the instants at which they fell due, as what fell due later is never done earlier.
 */
export function expectOfSleep(found: Figures, least: Figures): void {
  for (const figure of figures) {
    expect(found[figure], figure).toBeGreaterThanOrEqual(least[figure]);
    expect(found.max - found[figure], figure).toBeLessThanOrEqual(least.max - least[figure] + 1000 / perSecond);
  }
}

/** A run whose target slept: bounds of how long, and how long it and the bench-runner then waited for cores, in ms. */
interface FrozenRun {
  result: RunResult;
  leastMs: number;
  mostMs: number;
  addedMs: number;
}

/** A latency run whose target sleeps while it is published to and loses nothing. */
export async function frozenRun(maxInFlight: number): Promise<FrozenRun> {
  const sizes = {
    clients: subscribers,
    broadcasts,
    rate: `${perSecond}/s`,
    'warm-up': warmUp,
    'max-in-flight': maxInFlight,
  };
  const flags = Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const driver = place.ringside(['run', 'latency', '--target', 'ws', '--watch', ...flags]);
  // Past the warm-up, which is published too: one of it that met the sleep would be no sample.
  await published(driver, warmUp + 1);
  const [target] = driver.family('servers/ws/main.js');
  if (!target) throw new Error('the target has no process');
  const beforeMs = nowMs();
  process.kill(target.pid, 'SIGSTOP');
  const stoppedMs = nowMs();
  await delay(askedMs);
  const leastMs = nowMs() - stoppedMs;
  const ranNs = cpuNsOf(target.pid);
  process.kill(target.pid, 'SIGCONT');
  while (cpuNsOf(target.pid) === ranNs) await delay(1);
  const mostMs = nowMs() - beforeMs;
  const pids = [target, ...driver.family('bench-runner')].map(({ pid }) => pid);
  const waitedBeforeMs = waitedMs(pids);
  await delay(catchUpMs);
  const addedMs = waitedMs(pids) - waitedBeforeMs;
  const ended = await driver.ended;
  const result = soundResult(ended);
  expect(result.stop.code).toBe('completed');
  expect(ended.code).toBe(exitOf(result));
  const delivered = subscribers * broadcasts;
  expect(result.ledger).toMatchObject({ acked: broadcasts, delivered, lost: 0, duplicate: 0, outOfOrder: 0, late: 0 });
  return { result, leastMs, mostMs, addedMs };
}

export const latePublishes = ({ shards }: RunResult): number => shards[0]?.result?.counts.latePublishes ?? Number.NaN;
