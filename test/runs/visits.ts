import { expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { broadcastBooks, soundResult, targetFlags } from '../latency.js';
import { exitOf, workplace } from '../workplace.js';

export const place = workplace();

/** Seven subscribers, eleven visitors who come within a second, seven of whom leave again, and five who follow. */
export const [subscribers, visits] = [7, 16];
const stages = '1s:11,500ms:4,1s:9';

const sizes = { clients: subscribers, stages, 'warm-up': 3, drain: '3s', seed: 7 };

/** Runs a scenario with visitors, and checks what holds of every such run. */
export async function visited(scenario: string, target: string[], shards = 1): Promise<RunResult> {
  const broadcasts = scenario === 'soak-and-burst' ? [] : ['--rate', '20/s', '--broadcasts', '57'];
  const flags = [...Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]), ...broadcasts];
  const ended = await place.measureWhole(['run', scenario, ...target, ...flags], shards);
  const result = soundResult(ended);
  expect(ended.code).toBe(exitOf(result));
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  const failures = { visitsFailed: 0, visitsFailedByCause: {}, visitsCut: 0, visitsCutByCause: {}, visitsNotDue: 0 };
  expect(result.ledger).toMatchObject({ visits, ...failures });
  const { expected, acked } = broadcastBooks(result);
  expect(expected).toBeGreaterThan(subscribers * acked);
  expect(expected).toBeLessThan((subscribers + 11) * acked);
  return result;
}

/** The flags of a metronome that was started with these orders. */
export const metronome = async (orders: string[]) =>
  targetFlags(await place.serve('servers/metronome/main.js', orders));
