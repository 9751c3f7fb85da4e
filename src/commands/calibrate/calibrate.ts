import { basename, dirname } from 'node:path';
import { type EngineOffer, engineProblems } from '../../contract/engine.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { type Cell, type ExperimentContext, type Order, oneRun, runInOrder } from '../../experiment/cells.js';
import { askedOf, openJournal } from '../../experiment/journal.js';
import { summarize } from '../../measure/samples/distribution.js';
import { isAtMost, isWrong } from '../../measure/stats/envelope.js';
import { type Calibration, type CalibrationPoint, calibrationPoint } from '../../results/calibration.js';
import { experimentFile } from '../../results/journal.js';
import { type RigLoad, resultVersion } from '../../results/result.js';
import { ResultStore, resultDirectory } from '../../results/store.js';
import { machineIdOf, trustFileOf } from '../../run/judge/trust.js';
import type { Plan } from '../../run/plan/plan.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { run } from '../../run/run.js';
import type { PlannedTarget } from '../../run/server/planned.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { startTarget } from '../../targets/launch/process.js';
import { TargetStartError } from '../../targets/launch/start-error.js';
import type { Target } from '../../targets/target.js';
import { type CalibrateOptions, type GridPoint, latencyScenario } from './calibration-grid.js';
import { errorSize, fetchTruth, heldAgainst, loadDone } from './truth.js';

/** Measures and keeps each point, the lightest first. Throws `ProblemError` without a metronome or the engine. */
export async function calibrate(
  grid: readonly GridPoint[],
  options: CalibrateOptions,
  context: ExperimentContext,
): Promise<{ found: Calibration; directory: string; trustFile: string; isWhole: boolean }> {
  const startedAt = new Date().toISOString();
  const [shard] = context.shards;
  if (!shard) throw new Error('a calibration needs a bench-runner');
  const { machine, engine: offer } = await shard.info();
  const isNative = grid.some(({ load }) => load.engine === 'native');
  const lacking = isNative ? engineProblems({ client: 'wire', engine: 'native' }, [], offer) : [];
  if (lacking.length > 0) throw new ProblemError(lacking);
  const { seed = 1, resume, broadcasts } = options;
  const [machineId, boundUs] = [machineIdOf(machine), options.boundMs * 1000];
  const cells = grid.map((each, index) => cellOf(onEngine(each, offer), `${index + 1}/${grid.length}`, options));
  const store = new ResultStore(context.notKept);
  const loads = cells.map(({ point: { load, target, orders } }) => JSON.stringify([target.name, load, orders]));
  const journal = await openJournal(
    resume ?? resultDirectory(options.resultsDir, startedAt, 'latency', 'calibrate', String(grid.length)),
    { seed, startedAt, asked: askedOf([], { machine: machineId, bound: boundUs, broadcasts, loads }) },
    resume,
    store,
  );
  const { directory } = journal;
  const points: CalibrationPoint[] = [];
  const skipped: RigLoad[] = [];
  const isWhole = await runInOrder(lightestFirst(cells, points, skipped), { directory, journal }, context);
  const facts = { machine, machineId, orders: grid[0]?.orders ?? {}, boundUs };
  const { startedAt: beganAt } = journal.kept;
  const head = { schema: resultVersion, tool: thisTool, startedAt: beganAt, kind: 'calibration' } as const;
  const found: Calibration = { ...head, ...facts, points, skipped, journal: journal.kept };
  await store.keep(directory, { [experimentFile]: found });
  const trustFile = trustFileOf(options.trustDir, machineId);
  await store.keep(dirname(trustFile), { [basename(trustFile)]: found });
  return { found, directory, trustFile, isWhole };
}

type PointCell = Cell & { point: GridPoint };

