import { join } from 'node:path';
import { ProblemError, problem } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { summarize } from '../../measure/samples/distribution.js';
import { isAtMost, isWrong } from '../../measure/stats/envelope.js';
import { type Calibration, type CalibrationPoint, calibrationFile } from '../../results/calibration.js';
import { keepDocument, keeping, resultDirectory } from '../../results/keep.js';
import { type RigLoad, type RunResult, resultVersion } from '../../results/result.js';
import { loadOptions, scenarioByName } from '../../run/catalog.js';
import { keepTrust, machineIdOf, trustFileOf } from '../../run/judge/trust.js';
import type { Plan } from '../../run/plan/plan.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { type RunContext, run } from '../../run/run.js';
import { type RunningTarget, startTarget } from '../../targets/launch/process.js';
import { TargetStartError } from '../../targets/launch/start-error.js';
import type { CalibrateOptions } from './calibrate-options.js';
import type { GridPoint } from './calibration-grid.js';
import { fetchTruth, type Truth } from './known-truth.js';

/** What a calibration is given, and whom to tell. */
export interface CalibrateContext extends RunContext {
  /** Called before each point: `number` from 1 of `of`. */
  begins(point: GridPoint, number: number, of: number): void;
  finished(): void;
}

/**
 * Holds the rig against known truth, point by point from the lightest. A load as hard as one that was wrong is left out. Keeps the
 * calibration beside its runs, and for the machine. Throws `ProblemError` when a metronome can't be started.
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
  const { machine } = await shard.info();
  const points: CalibrationPoint[] = [];
  const skipped: RigLoad[] = [];
  for (const [index, gridPoint] of grid.entries()) {
    if (context.interrupt.aborted) break;
    if (isHopeless(gridPoint, points)) {
      skipped.push(gridPoint.load);
      continue;
    }
    context.begins(gridPoint, index + 1, grid.length);
    points.push(await settle(() => measure(gridPoint, directory, options, context)));
    context.finished();
  }
  const found: Calibration = {
    schema: resultVersion,
    tool: thisTool,
    startedAt,
    machine,
    machineId: machineIdOf(machine),
    orders: grid[0]?.orders ?? {},
    boundUs: options.boundMs * 1000,
    points,
    skipped,
  };
  await keeping(directory, context.notKept, () => keepDocument(join(directory, calibrationFile), found));
  const trustFile = trustFileOf(options.trustDir, found.machineId);
  await keeping(trustFile, context.notKept, () => keepTrust(options.trustDir, found));
  return { found, directory, trustFile };
}

/** Whether a load as light, on the same rig against the same metronome, was wrong already. */
function isHopeless({ load, target }: GridPoint, points: readonly CalibrationPoint[]): boolean {
  return points.some(
    (point) =>
      isWrong(point) &&
      point.target === target.name &&
      point.load.client === load.client &&
      point.load.workers === load.workers &&
      isAtMost(point.load, load),
  );
}

/** A machine has bad moments: what is off is measured twice more, and the middle of the three stands. A wrong count stands at once. */
async function settle(measureOnce: () => Promise<CalibrationPoint>): Promise<CalibrationPoint> {
  const first = await measureOnce();
  if (first.isTrusted || !first.areCountsExact) return first;
  const all = [first, await measureOnce(), await measureOnce()];
  const wrong = all.find(({ areCountsExact }) => !areCountsExact);
  const byError = all.sort((a, b) => sizeOf(a.error.p99) - sizeOf(b.error.p99));
  return wrong ?? (byError[1] as CalibrationPoint);
}

/** An error that nobody knows is larger than any. */
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
    const { result, series, directory: kept } = await run(plan, context);
    const warmUp = plan.options.warmUp as number;
    const sentAtUs = series.sentAtUs ?? new Uint32Array(0);
    const truth = await fetchTruth(metronome.endpoints.wsUrl, result.job.stream, warmUp, sentAtUs);
    return { load, target: target.name, ...heldAgainst(truth, result, options.boundMs * 1000), directory: kept };
  } finally {
    await metronome.stop();
  }
}

/** What a metronome drops never comes: the drain then lasts this long. Longer than the largest delay that it caps. */
const drainMs = 2000;

/** The metronome is reached like a target that somebody else started: its record must be read before it ends. */
function planOf(
  { load, target }: GridPoint,
  metronome: RunningTarget,
  directory: string,
  options: CalibrateOptions,
): Plan {
  const scenario = scenarioByName('latency');
  if (!scenario) throw new Error('there is no scenario latency');
  const { subscribers, ratePerSecond, payloadBytes, client, workers } = load;
  const { broadcasts, trustDir, seed = 1 } = options;
  const { wsUrl, publishUrl, statsUrl } = metronome.endpoints;
  return {
    scenario,
    options: scenario.options.parse({ subscribers, ratePerSecond, payloadBytes, broadcasts, drainMs }),
    load: loadOptions.parse({ client, workers }),
    fleet: { ...fleetOptions.parse({}), localShards: load.shards, trustDir, resultsDir: directory, seed },
    target: {
      isOurs: false,
      name: target.name,
      protocol: target.protocol,
      protocolOptions: {},
      wsUrl,
      publishUrl,
      statsUrl,
      metricsUrl: undefined,
      railway: undefined,
      publishHeaders: {},
    },
    thresholds: [],
    sources: {},
  };
}

/** The rig's figures and counts beside the metronome's. Too few deliveries to carry a p99 leave nothing to be trusted. */
export function heldAgainst(
  { totals, asked, done }: Truth,
  { metrics, ledger, verdict }: Pick<RunResult, 'metrics' | 'ledger' | 'verdict'>,
  boundUs: number,
): Omit<CalibrationPoint, 'load' | 'target' | 'directory'> {
  const measured = figuresOf(metrics.delivery);
  const truth = figuresOf(summarize(done));
  const error = {
    p50: less(measured.p50, truth.p50),
    p99: less(measured.p99, truth.p99),
    max: less(measured.max, truth.max),
  };
  const counted = (name: string): number => (ledger[name] as number | undefined) ?? 0;
  const counts = {
    broadcasts: { done: totals.broadcasts, measured: counted('acked') },
    delivered: { done: totals.delivered, measured: counted('delivered') },
    lost: { done: totals.dropped, measured: counted('lost') },
    duplicate: { done: totals.duplicated, measured: counted('duplicate') },
  };
  const areCountsExact = totals.isWhole && Object.values(counts).every((each) => each.done === each.measured);
  const isTrusted = areCountsExact && sizeOf(error.p99) <= boundUs;
  return {
    asked: figuresOf(summarize(asked)),
    done: truth,
    measured,
    error,
    counts,
    areCountsExact,
    isTrusted,
    rig: verdict.rig,
  };
}

interface Figures {
  p50: number | null;
  p99: number | null;
  max: number | null;
}

function figuresOf(summary: Figures | undefined): Figures {
  return { p50: summary?.p50 ?? null, p99: summary?.p99 ?? null, max: summary?.max ?? null };
}

function less(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one - other;
}
