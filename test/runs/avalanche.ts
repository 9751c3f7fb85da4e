import { expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { built } from '../built.js';
import type { Ended } from '../command.js';
import { targetFlags } from '../latency.js';
import { exitOf, keptResult, type Served, voidedBy, workplace } from '../workplace.js';

export const place = workplace();

export const ws = 'servers/ws/main.js';

export const metronome = 'servers/metronome/main.js';

export function flags(subscribers: number, more: readonly string[] = []): string[] {
  const sizes = { clients: subscribers, 'ramp-rate': '503/s', calm: 3, rate: '10/s', deadline: '60s', seed: 7 };
  return [...Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]), ...more];
}

export const managed = (target: string, more: string[], shards = 1): Promise<Ended> =>
  place.measure(['run', 'avalanche', '--target', target, ...more], shards);

export const external = (target: Served, more: string[]): Promise<Ended> =>
  place.measure(['run', 'avalanche', ...targetFlags(target), ...more]);

/** The kept result of an avalanche, its books checked. */
export function soundBooks(ended: Ended): { result: RunResult; books: Record<string, number> } {
  const result = keptResult(ended);
  expect(result.verdict.evidence.filter(({ rule }) => rule === 'ledger-broken')).toEqual([]);
  return { result, books: result.ledger as Record<string, number> };
}

/** What a run says in which everybody came back. */
export function allBack(ended: Ended, clients: number): RunResult {
  const { result, books } = soundBooks(ended);
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  expect(voidedBy(result)).toEqual([]);
  expect(ended.code).toBe(exitOf(result));
  const all = { asked: clients, opened: clients, provenBefore: clients, cut: clients, back: clients, proven: clients };
  expect(books).toMatchObject({ ...all, neverCut: 0, notBack: 0, backUnproven: 0 });
  const { disconnect, offline, back, backAfter } = result.metrics;
  for (const metric of [disconnect, offline, back, backAfter]) expect(metric?.count).toBe(clients);
  // The last of them has the share of all, to the millisecond that the ledger knows.
  expect(Math.floor((backAfter?.max ?? 0) / 1000)).toBe(books.backAfterMs100);
  expect(books.backAfterMs50).toBeLessThanOrEqual(books.backAfterMs95 as number);
  const proofs = result.environment.timeline.back ?? [];
  expect(proofs.reduce((sum, each) => sum + each, 0)).toBe(books.returns);
  return result;
}

/** Shell text that starts a server of ours in the background, on the port that another one had. */
export const startAgain = (port: number, server = ws, orders = ''): string =>
  `'${process.execPath}' '${built(server)}' --host 127.0.0.1 --port ${port} ${orders} > /dev/null 2>&1 &`;
