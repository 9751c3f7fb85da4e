import { soundResult } from '../latency.js';
import { workplace } from '../workplace.js';

export const place = workplace();

export const warmUp = 3;

function flags(sizes: Record<string, string | number>): string[] {
  const given = { clients: 23, broadcasts: 101, rate: '200/s', 'ramp-rate': '500/s', drain: '10s', ...sizes };
  return Object.entries({ 'warm-up': warmUp, ...given }).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
}

export const run = async (target: string[], sizes: Record<string, string | number> = {}, shards = 1) =>
  soundResult(await place.measure(['run', 'throughput', ...target, ...flags(sizes)], shards));

export const faultless = { duplicate: 0, outOfOrder: 0, late: 0, lost: 0, refused: 0, failed: 0 };

export const sum = (seconds: readonly number[] = []): number => seconds.reduce((total, each) => total + each, 0);
