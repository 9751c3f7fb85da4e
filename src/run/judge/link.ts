import { percentile, percentiles, type Summary } from '../../measure/samples/distribution.js';
import type { Samples } from '../../measure/samples/samples.js';
import { lateShare, tcpInWords } from '../../measure/tcp.js';
import type { LinkFacts } from '../../measure/verdict/facts.js';
import type { RunResult } from '../../results/result.js';
import { tcpOf } from '../../results/tcp.js';
import type { Scenario } from '../../scenarios/scenario.js';

/** What the network of a run lost, and what its figures are at least without that; undefined where it lost nothing, or nobody counted. */
export function linkFacts(
  { metrics }: Scenario,
  shards: RunResult['shards'],
  samples: Readonly<Record<string, Samples>>,
  summaries: Readonly<Record<string, Summary>>,
): LinkFacts | undefined {
  const counts = tcpOf(shards);
  const share = counts === undefined ? 0 : lateShare(counts);
  if (counts === undefined || share === 0) return undefined;
  const least = Object.entries(metrics).flatMap(([name, { of, stampedBy, isTargetsClock }]) => {
    const all = samples[name];
    if (of !== 'target' || stampedBy === 'ramp' || isTargetsClock || !all) return [];
    const unfinished = summaries[name]?.unfinished ?? 0;
    const without = (p: number): number | null => percentile(all, Math.max(0, p - share), unfinished);
    const figures = Object.entries(percentiles).map(([figure, p]) => [figure, without(p)] as const);
    return [[name, { ...Object.fromEntries(figures), max: without(1) } as LinkFacts['least'][string]]] as const;
  });
  return { lateShare: share, text: tcpInWords(counts), least: Object.fromEntries(least) };
}
