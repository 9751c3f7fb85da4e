import { z } from 'zod';
import { type Problem, ProblemError, problemError } from '../../contract/problems.js';
import { resumeOptions } from '../../experiment/journal.js';
import { fileKey, type Option, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { optionsInWords } from '../../render/words/values.js';
import type { PublishedTable, Reproduction } from '../../results/published.js';
import { loadSchema } from '../../run/plan/length.js';
import { compareSchema, type GivenForRun, type Plan, planCompare, readOptions } from '../../run/plan/plan.js';
import { type Carrier, carryProblems } from '../../run/plan/preflight.js';
import { compareOptions, fleetOptions, switchOf, valued } from '../../run/plan/run-options.js';
import { targetVerbProblems } from '../../run/server/planned.js';
import { targetOptionValues } from '../../run/server/target-options.js';
import { scenarioByName } from '../../scenarios/list.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { optionalDuration } from '../../scenarios/options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { duration, units } from '../../units/unit.js';
import { type Absent, type Contender, contenderNames, contendersOf, type RuntimesHere } from './published.js';

const share = z.number().positive().max(1).default(1);

export const ownReproduceOptions = z.strictObject({
  scale: share.meta(valued('scale', 'share', 'share of the published clients: 0.1 of 10,000 makes 1,000')),
  time: share.meta(valued('time', 'share', 'share of the published length: broadcasts, samples, stages and holds')),
  repeat: compareOptions.shape.repeat,
  budgetMs: optionalDuration('budget', [10_000, 604_800_000], 'time for all tables, in shares of what they take'),
  isList: switchOf('list', 'list published tables, or those with all given words'),
  isQuoting: switchOf('quotes', 'with --list: also each figure and the sentence of its source'),
  publishedDir: z
    .string()
    .optional()
    .meta(valued('published', 'directory', 'directory of published figures; by default those of Ringside')),
});

/** Options of `reproduce`. The source sets the shape of the load. */
export const reproduceOptions = z.strictObject({
  ...ownReproduceOptions.shape,
  ...loadOptions.shape,
  ...fleetOptions.shape,
  ...resumeOptions.shape,
});

export type ReproduceOptions = z.output<typeof reproduceOptions>;

interface PlannedContender {
  name: string;
  plan: Plan;
  /** Text of what runs under the name; empty if it is the target of that name, unchanged. */
  by: string;
}

/** Describes how a table runs here: a plan for each contender that Ringside has, and what differs from the source. */
export interface ReproductionPlan {
  table: PublishedTable;
  scenario: Scenario;
  size: Size;
  /** At least one, all of one shape. */
  contenders: [PlannedContender, ...PlannedContender[]];
  absent: readonly Absent[];
  repeat: number;
  changes: Reproduction['changes'];
  ours: string;
  at(scale: number): ReproductionPlan;
}

const scales = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/** Returns the scenario and published options of a table, or why they do not exist here. */
export function shapeOfTable(
  table: PublishedTable,
): { scenario: Scenario; published: Record<string, unknown>; whole: Record<string, unknown> } | { why: string } {
  const scenario = scenarioByName(table.scenario);
  if (!scenario) return { why: `there is no scenario ${table.scenario} here` };
  const resolved = resolveOptions(scenario.options, { file: table.parameters });
  if (!resolved.ok) {
    const issues = resolved.issues.map(
      (each) => `${each.option}: expected ${each.expected}, received ${each.received}`,
    );
    return { why: `scenario ${scenario.name} does not take its options: ${issues.join('; ')}` };
  }
  const given = Object.entries(resolved.values).filter(([key]) => resolved.sources[key] === 'file');
  return { scenario, published: Object.fromEntries(given), whole: resolved.values };
}

/** Plans a table at a size. Throws `ProblemError` if it can't run here at that size. Pure. */
export function planReproduction(
  table: PublishedTable,
  size: Size,
  given: GivenForRun,
  here: RuntimesHere = new Map(),
): ReproductionPlan {
  const shape = shapeOfTable(table);
  if ('why' in shape) {
    throw problemError('unknownName', `${table.id}: ${shape.why}`, 'Run `ringside list scenarios`.');
  }
  const { scenario, published, whole } = shape;
  const { able, absent } = ableIn(table, scenario, whole, here);
  if (able.length === 0) {
    const message = `${table.id} is about ${contenderNames(table).join(', ')}: no targets here`;
    const hint = 'Run `ringside reproduce --list` to see which tables have targets here.';
    throw problemError('unknownName', message, hint);
  }
  const options = optionsOf(scenario.options);
  const env = variablesBeside(loadSchema(scenario), given);
  const targets = [...new Set(able.map(({ target }) => target.name))];
  const flags = { ...given.flags, targets, targetFiles: [], isProving: false };
  const base = scaled(published, options, size);
  const asked = { flags, env, file: given.file, base, baseSource: 'published' };
  const { repeat, plans } = planCompare(scenario, readOptions(compareSchema(scenario), asked));
  const contenders = able.map((each) => planned(each, plans)) as ReproductionPlan['contenders'];
  const values = contenders[0].plan.options;
  const stated = options.filter((option) => fileKey(option) in table.parameters);
  // A count of broadcasts replaces a duration.
  const isStated = (key: string): boolean => key in published || (key === 'durationMs' && 'broadcasts' in published);
  const unstated = Object.entries(values).filter(([key]) => !isStated(key));
  return {
    table,
    scenario,
    size,
    contenders,
    absent,
    repeat,
    changes: stated.flatMap((option) => changeOf(option, table.parameters[fileKey(option)], values[option.key])),
    ours: optionsInWords(scenario, Object.fromEntries(unstated)),
    at: (scale) => planReproduction(table, { ...size, scale }, given, here),
  };
}

/** Returns the environment without the options of a load: the source sets its shape, and nothing else may change it. */
export function variablesBeside(load: z.ZodObject, { env }: GivenForRun): GivenForRun['env'] {
  const ofShape = optionsOf(load).map((option) => option.env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ofShape.includes(name)));
}

