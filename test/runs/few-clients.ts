import { expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { exitOf, keptResult, voidedBy, workplace } from '../workplace.js';

const place = workplace();

/** A run that went to its end with numbers that stand for something; each worker that there was had a client. */
export async function ended(scenario: string, sizes: Record<string, string | number>, shards = 1): Promise<RunResult> {
  const flags = Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const command = await place.measure(['run', scenario, '--target', 'ws', ...flags], shards);
  const result = keptResult(command);
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  expect(voidedBy(result)).toEqual([]);
  expect(command.code).toBe(exitOf(result));
  return result;
}

export const asked = ({ shards }: RunResult) =>
  shards.map(({ state, result }) => [state, result?.counts.asked ?? 0, result?.workers]);
