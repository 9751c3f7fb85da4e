import type { Scenario } from '../contract/catalog.js';
import type { RunResult } from '../contract/result.js';
import type { ShardResult } from '../contract/shard.js';
import { type Stop, type StopCode, stopReasons } from '../contract/stop-reasons.js';
import { sumCounts } from '../measure/sums.js';
import type { ShardFacts } from '../measure/verdict.js';
import { causesInWords } from '../report/figures.js';
import type { Collected } from './collect.js';
import type { WatchEnd } from './watch.js';

const kindOf = (cause: string): string => cause.split(':')[0] ?? cause;
const timeouts = ['connect-timeout', 'subscribe-timeout', 'heartbeat-timeout'];
const stopOfCause: Readonly<Record<string, StopCode>> = {
  'ports-exhausted': 'portsExhausted',
  'descriptors-exhausted': 'descriptorsExhausted',
  ...Object.fromEntries(timeouts.map((cause) => [cause, 'handshakeTimeouts' as const])),
};

/** What ended a run, once all is known: the driver's own sight, a shard's, or what the causes and the ledger say. */
export function stopOf(end: WatchEnd | undefined, collected: Collected, ledger: Record<string, number>): Stop {
  if (end?.code === 'audienceShort') return audienceStop(end.evidence, collected);
  if (end) return end;
  // A shard can still be lost on the way of its samples, when the watch is over.
  const lost = collected.parts.filter(({ state }) => state === 'lost');
  if (lost.length > 0) return { code: 'shardLost', evidence: lost.map(({ url, why }) => `${url}: ${why}`) };
  const { attempted = 0, acked = 0 } = ledger;
  if (attempted > 0 && acked === 0) {
    return {
      code: 'publishRefused',
      evidence: [`${attempted} publishes, none acked: ${causesInWords(collected.causes.publish ?? {})}`],
    };
  }
  return { code: 'completed', evidence: [] };
}

/** The most frequent cause for which clients failed says what stopped the ramp; a target that cuts the connections refuses, too. */
function audienceStop(evidence: string[], { causes }: Collected): Stop {
  const failures = sumCounts([causes.connect ?? {}, causes.close ?? {}]);
  const [commonest] = Object.entries(failures).sort(([, a], [, b]) => b - a);
  const code = stopOfCause[kindOf(commonest?.[0] ?? '')] ?? 'refused';
  return { code, evidence: commonest ? [...evidence, causesInWords(failures)] : evidence };
}

/** The title of what cut a run short; undefined for one that went to its end. */
export function cutShortBy(stop: Stop): string | undefined {
  return stopReasons[stop.code].isComplete ? undefined : stopReasons[stop.code].title;
}

/** What the verdict needs to know of each shard. */
export function shardFacts(scenario: Scenario, results: readonly ShardResult[]): ShardFacts[] {
  return results.map((result) => ({
    label: `shard ${result.slice.index}`,
    asked: result.counts.asked ?? 0,
    ready: result.counts[scenario.readyCount] ?? 0,
    published: result.counts.attempted ?? 0,
    received: result.counts.received ?? 0,
    descriptorsUsed: result.rig.shard.descriptorsUsed,
    descriptorLimit: result.rig.shard.descriptorLimit,
    workers: result.rig.workers.map((worker) => ({
      ...worker,
      label: worker.role === 'publisher' ? 'publisher' : `worker ${worker.index}`,
      holdsSubscribers: worker.role === 'audience',
    })),
  }));
}

/** How a run ends for the shell: the gravest of its stop reason and its verdict. */
export function exitOf(result: Pick<RunResult, 'stop' | 'verdict'>) {
  const byStop = stopReasons[result.stop.code].exit;
  return byStop !== 'clean' ? byStop : result.verdict.rig === 'clean' ? 'clean' : 'rig';
}