/** Splits the contenders into those whose targets have the verbs of the scenario, and all others with the reason. */
function ableIn(
  table: PublishedTable,
  scenario: Scenario,
  options: Record<string, unknown>,
  here: RuntimesHere,
): { able: Contender[]; absent: Absent[] } {
  const { contenders, absent } = contendersOf(table, here);
  const able: Contender[] = [];
  const unable: Absent[] = [];
  for (const contender of contenders) {
    const [found] = targetVerbProblems(scenario, contender.target, options);
    if (!found) able.push(contender);
    else unable.push({ name: contender.name, why: `${contender.target.name}: ${found.message}` });
  }
  return { able, absent: [...absent, ...unable] };
}

/** Returns the plan of its target, with the processes, the runtime and the options of the source. */
function planned(contender: Contender, plans: readonly Plan[]): PlannedContender {
  const plan = plans.find(({ target }) => target.name === contender.target.name) as Plan;
  const { name, by, processes, options } = contender;
  if (!plan.target.isOurs) throw new Error(`${name} is no target of ours`);
  // If the user names a runtime, all contenders run on it.
  const target = plan.fleet.targetRuntime === undefined ? contender.target : plan.target.target;
  const problems: Problem[] = [];
  const [values = {}] = options.length > 0 ? targetOptionValues(options, [target], problems) : [plan.target.options];
  if (problems.length > 0) throw new ProblemError(problems);
  const fleet = processes === undefined ? plan.fleet : { ...plan.fleet, targetProcesses: processes };
  return { name, by, plan: { ...plan, fleet, target: { ...plan.target, target, options: values } } };
}

/** Returns the largest scale, down to a thousandth, that machines carry, with its plan; undefined if there is none. */
export function fittingPlan(at: ReproductionPlan['at'], carrier: Carrier): { scale: number; plan: Plan } | undefined {
  for (const scale of scales) {
    try {
      const [{ plan }] = at(scale).contenders;
      if (carryProblems(plan, carrier).length === 0) return { scale, plan };
    } catch (error) {
      // A small scale can leave fewer clients than the scenario needs.
      if (!(error instanceof ProblemError)) throw error;
    }
  }
  return undefined;
}

/** Returns no change if the published value ran. Some options have a bound that it exceeds. */
function changeOf({ flag, unit }: Option, text: unknown, here: unknown): Reproduction['changes'] {
  const value = unit ? units[unit].parse(String(text)) : text;
  if (value === here) return [];
  const print = (each: unknown): string => (unit && typeof each === 'number' ? units[unit].print(each) : String(each));
  return [{ option: flag, published: print(value), here: print(here) }];
}

/** Holds how much of a published load runs: the share of its clients, and the share of its length. */
export interface Size {
  scale: number;
  time: number;
}

const audienceFlags = ['clients', 'step'];
const withinAudience = ['room'];
const lengthFlags = ['broadcasts', 'duration', 'before', 'sample'];

/** Returns the published options at a size. A room is never larger than the audience, and no count falls below one. */
export function scaled(
  published: Readonly<Record<string, unknown>>,
  options: readonly Option[],
  { scale, time }: Size,
): Record<string, unknown> {
  const values = { ...published };
  const change = (flags: readonly string[], by: (value: number) => number): void => {
    for (const { key, flag } of options) {
      const value = values[key];
      if (flags.includes(flag) && typeof value === 'number') values[key] = by(value);
    }
  };
  let clients = Number.POSITIVE_INFINITY;
  change(audienceFlags, (value) => {
    clients = shareOf(value, scale);
    return clients;
  });
  change(withinAudience, (value) => Math.min(value, clients));
  change(lengthFlags, (value) => shareOf(value, time));
  if (typeof values.stages === 'string') values.stages = scaledStages(values.stages, { scale, time });
  return values;
}

/** Scales stages such as `50s:250`: the clients by one share, the durations by the other. */
function scaledStages(stages: string, { scale, time }: Size): string {
  return stages
    .split(',')
    .map((stage) => {
      const [length = '', clients = ''] = stage.split(':');
      const ms = shareOf(duration.parse(length) ?? 0, time);
      return `${duration.print(ms)}:${shareOf(Number(clients), scale)}`;
    })
    .join(',');
}

function shareOf(value: number, share: number): number {
  return Math.max(1, Math.round(value * share));
}
