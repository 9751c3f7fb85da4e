import type { EngineOffer } from '../../contract/engine.js';
import { ProblemError } from '../../contract/problems.js';
import type { MachineLimits } from '../../contract/shard.js';
import { readClockId } from '../../measure/rig/machine.js';
import { type Document, type Part, toned } from '../../render/document/document.js';
import type { PublishedTable } from '../../results/published.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import { type Carrier, carryProblems } from '../../run/plan/preflight.js';
import type { Target } from '../../targets/target.js';
import { duration } from '../../units/unit.js';
import type { CommandSession } from '../command.js';
import { fittingPlan, planReproduction, type ReproduceOptions, type ReproductionPlan, shapeOfTable } from './plan.js';
import { asPublished } from './print.js';
import {
  type Absent,
  type Contender,
  contenderNames,
  contendersOf,
  lackIn,
  runtimesHere,
  searchName,
} from './published.js';

interface ListedTable {
  table: PublishedTable;
  /** Its contenders by the names of the source. `by` says what runs under the name, if it is not only the target. */
  targets: { target: string; by: string; state: 'ready' | 'notAvailable' | 'elsewhere'; why: string }[];
  scale: number | null;
  /** Reason why it can't run; empty otherwise. */
  why: string;
  /** Milliseconds of one run at that scale, from first connect to end of drain; null if it can't run. */
  plannedMs: number | null;
  /** What the full size takes beyond this machine. */
  lacking: string[];
}

/** Lists the tables that contain all words, whether each can run on this machine, and what its contenders need. */
export async function listPublished(
  session: Pick<CommandSession, 'limits' | 'engine'>,
  tables: readonly PublishedTable[],
  words: readonly string[],
  { localShards, time }: Pick<ReproduceOptions, 'localShards' | 'time'>,
  given: GivenForRun,
): Promise<ListedTable[]> {
  const runtimes = await runtimesHere(tables);
  const carrier = thisMachine(localShards, session.limits, await session.engine());
  const lacks = new Map<Target, Promise<string>>();
  const here: Here = {
    carrier,
    planOf: (table) => planReproduction(table, { scale: 1, time }, given, runtimes),
    lackOf(target) {
      const lack = lacks.get(target) ?? target.availability().then(lackIn);
      lacks.set(target, lack);
      return lack;
    },
  };
  return Promise.all(tables.filter((table) => holds(table, words)).map((table) => listedTable(table, here)));
}

function holds({ id, title, scenario, source, figures }: PublishedTable, words: readonly string[]): boolean {
  const ofFigures = figures.map(({ target, metric }) => `${target} ${metric}`);
  const text = [id, title, scenario, source.id, source.title, ...ofFigures].join('\n').toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}

interface Here {
  carrier: Carrier;
  planOf(table: PublishedTable): ReproductionPlan;
  /** Resolves with what keeps a target from starting; empty if nothing does. */
  lackOf(target: Target): Promise<string>;
}

async function listedTable(table: PublishedTable, { carrier, planOf, lackOf }: Here): Promise<ListedTable> {
  const { contenders, absent } = contendersOf(table);
  const no = (why: string, targets: ListedTable['targets']): ListedTable => {
    return { table, targets, scale: null, why, plannedMs: null, lacking: [] };
  };
  const isSearch = table.scenario === searchName;
  const shape = isSearch ? undefined : shapeOfTable(table);
  if (shape && 'why' in shape) return no(shape.why, []);
  try {
    const plan = isSearch || contenders.length === 0 ? undefined : planOf(table);
    const able = plan?.contenders.flatMap(({ name, by, plan: { target: of } }) =>
      of.isOurs ? { name, by, target: of.target } : [],
    );
    const targets = await contendersHere(table, able ?? contenders, plan?.absent ?? absent, lackOf);
    if (targets.every(({ state }) => state !== 'ready')) return no('no contender is ready', targets);
    // A search takes as long as the server makes it.
    if (!plan) return { table, targets, scale: 1, why: '', plannedMs: null, lacking: [] };
    const fits = fittingPlan(plan.at, carrier);
    if (!fits) return no('this machine carries it at no scale', targets);
    const { scenario, options, load } = fits.plan;
    const { durationMs: plannedMs } = scenario.demand(options, load);
    const lacking = carryProblems(plan.contenders[0].plan, carrier).map(({ message }) => message);
    return { table, targets, scale: fits.scale, why: '', plannedMs, lacking };
  } catch (error) {
    if (error instanceof ProblemError) return no(error.message, await contendersHere(table, [], absent, lackOf));
    throw error;
  }
}

