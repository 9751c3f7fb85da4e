import type { ShardSecond } from '../../../src/contract/shard.js';

/** What a bench-runner took and used over whole seconds. */
export interface Window {
  elapsedMs: number;
  deliveries: number;
  cpuUs: number;
}

/**
 * The longest stretch of a shard's seconds in which deliveries lie between two totals: from the end of the warm-up to
 * the first second that has all. Throws if that is no whole second.
 */
export function windowOf(seconds: readonly ShardSecond[], from: number, to: number): Window {
  const received = ({ progress }: ShardSecond): number => progress.received ?? 0;
  const isOver = seconds.findIndex((second) => received(second) >= to);
  const inside = (isOver < 0 ? seconds : seconds.slice(0, isOver + 1)).filter((second) => received(second) >= from);
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last || first === last) throw new Error('the load ended before a whole second was measured');
  const cpuUs = inside.slice(1).reduce((sum, { atMs, rig }, index) => {
    const sinceMs = atMs - (inside[index] as ShardSecond).atMs;
    return sum + rig.cpuCores * sinceMs * 1000;
  }, 0);
  return { elapsedMs: last.atMs - first.atMs, deliveries: received(last) - received(first), cpuUs };
}
