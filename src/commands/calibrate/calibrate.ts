import { basename, dirname } from 'node:path';
import { median } from 'simple-statistics';
import { request } from 'undici';
import { type EngineOffer, engineProblems } from '../../contract/engine.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { summarize } from '../../measure/samples/distribution.js';
import { decodeCounts, decodeSamples, type Samples } from '../../measure/samples/samples.js';
import { isAtMost, isWrong } from '../../measure/stats/envelope.js';
import { achievedShareAllowed } from '../../measure/verdict/fleet-rules.js';
import { type Calibration, type CalibrationPoint, calibrationFile } from '../../results/calibration.js';
import { type RigLoad, type RunResult, resultVersion } from '../../results/result.js';
import { ResultStore, resultDirectory } from '../../results/store.js';
import { machineIdOf, trustFileOf } from '../../run/judge/trust.js';
import type { Plan } from '../../run/plan/plan.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { type RunContext, run } from '../../run/run.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { type RunningTarget, startTarget } from '../../targets/launch/process.js';
import { TargetStartError } from '../../targets/launch/start-error.js';
import { type MetronomeRecord, metronomeRecord, recordPaths } from '../../targets/metronome/record.js';
import { outsideText } from '../../units/text.js';
import { type CalibrateOptions, type GridPoint, latencyScenario } from './calibration-grid.js';

interface CalibrateContext extends RunContext {
  begins(point: GridPoint, number: number, of: number): void;
  finished(): void;
}

/**
 * Measures and keeps each point, the lightest first. Throws `ProblemError` if a metronome can't start, or if the native
 * engine is asked for and missing.
 */
export async function calibrate(
  grid: readonly GridPoint[],
  options: CalibrateOptions,
  context: CalibrateContext,
): Promise<{ found: Calibration; directory: string; trustFile: string }> {
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(options.resultsDir, startedAt, 'latency', 'calibrate', String(grid.length));
  const [shard] = context.shards;
  if (!shard) throw new Error('a calibration needs a bench-runner');
  const { machine, engine: offer } = await shard.info();
  const isNative = grid.some(({ load }) => load.engine === 'native');
  const lacking = isNative ? engineProblems({ client: 'wire', engine: 'native' }, [], offer) : [];
  if (lacking.length > 0) throw new ProblemError(lacking);
  const points: CalibrationPoint[] = [];
  const skipped: RigLoad[] = [];
  for (const [index, asked] of grid.entries()) {
    if (context.interrupt.aborted) break;
    const gridPoint = onEngine(asked, offer);
    if (isHopeless(gridPoint, points)) {
      skipped.push(gridPoint.load);
      continue;
    }
    context.begins(gridPoint, index + 1, grid.length);
    points.push(await settle(() => measure(gridPoint, directory, options, context)));
    context.finished();
  }
  const [machineId, boundUs] = [machineIdOf(machine), options.boundMs * 1000];
  const facts = { schema: resultVersion, tool: thisTool, startedAt, machine, machineId } as const;
  const found: Calibration = { ...facts, orders: grid[0]?.orders ?? {}, boundUs, points, skipped };
  const store = new ResultStore(context.notKept);
  await store.keep(directory, { [calibrationFile]: found });
  const trustFile = trustFileOf(options.trustDir, machineId);
  await store.keep(dirname(trustFile), { [basename(trustFile)]: found });
  return { found, directory, trustFile };
}

/** Replaces `auto` in a point by the offered engine, because a calibration names the engine that it measured. */
export function onEngine(point: GridPoint, offer: Pick<EngineOffer, 'name'>): GridPoint {
  return point.load.engine === 'auto' ? { ...point, load: { ...point.load, engine: offer.name } } : point;
}

const sameOnARig = ['client', 'engine', 'workers'] as const;

/** Returns true if a load no harder, on the same rig, was already wrong. */
function isHopeless({ load, target }: GridPoint, points: readonly CalibrationPoint[]): boolean {
  const isSameRig = (other: CalibrationPoint): boolean =>
    other.target === target.name && sameOnARig.every((key) => other.load[key] === load[key]);
  return points.some((point) => isWrong(point) && isSameRig(point) && isAtMost(point.load, load));
}

/**
 * Measures a point twice, and a third time if only one of the two is off: a machine has good and bad moments. Keeps the
 * middle error, or the larger of two. Wrong counts are kept as well.
 */
