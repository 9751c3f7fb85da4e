import { engineBreaks } from '../../contract/engine.js';
import type { DescribedModule } from '../../contract/job.js';
import { isPart } from '../../contract/stop-reasons.js';
import { thisTool } from '../../contract/version.js';
import { isSilent, talkTogether } from '../../measure/causes.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import { metricSpec, metricSpecs } from '../../measure/metric-names.js';
import { readMachine } from '../../measure/rig/machine.js';
import { binsPerBlock, blocksOf } from '../../measure/samples/blocks.js';
import { percentile, percentiles, type Summary, spansOf, summarize } from '../../measure/samples/distribution.js';
import { keptKind, type Samples, sampleCount } from '../../measure/samples/samples.js';
import type { Series } from '../../measure/series.js';
import { levelOf } from '../../measure/stats/checks.js';
import { intervalsOf } from '../../measure/stats/estimate.js';
import { fitLine } from '../../measure/stats/trend.js';
import { lateShare, tcpInWords } from '../../measure/tcp.js';
import { isKept, isUndecided, valueFor } from '../../measure/threshold.js';
import type { LinkFacts, RuledBound, RunFacts, ThresholdFacts } from '../../measure/verdict/facts.js';
import { leastUs } from '../../measure/verdict/facts.js';
import { judge } from '../../measure/verdict/verdict.js';
import type { CoreWaits } from '../../measure/waits.js';
import { protocolWith } from '../../protocols/list.js';
import { independentOf, unfinishedOf } from '../../results/figures.js';
import { fingerprint } from '../../results/likeness.js';
import { rampReadings, seriesIn } from '../../results/over-time/readings.js';
import { type GaugeSeries, gaugeTable, wholeRun } from '../../results/progress.js';
import {
  type Attached,
  type RunResult,
  resultVersion,
  type SpanSummary,
  stalledShareOf,
  type Trust,
  tcpOf,
} from '../../results/result.js';
import { blockFile, sampleFile } from '../../results/store.js';
import { shownLoad } from '../../scenarios/load-options.js';
import { clientsBegun, loginStage } from '../../scenarios/rounds.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { wallSigns } from '../../targets/observe/evidence.js';
import { firstHost, sourceAddresses } from '../../units/addresses.js';
import type { SeenRun } from '../attach/handover.js';
import { describedOnly } from '../flow/read-modules.js';
import { type Plan, shapeOf } from '../plan/plan.js';
import { portRanges, targetPortsOf } from '../plan/preflight.js';
import type { Collected } from '../shards/collect.js';
import { coveredMs } from '../shards/member.js';
import { stagesOfShards } from '../timeline/live-timeline.js';
import { advised, cutShortBy, shardFacts, stopOf } from './assess.js';
import { talkInWords } from './proposals.js';
import { nothingOf, waitFacts } from './shortfall.js';

/** Returns true if only their order tells the echoes of a run apart. */
function isPairedInOrder({ scenario, options, target }: Pick<Plan, 'scenario' | 'options' | 'target'>): boolean {
  const protocol = protocolWith(target.protocol, target.protocolOptions ?? {});
  return scenario.needs(options).includes('echo') && protocol?.isPairedInOrder === true;
}

/** Holds the data of a finished run: the records of its driver, and the measurements of its shards. */
export interface Measured extends Omit<SeenRun, 'counts' | 'silences'> {
  runId: string;
  startedAt: Date;
  collected: Collected;
  target: RunResult['target'];
  coreWaits?: CoreWaits | undefined;
  trust: Trust | null;
  attached?: Attached | undefined;
}