function contendersHere(
  table: PublishedTable,
  contenders: readonly Pick<Contender, 'name' | 'by' | 'target'>[],
  absent: readonly Absent[],
  lackOf: Here['lackOf'],
): Promise<ListedTable['targets']> {
  const names = contenderNames(table).filter((name) => [...contenders, ...absent].some((each) => each.name === name));
  return Promise.all(
    names.map(async (name): Promise<ListedTable['targets'][number]> => {
      const found = contenders.find((each) => each.name === name);
      const why = absent.find((each) => each.name === name)?.why ?? '';
      if (!found) return { target: name, by: '', state: 'elsewhere', why };
      const lack = await lackOf(found.target);
      return { target: name, by: found.by, state: lack === '' ? 'ready' : 'notAvailable', why: lack };
    }),
  );
}

function thisMachine(shards: number, limits: MachineLimits, engine: EngineOffer): Carrier {
  const most = Number.MAX_SAFE_INTEGER;
  const unlimited = { clients: most, publishesPerSecond: most, payloadBytes: most, durationMs: most, bodyBytes: most };
  const info = { clockId: readClockId(), engine, limits: { ...unlimited, ...limits } };
  const runners = Array.from({ length: shards }, (_, index) => ({ url: `bench-runner ${index}`, info }));
  return { shards: runners, childDescriptors: limits.descriptors };
}

const legend =
  'here: what file descriptors, ports and memory allow; only a run can tell whether the load generator keeps up';

/** Returns a document with a row for each table, and the needs of contenders or, with `hasQuotes`, all figures. */
export function publishedDocument(tables: readonly ListedTable[], hasQuotes: boolean): Document {
  const { aside, good } = toned;
  const rows = tables.map(({ table, targets, scale, why, plannedMs }) => [
    table.id,
    table.scenario,
    targets.length === 0 ? '–' : `${targets.filter(({ state }) => state === 'ready').length} of ${targets.length}`,
    plannedMs === null ? '–' : duration.print(Math.ceil(plannedMs / 1000) * 1000),
    scale === null ? aside(`no: ${why}`) : good(scale === 1 ? 'yes' : `at --scale ${scale}`),
  ]);
  const head = ['table', 'scenario', 'ready', 'a run', 'here'];
  const lacking = tables.flatMap(({ table, lacking: of }) => of.map((text): [string, string] => [table.id, text]));
  const found: Part[] = [
    { blocks: [{ head, rows, left: [0, 1, 4] }] },
    ...(hasQuotes ? tables.map(figuresOf) : [needsOf(tables)]),
    { title: 'what the full size takes', blocks: lacking.length > 0 ? [{ facts: lacking }] : [] },
    { blocks: [aside(`ready: contenders that can start here. ${legend}`)] },
  ];
  const nothing: Part[] = [{ blocks: ['no published table has all of these words'] }];
  const parts = tables.length === 0 ? nothing : found;
  return { title: 'published figures', isTitleHidden: true, parts, suites: [] };
}

function figuresOf({ table, targets }: ListedTable): Part {
  const { aside, good } = toned;
  return {
    title: `${table.id}  ${table.title}`,
    blocks: [
      ...targets.map(({ target, by, state, why }) => [
        `  ${target}${by === '' ? '' : ` (${by})`}: `,
        state === 'ready' ? good('ready') : aside(why),
      ]),
      ...table.figures.map((figure) => [`  ${figure.id}  ${asPublished(figure)}  `, aside(`“${figure.quote}”`)]),
    ],
  };
}

function needsOf(tables: readonly ListedTable[]): Part {
  const lacking = new Map<string, string>();
  for (const { target, state, why } of tables.flatMap(({ targets }) => targets))
    if (state !== 'ready') lacking.set(target, why);
  const facts = [...lacking].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { title: 'not ready, and what it takes', blocks: facts.length > 0 ? [{ facts }] : [] };
}
