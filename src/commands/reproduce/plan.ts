import { ProblemError, problem } from '../../contract/problems.js';
import { fileKey, type Option, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { optionsInWords } from '../../render/words/values.js';
import type { PublishedTable } from '../../results/published.js';
import { type Scenario, scenarioByName } from '../../run/catalog.js';
import { type Given, type Plan, planCompare } from '../../run/plan/plan.js';
import { type Carrier, carryProblems } from '../../run/plan/preflight.js';
import { targetByName } from '../../targets/list.js';
import { units } from '../../units/list.js';
import type { Reproduction } from './reproduction.js';

/** How a table runs here: a plan for each of its targets that Ringside has, and what differs from the source. */
export interface ReproductionPlan {
  table: PublishedTable;
  scenario: Scenario;
  scale: number;
  /** At least one, all with the same fleet. */
  plans: [Plan, ...Plan[]];
  repeat: number;
  changes: Reproduction['changes'];
  ours: string;
  at(scale: number): ReproductionPlan;
}

const audienceFlags = ['subscribers', 'connections', 'clients', 'step'];
const withinAudience = ['room'];
const scales = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

export function targetNames({ figures }: PublishedTable): string[] {
  return [...new Set(figures.map(({ target }) => target))];
}

/** The scenario and published options of a table, or why they do not exist here and which command may. */
export function shapeOfTable(
  table: PublishedTable,
): { scenario: Scenario; published: Record<string, unknown> } | { why: string; command: string } {
  const command = commandFor(table);
  const scenario = scenarioByName(table.scenario);
  if (!scenario) return { why: `there is no scenario ${table.scenario} here`, command };
  const resolved = resolveOptions(scenario.options, { file: table.parameters });
  if (!resolved.ok) {
    const issues = resolved.issues.map(
      (each) => `${each.option}: expected ${each.expected}, received ${each.received}`,
    );
    return { why: `scenario ${scenario.name} does not take its options: ${issues.join('; ')}`, command };
  }
  const given = Object.entries(resolved.values).filter(([key]) => resolved.sources[key] === 'file');
  return { scenario, published: Object.fromEntries(given) };
}

/** The load of a table as a command line, for commands that have the name of its scenario. */
function commandFor({ scenario, parameters, figures }: PublishedTable): string {
  const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const flags = Object.entries(parameters).map(([name, value]) => `--${kebab(name)} ${value}`);
  return `ringside ${scenario} --target ${figures[0]?.target} ${flags.join(' ')}`;
}

/** Plans a table at a scale of its clients. Throws `ProblemError` if it can't run here at that scale. Pure. */
export function planReproduction(table: PublishedTable, scale: number, given: Given): ReproductionPlan {
  const shape = shapeOfTable(table);
  if ('why' in shape) {
    const hint = `Run \`ringside list scenarios\`. If there is a command of that name, run: ${shape.command}`;
    throw new ProblemError([problem('unknownName', `${table.id}: ${shape.why}`, hint)]);
  }
  const { scenario, published } = shape;
  const targets = targetNames(table).filter((name) => targetByName(name) !== undefined);
  if (targets.length === 0) {
    const message = `${table.id} is about ${targetNames(table).join(', ')}: no targets here`;
    const hint = 'Run `ringside reproduce --list` to see which tables have targets here.';
    throw new ProblemError([problem('unknownName', message, hint)]);
  }
  const options = optionsOf(scenario.options);
  // The source sets the shape: neither flags nor environment may change it.
  const shapeVariables = options.map(({ env }) => env);
  const env = Object.fromEntries(Object.entries(given.env).filter(([name]) => !shapeVariables.includes(name)));
  const flags = { ...given.flags, targets, targetFiles: [], isProving: false };
  const base = scaled(published, options, scale);
  const asked = { flags, env, file: given.file, base, baseSource: 'published' };
  const { repeat, ...planned } = planCompare(scenario, asked);
  const plans = planned.plans as ReproductionPlan['plans'];
  const values = plans[0].options;
  const stated = options.filter((option) => fileKey(option) in table.parameters);
  // A count of broadcasts replaces a duration.
  const isStated = (key: string): boolean => key in published || (key === 'durationMs' && 'broadcasts' in published);
  const unstated = Object.entries(values).filter(([key]) => !isStated(key));
  return {
    table,
    scenario,
    scale,
    plans,
    repeat,
    changes: stated.flatMap((option) => changeOf(option, table.parameters[fileKey(option)], values[option.key])),
    ours: optionsInWords(scenario, Object.fromEntries(unstated)),
    at: (other) => planReproduction(table, other, given),
  };
}

/** The largest scale, down to a thousandth, that machines carry, with its plan; undefined if there is none. */
export function fittingPlan(at: ReproductionPlan['at'], carrier: Carrier): { scale: number; plan: Plan } | undefined {
  for (const scale of scales) {
    try {
      const [plan] = at(scale).plans;
      if (carryProblems(plan, carrier).length === 0) return { scale, plan };
    } catch (error) {
      // A small scale can leave fewer clients than the scenario needs.
      if (!(error instanceof ProblemError)) throw error;
    }
  }
  return undefined;
}

function scaled(
  published: Record<string, unknown>,
  options: readonly Option[],
  scale: number,
): Record<string, unknown> {
  const values = { ...published };
  const numbers = (flags: readonly string[]): [key: string, value: number][] =>
    options.flatMap(({ key, flag }) => {
      const value = values[key];
      return flags.includes(flag) && typeof value === 'number' ? [[key, value]] : [];
    });
  let clients = Number.POSITIVE_INFINITY;
  for (const [key, value] of numbers(audienceFlags)) {
    clients = Math.max(1, Math.round(value * scale));
    values[key] = clients;
  }
  for (const [key, value] of numbers(withinAudience)) values[key] = Math.min(value, clients);
  return values;
}

/** Empty if the value is the published one. Some options have a bound that a published value exceeds. */
function changeOf({ flag, unit }: Option, text: unknown, here: unknown): Reproduction['changes'] {
  const value = unit ? units[unit].parse(String(text)) : text;
  if (value === here) return [];
  const print = (each: unknown): string => (unit && typeof each === 'number' ? units[unit].print(each) : String(each));
  return [{ option: flag, published: print(value), here: print(here) }];
}
