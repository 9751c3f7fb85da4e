import { expect } from 'vitest';
import type { RunResult } from '../src/results/result.js';
import type { Ended } from './command.js';
import { keptResult } from './workplace.js';

/** Flags of a small idle run; `more` comes last and wins. */
export function idleFlags(connections: number, more: readonly string[] = []): string[] {
  const sizes = { clients: connections, 'ramp-rate': '503/s', settle: '200ms', duration: '1s' };
  return [...Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]), ...more];
}

const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, each) => sum + each, 0);

/** The ledger of a run of held or made connections. */
export function capacityBooks({ ledger }: Pick<RunResult, 'ledger'>) {
  const { lostByCause, failedByCause, ...entries } = ledger;
  return { ...(entries as Record<string, number>), lostByCause, failedByCause } as {
    asked: number;
    opened: number;
    peak: number;
    held: number;
    proven: number;
    lost: number;
    lostByCause: Record<string, number>;
    failedByCause: Record<string, number>;
  };
}

/** The kept result of an idle run: its sums hold but for so many `breaks`, and its timeline has the same counts. */
export function heldResult(ended: Ended, breaks = 0): RunResult {
  const result = keptResult(ended);
  const { asked, opened, peak, held, lost, lostByCause, failedByCause } = capacityBooks(result);
  expect(opened).toBe(held + lost);
  expect(lost).toBe(total(lostByCause));
  expect(asked).toBe(opened + total(failedByCause));
  expect(peak).toBeLessThanOrEqual(opened);
  const { unproven: _unproven, ...closedByCause } = lostByCause;
  const { 'not-started': _notStarted, ...failed } = failedByCause;
  const counted = Object.entries(result.environment.timeline).map(([name, seconds]) => [
    name,
    seconds.reduce((sum, each) => sum + each, 0),
  ]);
  expect(Object.fromEntries(counted)).toEqual({
    ...(opened > 0 ? { opened } : {}),
    ...Object.fromEntries(Object.entries(closedByCause).map(([cause, times]) => [`closed ${cause}`, times])),
    ...Object.fromEntries(Object.entries(failed).map(([cause, times]) => [`failed ${cause}`, times])),
  });
  const broken = result.verdict.evidence.filter(({ rule }) => rule === 'ledger-broken');
  expect(broken).toHaveLength(breaks);
  return result;
}
