import type { LedgerEntries, Scenario } from '../contract/catalog.js';
import { type RunResult, resultVersion, type Trust } from '../contract/result.js';
import type { ShardResult } from '../contract/shard.js';
import { version } from '../contract/version.js';
import { blocksOf } from '../measure/blocks.js';
import { drawsOf, intervalOf, resampledPercentiles } from '../measure/bootstrap.js';
import { percentiles, type Summary, summarize } from '../measure/distribution.js';
import { readMachine } from '../measure/machine.js';
import { isKept, valueFor } from '../measure/threshold.js';
import { judge } from '../measure/verdict.js';
import { wallSigns } from '../targets/observe/evidence.js';
import type { Series } from '../targets/observe/series.js';
import { sourceAddresses } from '../units/addresses.js';
import { cutShortBy, shardFacts, stopOf } from './assess.js';
import type { Collected } from './collect.js';
import { fingerprint } from './fingerprint.js';
import { footprintOf } from './footprint.js';
import { sampleFile } from './keep.js';
import { type Plan, shapeOf } from './plan.js';
import { portRanges } from './preflight.js';
import type { WatchEnd } from './watch.js';

/** What a run has gathered when it is over. */
export interface Measured {
  runId: string;
  startedAt: Date;
  elapsedMs: number;
  end: WatchEnd | undefined;
  collected: Collected;
  target: RunResult['target'];
  observations: Series[];
  /** When the load began, on the time axis of the observations. */
  loadAtMs: number;
  trust: Trust | null;
}

/** Puts a run's result together: books, distributions, stop reason and verdict. Pure but for the reading of this machine. */
export function compose(plan: Plan, measured: Measured): RunResult {
  const { scenario, options, load, fleet } = plan;
  const { collected, elapsedMs, runId, observations } = measured;
  const demand = scenario.demand(options, load);
  const books = scenario.ledger(collected);
  const { hostname } = new URL(measured.target.wsUrl);
  const addresses = sourceAddresses(load.localAddresses, hostname, demand.clients).length;
  const machine = readMachine();
  const shape = shapeOf(plan);
  const limits = { memoryBytes: fleet.targetMemoryBytes, machineMemoryBytes: machine.memoryBytes };
  const stop = stopOf(scenario, measured.end, collected, books.entries, wallSigns(observations, limits));
  const metrics = Object.fromEntries(
    Object.entries(collected.samples).map(([name, samples]) => {
      const summary = summarize(samples, scenario.metrics[name]?.unit);
      return [name, { ...summary, intervals: intervalsOf(summary, collected.series[blocksOf(name)], fleet.seed) }];
    }),
  );
  const { offeredPerSecond = null, achievedPerSecond = null } = collected.counts as Record<string, number | undefined>;
  const verdict = judge({
    cutShortBy: cutShortBy(stop, scenario),
    plannedMs: demand.durationMs,
    elapsedMs,
    offeredPerSecond,
    achievedPerSecond,
    ledgerBreaks: books.breaks,
    ledger: countsOf(books.entries),
    metrics,
    stampedBy: stampsOf(scenario),
    clockFaults: collected.counts.clockFaults ?? 0,
    calibratedErrorUs: measured.trust?.place === 'beyond' ? measured.trust.p99ErrorUs : null,
    shards: shardFacts(scenario, collected.results, {
      infos: collected.infos,
      portRanges: portRanges({ sourceAddresses: addresses, targetProcesses: fleet.targetProcesses }),
    }),
  });
  return {
    schema: resultVersion,
    tool: { name: 'ringside-bench', version },
    scenario: scenario.name,
    target: measured.target,
    job: {
      options,
      load: { ...load },
      shards: collected.parts.length,
      seed: fleet.seed,
      runId,
      stream: `ringside-${runId}`,
    },
    sources: plan.sources,
    shape,
    fingerprint: fingerprint(shape),
    startedAt: measured.startedAt.toISOString(),
    shards: collected.parts,
    ledger: books.entries,
    metrics,
    thresholds: plan.thresholds.map((threshold) => {
      const value = valueFor(threshold, metrics, books.entries);
      return { text: threshold.text, kind: threshold.kind, value, isKept: isKept(threshold, value) };
    }),
    verdict,
    stop,
    environment: {
      driver: machine,
      plannedMs: demand.durationMs,
      elapsedMs,
      offeredPerSecond,
      achievedPerSecond,
      timeline: collected.timeline,
      observations,
      footprint: footprintOf(observations, collected.timeline, measured.loadAtMs + rampAtMs(collected.results)),
      trust: measured.trust,
    },
    samples: Object.fromEntries(
      Object.entries(collected.samples).map(([name, samples]) => [
        name,
        { file: sampleFile(name), kind: samples.kind, count: metrics[name]?.count ?? 0 },
      ]),
    ),
  };
}

/** The 95 % intervals of those percentiles that the count carries. */
function intervalsOf(
  summary: Summary,
  blocks: Uint32Array | undefined,
  seed: number,
): Record<string, [number, number]> {
  const names = (Object.keys(percentiles) as (keyof typeof percentiles)[]).filter((name) => summary[name] !== null);
  const shares = names.map((name) => percentiles[name]);
  const drawn = blocks && resampledPercentiles(blocks, shares, drawsOf(seed));
  return Object.fromEntries(names.flatMap((name, index) => (drawn?.[index] ? [[name, intervalOf(drawn[index])]] : [])));
}

/** The plain counts of a ledger, without those by cause. */
function countsOf(entries: LedgerEntries): Record<string, number> {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

/** When the first shard began to open connections, after the job was posted. */
function rampAtMs(results: readonly ShardResult[]): number {
  const starts = results.flatMap(({ stages }) => stages.filter(({ name }) => name === 'ramp').map(({ atMs }) => atMs));
  return starts.length > 0 ? Math.min(...starts) : 0;
}

function stampsOf({ metrics }: Scenario): Record<string, 'audience' | 'publisher'> {
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([name, { stampedBy }]) => (stampedBy === undefined ? [] : [[name, stampedBy]])),
  );
}
