import { contractVersion } from '../../contract/job.js';
import { ProblemError } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { version } from '../../contract/version.js';
import { readClockId, readMachine } from '../../measure/rig/machine.js';
import type { Style } from '../../render/words/style.js';
import type { PublishedTable } from '../../results/published.js';
import type { Carrier } from '../../run/plan/carry.js';
import type { Given, Plan } from '../../run/plan/plan.js';
import { targets } from '../../targets/list.js';
import type { Availability } from '../../targets/target.js';
import type { MachineLimits } from '../command.js';
import type { ReproduceOptions } from './options.js';
import { planReproduction, shapeOfTable } from './plan.js';
import { type ListedTable, renderPublished } from './print/list.js';
import { fittingScale } from './scale.js';

/** The published tables, and what is known of this machine and its terminal. */
interface Known {
  tables: readonly PublishedTable[];
  commands: readonly string[];
  limits: MachineLimits;
  style: Style;
}

/**
 * What `reproduce --list` prints: the tables that hold all of the words, and whether each can run on this machine;
 * with words, their figures, too.
 */
export async function listPublished(
  { tables, commands, limits, style }: Known,
  words: readonly string[],
  options: ReproduceOptions,
  given: Given,
): Promise<string> {
  const found = tables.filter((table) => holds(table, words));
  const available = new Map(
    await Promise.all(targets.map(async (target) => [target.name, await target.availability()] as const)),
  );
  const carrier = thisMachine(options.localShards, limits);
  const listed = found.map((table) => listedTable(table, { available, commands, carrier, given }));
  return options.isJson ? JSON.stringify(listed, null, 2) : renderPublished(listed, words.length > 0, style);
}

function holds(table: PublishedTable, words: readonly string[]): boolean {
  const { id, title, scenario, source, figures } = table;
  const text = [
    id,
    title,
    scenario,
    source.id,
    source.title,
    ...figures.map(({ target, metric }) => `${target} ${metric}`),
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}

/** What this machine and this call have for a table. */
interface Here {
  available: ReadonlyMap<string, Availability>;
  commands: readonly string[];
  carrier: Carrier;
  given: Given;
}

function listedTable(table: PublishedTable, { available, commands, carrier, given }: Here): ListedTable {
  const ofTable = [...new Set(table.figures.map(({ target }) => target))].map(
    (target): ListedTable['targets'][number] => {
      const here = available.get(target);
      if (!here)
        return { target, state: 'elsewhere', why: table.elsewhere[target] ?? 'no target of that name is here' };
      return here.isAvailable ? { target, state: 'ready', why: '' } : { target, state: 'notAvailable', why: here.why };
    },
  );
  const lacking = ofTable.filter(({ state }) => state !== 'ready').map(({ target }) => target);
  const without = lacking.length === 0 ? '' : `not ${lacking.join(', ')}`;
  const no = (why: string): ListedTable => ({ table, targets: ofTable, scale: null, why, plannedMs: null });
  const shape = shapeOfTable(table);
  if ('why' in shape) {
    const isCommand = commands.includes(table.scenario);
    return no(isCommand ? `there is a command for it: ${shape.command}` : shape.why);
  }
  if (lacking.length === ofTable.length) return no(without);
  const planAt = (scale: number): Plan | string => planOr(table, scale, given);
  const whole = planAt(1);
  if (typeof whole === 'string') return no(whole);
  const scale = fittingScale((each) => {
    const plan = planAt(each);
    return typeof plan === 'string' ? undefined : plan;
  }, carrier);
  if (scale === undefined) return no('this machine carries it at no scale');
  const { scenario, options, load } = planAt(scale) as Plan;
  return { table, targets: ofTable, scale, why: without, plannedMs: scenario.demand(options, load).durationMs };
}

/** The plan of the first target, or why there is none. */
function planOr(table: PublishedTable, scale: number, given: Given): Plan | string {
  try {
    return planReproduction(table, scale, given).plans[0] ?? 'no target';
  } catch (error) {
    if (error instanceof ProblemError) return error.message;
    throw error;
  }
}

/** What bench-runners that were started here would say of their limits. */
function thisMachine(shards: number, limits: MachineLimits): Carrier {
  const unlimited = Number.MAX_SAFE_INTEGER;
  const info: ShardInfo = {
    contract: contractVersion,
    version,
    bootId: '',
    clockId: readClockId(),
    machine: readMachine(),
    limits: {
      clients: unlimited,
      publishesPerSecond: unlimited,
      payloadBytes: unlimited,
      durationMs: unlimited,
      bodyBytes: unlimited,
      ...limits,
    },
    allowTargets: [],
  };
  return {
    shards: Array.from({ length: shards }, (_, index) => ({ url: `bench-runner ${index}`, info })),
    childDescriptors: limits.descriptors,
  };
}
