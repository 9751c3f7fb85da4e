import { basename, dirname } from 'node:path';
import { type EngineOffer, engineProblems } from '../../contract/engine.js';
import { ProblemError, problemError, resolveOrRefuse } from '../../contract/problems.js';
import { type Cell, type ExperimentContext, type Order, oneRun, runInOrder } from '../../experiment/cells.js';
import { askedOf, openJournal } from '../../experiment/journal.js';
import { summarize } from '../../measure/samples/distribution.js';
import { type Calibration, type CalibrationPoint, calibrationPoint } from '../../results/experiment.js';
import type { RigLoad } from '../../results/result.js';
import { ResultStore } from '../../results/store.js';
import { isAtMost, isWrong, machineIdOf, trustFileOf, trustPlace } from '../../run/judge/trust.js';
import type { Plan } from '../../run/plan/plan.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { run } from '../../run/run.js';
import type { PlannedTarget } from '../../run/server/planned.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { startTarget } from '../../targets/launch/process.js';
import { TargetStartError } from '../../targets/launch/readiness.js';
import type { Target } from '../../targets/target.js';
import { plain } from '../command.js';
import {
  type CalibrateOptions,
  calibrateOptions,
  type GridPoint,
  gridOf,
  latencyScenario,
} from './calibration-grid.js';
import { calibrationDocument } from './print.js';
import { errorSize, fetchTruth, heldAgainst, loadDone } from './truth.js';

/** `ringside calibrate`: measures against known truth. Exits with 4 if a count is wrong or no load can be trusted. */
export const command = plain({
  options: calibrateOptions,
  hasFile: true,
  examples: ['calibrate', 'calibrate --clients 100 --client wire'],
  run(session, given) {
    const options = resolveOrRefuse(calibrateOptions, given);
    const grid = gridOf(options);
    const { localShards, resultsDir, trustDir, isJson, markdownFile, junitFile, htmlFile } = options;
    return session.measure({
      label: 'calibrate',
      fleet: { ...fleetOptions.parse({}), localShards, resultsDir, isJson, markdownFile, junitFile, htmlFile },
      targets: [],
      writes: { '--trust': trustPlace(trustDir) },
      work: async (context) => {
        const { found, directory, trustFile, isWhole } = await calibrate(grid, options, {
          ...context,
          begins: (label) => context.label(label),
        });
        const { points } = found;
        const isRight = points.every(({ areCountsExact }) => areCountsExact) && points.some((each) => each.isTrusted);
        const resume = isWhole ? '' : `; continue with --resume ${directory}`;
        return {
          data: found,
          document: calibrationDocument(found),
          directory,
          exit: context.interrupt.aborted ? 'interrupted' : isRight ? 'clean' : 'rig',
          note: `calibration of this machine: ${trustFile}${resume}`,
        };
      },
    });
  },
});

async function calibrate(
  grid: readonly GridPoint[],
  options: CalibrateOptions,
  context: ExperimentContext,
): Promise<{ found: Calibration; directory: string; trustFile: string; isWhole: boolean }> {
  const [shard] = context.shards;
  if (!shard) throw new Error('a calibration needs a bench-runner');
  const { machine, engine: offer } = await shard.info();
  const isNative = grid.some(({ load }) => load.engine === 'native');
  const lacking = isNative ? engineProblems({ client: 'wire', engine: 'native' }, [], offer) : [];
  if (lacking.length > 0) throw new ProblemError(lacking);
  const { seed = 1, resume, broadcasts, resultsDir } = options;
  const [machineId, boundUs] = [machineIdOf(machine), options.boundMs * 1000];
  const cells = grid.map((each, index) => cellOf(onEngine(each, offer), `${index + 1}/${grid.length}`, options));
  const loads = cells.map(({ point: { load, target, orders } }) => JSON.stringify([target.name, load, orders]));
  const asked = askedOf([], { machine: machineId, bound: boundUs, broadcasts, loads });
  const journal = await openJournal(
    { resume, resultsDir, name: ['latency', 'calibrate', String(grid.length)], seed, asked },
    context.notKept,
  );
  const points: CalibrationPoint[] = [];
  const skipped: RigLoad[] = [];
  const isWhole = await runInOrder(lightestFirst(cells, points, skipped), journal, context);
  const facts = { machine, machineId, orders: grid[0]?.orders ?? {}, boundUs };
  const found = await journal.keep({ kind: 'calibration' as const, ...facts, points, skipped });
  const trustFile = trustFileOf(options.trustDir, machineId);
  await new ResultStore(context.notKept).keep(dirname(trustFile), { [basename(trustFile)]: found });
  return { found, directory: journal.directory, trustFile, isWhole };
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
    while (settled(all) === undefined) {
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

function isHopeless({ load, target }: GridPoint, points: readonly CalibrationPoint[]): boolean {
  const isSameRig = (other: CalibrationPoint): boolean =>
    other.target === target.name && sameOnARig.every((key) => other.load[key] === load[key]);
  return points.some((point) => isWrong(point) && isSameRig(point) && isAtMost(point.load, load));
}

/** Returns the point that stands: wrong counts, the larger error of two that agree, or the middle one of three. */
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
      throw problemError('targetFailed', `${target.name}: ${error.why}`, error.hint);
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