export async function settle(measureOnce: () => Promise<CalibrationPoint>): Promise<CalibrationPoint> {
  const all: CalibrationPoint[] = [];
  while (all.length < 2 || (all.length === 2 && all[0]?.isTrusted !== all[1]?.isTrusted)) {
    const one = await measureOnce();
    if (!one.areCountsExact) return one;
    all.push(one);
  }
  const byError = all.sort((a, b) => sizeOf(a.error.p99) - sizeOf(b.error.p99));
  return byError[1] as CalibrationPoint;
}

/** Returns the load that happened. It is less than was offered where the metronome fell behind. */
export function loadDone(
  load: RigLoad,
  { donePerSecond }: Pick<MetronomeTruth, 'donePerSecond'>,
): Pick<CalibrationPoint, 'load' | 'offeredPerSecond'> {
  const { ratePerSecond } = load;
  if (donePerSecond === null || donePerSecond >= ratePerSecond * achievedShareAllowed) return { load };
  return { load: { ...load, ratePerSecond: Number(donePerSecond.toPrecision(3)) }, offeredPerSecond: ratePerSecond };
}

function sizeOf(error: number | null): number {
  return error === null ? Number.POSITIVE_INFINITY : Math.abs(error);
}

async function measure(
  point: GridPoint,
  directory: string,
  options: CalibrateOptions,
  context: RunContext,
): Promise<CalibrationPoint> {
  const { target, orders, load } = point;
  const metronome = await startTarget(target, { host: '127.0.0.1', options: orders }).catch((error: unknown) => {
    if (!(error instanceof TargetStartError)) throw error;
    throw new ProblemError([problem('targetFailed', `${target.name}: ${error.why}`, error.hint)]);
  });
  try {
    const plan = planOf(point, metronome, directory, options);
    const { result, series, samples, directory: kept } = await run(plan, context);
    // The metronome drops deliveries on request, so its own record also covers only what it delivered.
    const delivery = summarize(samples.delivery ?? { kind: 'raw', values: new Uint32Array(0) });
    const warmUp = plan.options.warmUp as number;
    const sentAtUs = series.sentAtUs ?? new Uint32Array(0);
    const truth = await fetchTruth(metronome.endpoints.wsUrl, result.job.stream, warmUp, sentAtUs);
    return {
      ...loadDone(load, truth),
      target: target.name,
      ...heldAgainst(truth, { ...result, metrics: { delivery } }, options.boundMs * 1000),
      directory: kept,
    };
  } finally {
    await metronome.stop();
  }
}

/** Dropped deliveries make every drain last this long. It exceeds the metronome's largest delay. */
const drainMs = 2000;

/** Plans the metronome as an external target, because its record must be read before it ends. */
function planOf(
  { load, target }: GridPoint,
  metronome: RunningTarget,
  directory: string,
  options: CalibrateOptions,
): Plan {
  const { subscribers, ratePerSecond, payloadBytes, client, engine, workers } = load;
  const { broadcasts, trustDir, seed = 1 } = options;
  const { wsUrl, publishUrl, statsUrl } = metronome.endpoints;
  return {
    scenario: latencyScenario,
    options: latencyScenario.options.parse({ subscribers, ratePerSecond, payloadBytes, broadcasts, drainMs }),
    load: loadOptions.parse({ client, workers, engine }),
    fleet: { ...fleetOptions.parse({}), localShards: load.shards, trustDir, resultsDir: directory, seed },
    target: {
      isOurs: false,
      name: target.name,
      protocol: target.protocol,
      protocolOptions: {},
      wsUrl,
      publishUrl,
      statsUrl,
      publishHeaders: {},
    },
    thresholds: [],
    sources: {},
  };
}

/** Compares the rig's figures and counts with those of the metronome. Without a p99, a point is not trusted. */
export function heldAgainst(
  { totals, asked, done }: Pick<MetronomeTruth, 'totals' | 'asked' | 'done'>,
  { metrics, ledger, verdict }: Pick<RunResult, 'ledger' | 'verdict'> & { metrics: Record<string, Figures> },
  boundUs: number,
): Omit<CalibrationPoint, 'load' | 'offeredPerSecond' | 'target' | 'directory'> {
  const measured = figuresOf(metrics.delivery);
  const truth = figuresOf(summarize(done));
  const off = (figure: keyof Figures): number | null => {
    const [one, other] = [measured[figure], truth[figure]];
    return one === null || other === null ? null : one - other;
  };
  const error = { p50: off('p50'), p99: off('p99'), max: off('max') };
  const counted = (name: string): number => (ledger[name] as number | undefined) ?? 0;
  const counts = {
    broadcasts: { done: totals.broadcasts, measured: counted('acked') },
    delivered: { done: totals.delivered, measured: counted('delivered') },
    lost: { done: totals.dropped, measured: counted('lost') },
    duplicate: { done: totals.duplicated, measured: counted('duplicate') },
  };
  const areCountsExact = totals.isWhole && Object.values(counts).every((each) => each.done === each.measured);
  const isTrusted = areCountsExact && sizeOf(error.p99) <= boundUs;
  const figures = { asked: figuresOf(summarize(asked)), done: truth, measured, error };
  return { ...figures, counts, areCountsExact, isTrusted, rig: verdict.rig };
}

