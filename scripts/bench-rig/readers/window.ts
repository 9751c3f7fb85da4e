import type { ShardSecond } from '../../../src/contract/shard.js';

/** What a bench-runner took and used over whole seconds. */
export interface Window {
  deliveries: number;
  cpuUs: number;
}

/**
 * The longest stretch of a shard's seconds in which all deliveries lie between two totals: behind the warm-up, before
 * the end. Throws if no second does.
 */
export function windowOf(seconds: readonly ShardSecond[], from: number, to: number): Window {
  const received = ({ progress }: ShardSecond): number => progress.received ?? 0;
  const inside = seconds.filter((second) => received(second) >= from && received(second) < to);
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last || first === last) throw new Error('the load ended before a whole second was measured');
  const cpuUs = inside.slice(1).reduce((sum, { atMs, rig }, index) => {
    const sinceMs = atMs - (inside[index] as ShardSecond).atMs;
    return sum + rig.cpuCores * sinceMs * 1000;
  }, 0);
  return { deliveries: received(last) - received(first), cpuUs };
}