/** Builds the result of a run. Pure, except that it reads this machine. */
export function composeRun(plan: Plan<DescribedModule>, measured: Measured): RunResult {
  const { scenario, options, load, fleet, modules } = plan;
  const { collected, elapsedMs, runId, observations } = measured;
  const demand = scenario.demand(options, load);
  const books = scenario.ledger(collected);
  const host = firstHost(measured.target.wsUrl, load.proxy);
  const addresses = sourceAddresses(load.localAddresses, host, demand.clients);
  const machine = readMachine();
  const shape = shapeOf(plan);
  const limits = { memoryBytes: fleet.targetMemoryBytes, machineMemoryBytes: machine.memoryBytes };
  const metrics = Object.fromEntries(
    Object.entries(collected.samples).map(([name, samples]) => {
      const spec = metricSpec(scenario, name);
      const came = sampleCount(samples);
      const unfinished = unfinishedOf(spec, came, books.entries) + (books.unfinished?.[name] ?? 0);
      const independent = books.independent?.[name] ?? independentOf(spec, came + unfinished, books.entries);
      const summary = summarize(samples, spec?.unit, unfinished, independent);
      const level = levelOf(name, plan.until);
      const intervals = intervalsOf(summary, collected.series[blocksOf(name)], fleet.seed, level);
      return [name, { ...summary, intervals }];
    }),
  );
  const declared = metricSpecs(scenario, Object.keys(metrics));
  const stages = stagesOfShards(
    collected.results.map((result) => result.stages),
    measured.postedAtMs,
  );
  const loadAtMs = stages.find(({ name }) => name === 'ramp')?.fromMs ?? measured.postedAtMs;
  const series = seriesIn({ observations, loadAtMs });
  const thresholds = plan.thresholds.map((threshold) => ({
    ...threshold,
    value: valueFor(threshold, metrics, books.entries, series),
  }));
  const walls = wallSigns(observations, limits);
  const found = stopOf(scenario, measured.end, collected, books.entries, walls, thresholds);
  const talk = talkTogether(collected.results.map((result) => result.talk));
  const stop = advised(found, { ...collected, talk }, plan.target.protocol);
  const counts = collected.counts as Record<string, number | undefined>;
  const { offeredPerSecond = null, achievedPerSecond = null, unmetPerSecond = 0, withheld = 0 } = counts;
  // A run that ended before its last round asked for no further clients. A completed run asked for all of them.
  const asked =
    stop.code === 'completed'
      ? demand.clients
      : clientsBegun({ ...scenario, options }, demand.clients, new Set(stages.map(({ name }) => name)));
  // A run that ends before its planned end decides its number of broadcasts.
  const measuredBroadcasts = isPart(stop.code) || stop.code === 'knownEnough' ? undefined : demand.measuredBroadcasts;
  const login = stages.find(({ name }) => name === loginStage.name);
  const loginMs = login ? login.toMs - login.fromMs : 0;
  const cutShort = cutShortBy(stop, scenario);
  const nothing = cutShort === undefined ? nothingOf(scenario, books.entries, thresholds) : [];
  const facts: RunFacts = {
    cutShortBy: cutShort,
    nothingDelivered: nothing.join('; ') || undefined,
    plannedMs: demand.durationMs,
    // Logins are no delay of the schedule, nor are waits for other runs or for a shard that was cut off.
    elapsedMs:
      elapsedMs - loginMs - measured.waitedMs - coveredMs(collected.parts.flatMap(({ silences = [] }) => silences)),
    lostShards: collected.parts.filter(({ state }) => state === 'lost').length,
    offeredPerSecond,
    achievedPerSecond,
    unmetPerSecond,
    withheld,
    ledgerBreaks: [...books.breaks, ...engineBreaks(collected.results.flatMap(({ rig }) => rig.engines ?? []))],
    ledger: countsOf(books.entries),
    metrics,
    declared,
    clockFaults: collected.counts.clockFaults ?? 0,
    calibratedErrorUs: measured.trust?.place === 'beyond' ? measured.trust.p99ErrorUs : null,
    demanded: { clients: asked, broadcasts: measuredBroadcasts ?? null },
    link: linkFacts({ metrics: declared }, collected.parts, collected.samples, metrics),
    waits: waitFacts({ ...scenario, metrics: declared }, { ...collected, metrics, stages }, measured.coreWaits),
    shards: shardFacts(collected.results, {
      infos: collected.infos,
      portRanges: portRanges({ sourceAddresses: addresses, targetPorts: targetPortsOf(plan) }),
      demand: { ...demand, measuredBroadcasts },
    }),
  };
  const verdict = judge(facts);
  return {
    schema: resultVersion,
    tool: thisTool,
    scenario: scenario.name,
    target: measured.target,
    job: {
      options,
      load: shownLoad(load),
      shards: collected.parts.length,
      seed: fleet.seed,
      runId,
      stream: `ringside-${runId}`,
      ...(plan.until !== undefined && { until: plan.until }),
    },
    sources: plan.sources,
    shape,
    fingerprint: fingerprint(shape),
    startedAt: measured.startedAt.toISOString(),
    shards: collected.parts,
    ledger: books.entries,
    metrics,
    thresholds: thresholds.map((threshold) => thresholdOf(threshold, facts, verdict.bounds)),
    verdict,
    stop,
    environment: {
      driver: machine,
      plannedMs: demand.durationMs,
      elapsedMs,
      offeredPerSecond,
      achievedPerSecond,
      loadAtMs,
      stages,
      timeline: collected.timeline,
      observations,
      gauges: [...measured.gauges, ...backlogSeries(scenario, collected, loadAtMs)],
      overTime: overTimeOf(scenario, options, collected, stages),
      footprint: bytesPerClient(observations, collected.timeline, loadAtMs),
      trust: measured.trust,
      ...(measured.attached && { attached: measured.attached }),
    },
    samples: Object.fromEntries(
      Object.entries(collected.samples).map(([name, samples]) => [
        name,
        { file: sampleFile(name), kind: keptKind(samples), count: metrics[name]?.count ?? 0 },
      ]),
    ),
    blocks: Object.fromEntries(
      Object.keys(collected.samples).flatMap((name) => {
        const count = (collected.series[blocksOf(name)]?.length ?? 0) / binsPerBlock;
        return count > 0 ? [[name, { file: blockFile(name), count }]] : [];
      }),
    ),
    ...(!isSilent(talk) && { talk: talkInWords(talk, plan.target) }),
    ...(isPairedInOrder(plan) && { isPairedInOrder: true as const }),
    ...(modules && { modules: modules.map(describedOnly) }),
  };
}

