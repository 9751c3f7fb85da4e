import { expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { built } from '../built.js';
import type { Ended } from '../command.js';
import { endsProcess } from '../family.js';
import { soundResult, targetFlags } from '../latency.js';
import { exitOf, type Served, voidedBy, workplace } from '../workplace.js';

export const place = workplace();

export const anycable = process.env.ANYCABLE_GO_BIN;

export const [broadcasts, warmUp] = [120, 4];

/** Twelve seconds of broadcasts, eleven of them for the redeploy; clients that are cut try again soon. */
export function flags(subscribers: number, more: readonly string[] = []): string[] {
  const backoff = { backoff: '200ms', 'backoff-max': '500ms' };
  const sizes = {
    clients: subscribers,
    broadcasts,
    'warm-up': warmUp,
    rate: '10/s',
    before: '1s',
    drain: '5s',
    'ramp-rate': '503/s',
    seed: 7,
  };
  return [
    ...Object.entries({ ...sizes, ...backoff }).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
    ...more,
  ];
}

export const managed = (target: string, more: string[], shards = 1): Promise<Ended> =>
  place.measure(['run', 'deploy', '--target', target, ...more], shards, { ANYCABLE_GO_BIN: anycable });

/** The books of a run that went to its end, checked to the last delivery. */
export function soundBooks(ended: Ended, subscribers: number): { result: RunResult; books: Record<string, number> } {
  const result = soundResult(ended);
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  expect(voidedBy(result)).toEqual([]);
  expect(ended.code).toBe(exitOf(result));
  const books = result.ledger as Record<string, number>;
  const { acked = 0, refused = 0, failed = 0, lostOffline = 0, lostOnline = 0, gaps = 0, openGaps = 0 } = books;
  expect(books).toMatchObject({
    ...{ subscribers, attempted: broadcasts, wanted: broadcasts * subscribers, unheard: 0 },
    ...{ unpublished: refused + failed, expected: acked * subscribers, lost: lostOffline + lostOnline },
  });
  expect(gaps + openGaps).toBe(subscribers);
  expect(result.metrics.gap?.count).toBe(subscribers);
  return { result, books };
}

/** What a run says in which every connection was dropped once and came back. */
export function allDropped(ended: Ended, subscribers: number, processes = 1): Record<string, number> {
  const { result, books } = soundBooks(ended, subscribers);
  expect(books).toMatchObject({
    ...{
      replacedTargets: processes,
      applicationProcesses: 0,
      dropped: subscribers,
      cut: subscribers,
      cutAgain: 0,
      cutsBefore: 0,
    },
    ...{ neverCut: 0, proven: subscribers, notBack: 0, returns: subscribers, openGaps: 0 },
  });
  expect(books.lost).toBeGreaterThan(0);
  expect(result.metrics.offline?.count).toBe(subscribers);
  expect(result.metrics.reconnect?.count).toBe(subscribers);
  // Whoever is away for a while misses at least what comes meanwhile.
  expect(result.metrics.gap?.max).toBeGreaterThanOrEqual(result.metrics.offline?.max ?? 0);
  return books;
}

/** Checks a run in which no connection was touched, and every acked broadcast reached everybody. */
export function noneDropped(ended: Ended, subscribers: number): { result: RunResult; books: Record<string, number> } {
  const { result, books } = soundBooks(ended, subscribers);
  expect(books).toMatchObject({
    ...{ dropped: 0, neverCut: subscribers, attempts: 0, openGaps: 0 },
    ...{ lost: 0, lostOnline: 0, replayed: 0, delivered: (books.acked ?? 0) * subscribers },
  });
  expect(result.metrics.offline?.count).toBe(0);
  return { result, books };
}

/** Runs deploy before a managed server, with an application that a command restarts a second later. */
export async function redeployed(server: string, orders: string[] = []): Promise<{ ended: Ended; target: Served }> {
  const target = await place.serve(server, orders);
  const publishUrl = `http://127.0.0.1:${target.port}/_broadcast`;
  const main = built('servers/application/main.js');
  const application = await place.serve('servers/application/main.js', ['--publish-url', publishUrl]);
  const { port } = application;
  const again = `'${process.execPath}' '${main}' --port ${port} --publish-url '${publishUrl}' > /dev/null 2>&1 &`;
  const command = `${endsProcess(application.command.pid, 'TERM')}; sleep 1; ${again}`;
  const at = `http://127.0.0.1:${port}/_broadcast`;
  const more = ['--application', 'standalone', '--restart-command', command];
  const where = [...targetFlags(target).slice(0, 2), '--publish-url', at, '--protocol', 'ws-json'];
  return { ended: await place.measure(['run', 'deploy', ...where, ...flags(37, more)]), target };
}