type Figures = Record<'p50' | 'p99' | 'max', number | null>;

function figuresOf(summary: Figures | undefined): Figures {
  return { p50: summary?.p50 ?? null, p99: summary?.p99 ?? null, max: summary?.max ?? null };
}

/** Describes the deliveries of one stream as a metronome was asked for them and as it made them. */
export interface MetronomeTruth {
  totals: MetronomeRecord['totals'];
  asked: Samples;
  /** Broadcasts per second that the metronome wrote; null with fewer than two. */
  donePerSecond: number | null;
  /** Latency without the rig: from the rig's stamp of the send to the metronome's of the write, first copies only. */
  done: Samples;
}

/** Fetches a metronome's record from a sequence number on. Throws an Error that names a failed request. */
export async function fetchTruth(
  wsUrl: string,
  stream: string,
  from: number,
  sentAtUs: Uint32Array,
): Promise<MetronomeTruth> {
  const at = (path: string): URL => {
    const url = new URL(path, wsUrl.replace(/^ws/, 'http'));
    url.searchParams.set('stream', stream);
    url.searchParams.set('from', String(from));
    return url;
  };
  const [summary, asked, writes] = await Promise.all([
    readBody(at(recordPaths.summary)).then((json) => metronomeRecord.parse(JSON.parse(Buffer.from(json).toString()))),
    readBody(at(recordPaths.asked)),
    readBody(at(recordPaths.writes)),
  ]);
  const written = decodeCounts(writes);
  const done = doneSinceSent(summary.broadcasts, written, (sequence) => sentAtUs[sequence - from] ?? 0);
  const donePerSecond = rateOf(summary.broadcasts, written);
  return { totals: summary.totals, asked: decodeSamples(asked), done, donePerSecond };
}

/** Adds the time from the send to the metronome's read to each of its delays. Times are microseconds modulo 2^32. */
export function doneSinceSent(
  broadcasts: readonly { sequence: number; receivedAtNs: number }[],
  writes: Uint32Array,
  sentAtUs: (sequence: number) => number,
): Samples {
  const wayOf = (sequence: number, receivedAtNs: number) =>
    (Math.floor(receivedAtNs / 1000) - sentAtUs(sequence)) >>> 0;
  const wayUs = new Map(broadcasts.map(({ sequence, receivedAtNs }) => [sequence, wayOf(sequence, receivedAtNs)]));
  const values = new Uint32Array(writes.length / 2);
  for (let pair = 0; pair < values.length; pair++) {
    values[pair] = (wayUs.get(writes[2 * pair] as number) ?? 0) + (writes[2 * pair + 1] as number);
  }
  return { kind: 'raw', values: values.sort() };
}

/**
 * Returns the broadcasts written per second, from the middle write of the first broadcast to that of the last. A
 * backlog makes the last one late.
 */
export function rateOf(
  broadcasts: readonly { sequence: number; receivedAtNs: number }[],
  writes: Uint32Array,
): number | null {
  const delaysUs = new Map<number, number[]>();
  for (let at = 0; at < writes.length; at += 2) {
    const [sequence, us] = [writes[at] as number, writes[at + 1] as number];
    const delays = delaysUs.get(sequence);
    if (delays) delays.push(us);
    else delaysUs.set(sequence, [us]);
  }
  const moments = broadcasts
    .flatMap(({ sequence, receivedAtNs }) => {
      const delays = delaysUs.get(sequence);
      return delays ? [{ sequence, us: receivedAtNs / 1000 + median(delays) }] : [];
    })
    .sort((one, other) => one.sequence - other.sequence);
  const [first, last] = [moments[0], moments.at(-1)];
  if (first === undefined || last === undefined || last.us <= first.us) return null;
  return ((last.sequence - first.sequence) * 1e6) / (last.us - first.us);
}

async function readBody(url: URL): Promise<Uint8Array> {
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${outsideText(await body.text())}`);
  return new Uint8Array(await body.arrayBuffer());
}