/** A threshold is undecided if the range of its figure, or a bound of the load generator, contains its limit. */
function thresholdOf(
  threshold: ThresholdFacts,
  facts: RunFacts,
  bounds: readonly RuledBound[] = [],
): RunResult['thresholds'][number] {
  const { text, kind, value } = threshold;
  const least = threshold.kind === 'figure' ? leastUs(facts, bounds, threshold.metric, threshold.figure) : null;
  const isOpen = value !== null && least !== null && isUndecided(threshold, least, value);
  return { text, kind, value, isKept: isKept(threshold, value), ...(isOpen && { undecidedFromUs: least }) };
}

function countsOf(entries: LedgerEntries): Record<string, number> {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

function overTimeOf(
  scenario: Scenario,
  options: Record<string, unknown>,
  { series }: Collected,
  stages: RunResult['environment']['stages'],
): Record<string, SpanSummary[]> {
  return Object.fromEntries(
    Object.entries(scenario.blockTimes?.(options) ?? {}).flatMap(([metric, times]) => {
      const counts = series[blocksOf(metric)];
      const stage = stages.find(({ name }) => name === times.stage);
      return counts && stage ? [[metric, spansOf(counts, times, stage.fromMs)]] : [];
    }),
  );
}

function backlogSeries(scenario: Scenario, collected: Collected, loadAtMs: number): GaugeSeries[] {
  const points = scenario
    .backlog?.(collected)
    .map((value, second) => ({ atMs: loadAtMs + (second + 1) * 1000, value }));
  return points?.length ? [{ source: wholeRun, name: 'backlog', unit: gaugeTable.backlog.unit, points }] : [];
}

/** Points below which the error of the slope would be a guess. */
const pointsNeeded = 8;

/** Returns the slope of resident bytes over open connections in the ramp; null with too few points. */
export function bytesPerClient(
  series: readonly Series[],
  timeline: Readonly<Record<string, number[]>>,
  loadAtMs: number,
): RunResult['environment']['footprint'] {
  const fit = fitLine(rampReadings(series, timeline, loadAtMs));
  return fit && fit.points >= pointsNeeded
    ? { bytesPerConnection: fit.slope, errorBytes: fit.slopeError, points: fit.points }
    : null;
}

/** Returns the TCP losses of a run, with its figures without them; undefined without losses or counts. */
export function linkFacts(
  { metrics }: Pick<Scenario, 'metrics'>,
  shards: RunResult['shards'],
  samples: Readonly<Record<string, Samples>>,
  summaries: Readonly<Record<string, Summary>>,
): LinkFacts | undefined {
  const counts = tcpOf(shards);
  const share = counts === undefined ? 0 : lateShare(counts, stalledShareOf(shards));
  if (counts === undefined || share === 0) return undefined;
  const least = Object.entries(metrics).flatMap(([name, { of, stampedBy, isTargetsClock }]) => {
    const all = samples[name];
    if (of !== 'target' || stampedBy === 'ramp' || isTargetsClock || !all) return [];
    const unfinished = summaries[name]?.unfinished ?? 0;
    const without = (p: number): number | null => percentile(all, Math.max(0, p - share), unfinished);
    const figures = Object.entries(percentiles).map(([figure, p]) => [figure, without(p)] as const);
    return [[name, { ...Object.fromEntries(figures), max: without(1) }]] as const;
  });
  return { lateShare: share, text: tcpInWords(counts), least: Object.fromEntries(least) };
}
