import { ProblemError } from '../../contract/problems.js';
import { readClockId } from '../../measure/rig/machine.js';
import { paint, type Style } from '../../render/words/style.js';
import { columnsOrBlocks } from '../../render/words/table.js';
import type { PublishedTable } from '../../results/published.js';
import type { Given } from '../../run/plan/plan.js';
import type { Carrier } from '../../run/plan/preflight.js';
import { targets } from '../../targets/list.js';
import type { Availability } from '../../targets/target.js';
import { duration } from '../../units/list.js';
import type { MachineLimits, Session } from '../command.js';
import { fittingPlan, planReproduction, shapeOfTable, targetNames } from './plan.js';
import { asPublished } from './print.js';

interface Here {
  available: ReadonlyMap<string, Availability>;
  commands: readonly string[];
  carrier: Carrier;
  given: Given;
}

/** The tables that hold all words, and whether each can run on this machine. */
export async function listPublished(
  { commandNames: commands, limits }: Pick<Session, 'commandNames' | 'limits'>,
  tables: readonly PublishedTable[],
  words: readonly string[],
  localShards: number,
  given: Given,
): Promise<ListedTable[]> {
  const availabilities = targets.map(async (target) => [target.name, await target.availability()] as const);
  const available = new Map(await Promise.all(availabilities));
  const here = { available, commands, carrier: thisMachine(localShards, limits), given };
  return tables.filter((table) => holds(table, words)).map((table) => listedTable(table, here));
}

function holds({ id, title, scenario, source, figures }: PublishedTable, words: readonly string[]): boolean {
  const ofFigures = figures.map(({ target, metric }) => `${target} ${metric}`);
  const text = [id, title, scenario, source.id, source.title, ...ofFigures].join('\n').toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}

function listedTable(table: PublishedTable, { available, commands, carrier, given }: Here): ListedTable {
  const ofTable = targetNames(table).map((target): ListedTable['targets'][number] => {
    const here = available.get(target);
    if (!here) return { target, state: 'elsewhere', why: table.elsewhere[target] ?? 'no target of that name is here' };
    return here.isAvailable ? { target, state: 'ready', why: '' } : { target, state: 'notAvailable', why: here.why };
  });
  const lacking = ofTable.filter(({ state }) => state !== 'ready').map(({ target }) => target);
  const without = lacking.length === 0 ? '' : `not ${lacking.join(', ')}`;
  const no = (why: string): ListedTable => ({ table, targets: ofTable, scale: null, why, plannedMs: null });
  const shape = shapeOfTable(table);
  if ('why' in shape)
    return no(commands.includes(table.scenario) ? `there is a command for it: ${shape.command}` : shape.why);
  if (lacking.length === ofTable.length) return no(without);
  try {
    const fits = fittingPlan(planReproduction(table, 1, given).at, carrier);
    if (!fits) return no('this machine carries it at no scale');
    const { scenario, options, load } = fits.plan;
    const plannedMs = scenario.demand(options, load).durationMs;
    return { table, targets: ofTable, scale: fits.scale, why: without, plannedMs };
  } catch (error) {
    if (error instanceof ProblemError) return no(error.message);
    throw error;
  }
}

function thisMachine(shards: number, limits: MachineLimits): Carrier {
  const unlimited = Number.MAX_SAFE_INTEGER;
  const info = {
    clockId: readClockId(),
    limits: {
      clients: unlimited,
      publishesPerSecond: unlimited,
      payloadBytes: unlimited,
      durationMs: unlimited,
      bodyBytes: unlimited,
      ...limits,
    },
  };
  const runners = Array.from({ length: shards }, (_, index) => ({ url: `bench-runner ${index}`, info }));
  return { shards: runners, childDescriptors: limits.descriptors };
}

interface ListedTable {
  table: PublishedTable;
  targets: { target: string; state: 'ready' | 'notAvailable' | 'elsewhere'; why: string }[];
  scale: number | null;
  /** Why it can't run, or what is left out; empty otherwise. */
  why: string;
  /** Length of one run at that scale, from first connect to end of drain; null if it can't run. */
  plannedMs: number | null;
}

const legend = 'here: what file descriptors and ports allow; only a run can tell whether the rig keeps up';

export function renderPublished(tables: readonly ListedTable[], hasFigures: boolean, style: Style): string {
  if (tables.length === 0) return 'no published table has all of these words';
  const { aside, good } = paint(style);
  const rows = tables.map(({ table, targets, scale, why, plannedMs }) => [
    table.id,
    table.scenario,
    String(table.figures.length),
    targets
      .filter(({ state }) => state === 'ready')
      .map(({ target }) => target)
      .join(' ') || '–',
    plannedMs === null ? '–' : duration.print(Math.ceil(plannedMs / 1000) * 1000),
    scale === null
      ? aside(`no: ${why}`)
      : `${good(scale === 1 ? 'yes' : `at --scale ${scale}`)}${why === '' ? '' : aside(`; ${why}`)}`,
  ]);
  const head = ['table', 'scenario', 'figures', 'ready targets', 'a run', 'here'];
  const figures = tables.flatMap(({ table }) => [
    '',
    `${table.id}  ${table.title}`,
    ...table.figures.map((figure) => `  ${figure.id}  ${asPublished(figure)}  ${aside(`“${figure.quote}”`)}`),
  ]);
  return [
    columnsOrBlocks(style.columns, head, rows, [0, 1, 3, 5]),
    ...(hasFigures ? figures : []),
    '',
    aside(legend),
  ].join('\n');
}