/** Asks for each point until it is settled. A point that is no easier than a wrong one is skipped. */
async function* lightestFirst(cells: readonly PointCell[], points: CalibrationPoint[], skipped: RigLoad[]): Order {
  for (const cell of cells) {
    if (isHopeless(cell.point, points)) {
      skipped.push(cell.point.load);
      continue;
    }
    const all: CalibrationPoint[] = [];
    for (let one: CalibrationPoint | undefined; one === undefined; one = settled(all)) {
      const { found, directory } = yield* oneRun(cell, all.length);
      all.push({ ...calibrationPoint.parse(found), directory });
    }
    points.push(settled(all) as CalibrationPoint);
  }
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
 * Returns the point that stands; undefined if it must be measured again. It is measured twice, and a third time if only
 * one of the two is off: a machine has good and bad moments. The middle error stands, or the larger of two. Wrong
 * counts stand as well.
 */
export function settled(all: readonly CalibrationPoint[]): CalibrationPoint | undefined {
  const wrong = all.find(({ areCountsExact }) => !areCountsExact);
  const isOpen = all.length < 2 || (all.length === 2 && all[0]?.isTrusted !== all[1]?.isTrusted);
  return wrong ?? (isOpen ? undefined : all.toSorted((a, b) => errorSize(a.error.p99) - errorSize(b.error.p99))[1]);
}

/** Returns the cell of a point. Each of its runs has a metronome of its own, whose record is read before it ends. */
function cellOf(point: GridPoint, place: string, options: CalibrateOptions): PointCell {
  const { target, orders, load } = point;
  const make: Cell['make'] = async (plan, context) => {
    const metronome = await startTarget(target, { host: '127.0.0.1', options: orders }).catch((error: unknown) => {
      if (!(error instanceof TargetStartError)) throw error;
      throw new ProblemError([problem('targetFailed', `${target.name}: ${error.why}`, error.hint)]);
    });
    try {
      const { wsUrl, publishUrl, statsUrl } = metronome.endpoints;
      const outcome = await run({ ...plan, target: externalTarget(target, { wsUrl, publishUrl, statsUrl }) }, context);
      const { result, series, samples, directory } = outcome;
      // The metronome drops deliveries on request, so its own record also covers only what it delivered.
      const delivery = summarize(samples.delivery ?? { kind: 'raw', values: new Uint32Array(0) });
      const warmUp = plan.options.warmUp as number;
      const sentAtUs = series.sentAtUs ?? new Uint32Array(0);
      const truth = await fetchTruth(wsUrl, result.job.stream, warmUp, sentAtUs);
      const held = heldAgainst(truth, { ...result, metrics: { delivery } }, options.boundMs * 1000);
      return { ...outcome, found: { ...loadDone(load, truth), target: target.name, ...held, directory } };
    } finally {
      await metronome.stop();
    }
  };
  const { client, clients, ratePerSecond } = load;
  const label = `${place} ${client} ${clients} × ${ratePerSecond}/s`;
  return { label, point, plan: planOf(point, options), make };
}

/** Dropped deliveries make every drain last this long. It exceeds the metronome's largest delay. */
const drainMs = 2000;

/** Plans the metronome as an external target, because its record must be read before it ends. */
function planOf({ load, target }: GridPoint, options: CalibrateOptions): Plan {
  const { clients, ratePerSecond, payloadBytes, client, engine, workers } = load;
  const { broadcasts, trustDir, resultsDir, seed = 1 } = options;
  return {
    scenario: latencyScenario,
    options: latencyScenario.options.parse({ clients, ratePerSecond, payloadBytes, broadcasts, drainMs }),
    load: loadOptions.parse({ client, workers, engine }),
    fleet: { ...fleetOptions.parse({}), localShards: load.shards, trustDir, resultsDir, seed },
    target: externalTarget(target, { wsUrl: '', publishUrl: '', statsUrl: undefined }),
    thresholds: [],
    sources: {},
  };
}

type Addresses = Pick<Extract<PlannedTarget, { isOurs: false }>, 'wsUrl' | 'publishUrl' | 'statsUrl'>;

function externalTarget({ name, protocol }: Target, addresses: Addresses): PlannedTarget {
  return { isOurs: false, name, protocol, protocolOptions: {}, ...addresses, publishHeaders: {} };
}
