import { ProblemError, problem } from '../../contract/problems.js';
import { type Option, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { optionsInWords } from '../../render/words/options-in-words.js';
import type { PublishedTable } from '../../results/published.js';
import { type Scenario, scenarioByName } from '../../run/catalog.js';
import { type Given, type Plan, planCompare } from '../../run/plan/plan.js';
import { targetByName } from '../../targets/list.js';
import { units } from '../../units/list.js';
import type { ReproductionChange } from './reproduction.js';

/** How a table is run here: a plan for each target of it that is ours, and what of the shape is not as published. */
export interface ReproductionPlan {
  table: PublishedTable;
  scenario: Scenario;
  scale: number;
  plans: Plan[];
  repeat: number;
  changes: ReproductionChange[];
  ours: string;
}

/** Options, by flag, that say how many clients there are: what `--scale` scales. */
const audienceFlags = ['subscribers', 'connections', 'clients', 'step'];
/** Options, by flag, that can't be more than there are clients. */
const withinAudience = ['room'];

/** The targets of a table that are ours, in its order. */
function ownTargets({ figures }: PublishedTable): string[] {
  return [...new Set(figures.map(({ target }) => target))].filter((name) => targetByName(name) !== undefined);
}

/** The scenario of a table and the values of its options as published, by key; or why there is none here. */
export function shapeOfTable(
  table: PublishedTable,
): { scenario: Scenario; published: Record<string, unknown> } | { why: string; command: string } {
  const scenario = scenarioByName(table.scenario);
  if (!scenario) return { why: `there is no scenario ${table.scenario} here`, command: commandFor(table) };
  const resolved = resolveOptions(scenario.options, { file: table.parameters });
  if (!resolved.ok) {
    const issues = resolved.issues.map(
      ({ option, expected, received }) => `${option}: expected ${expected}, received ${received}`,
    );
    return {
      why: `scenario ${scenario.name} is not that of the table: ${issues.join('; ')}`,
      command: commandFor(table),
    };
  }
  const given = Object.entries(resolved.values).filter(([key]) => resolved.sources[key] === 'file');
  return { scenario, published: Object.fromEntries(given) };
}

/** The load of a table as a command line, should a command have the name of its scenario. */
function commandFor({ scenario, parameters, figures }: PublishedTable): string {
  const flags = Object.entries(parameters).map(([name, value]) => `--${kebab(name)} ${value}`);
  return `ringside ${scenario} --target ${figures[0]?.target} ${flags.join(' ')}`;
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Plans a table at a scale of its clients. Throws `ProblemError` where it can't be run here at any. Pure. */
export function planReproduction(table: PublishedTable, scale: number, given: Given): ReproductionPlan {
  const shape = shapeOfTable(table);
  if ('why' in shape) {
    const hint = `Run \`ringside list scenarios\`, or the command of that name, where there is one: ${shape.command}`;
    throw new ProblemError([problem('unknownName', `${table.id}: ${shape.why}`, hint)]);
  }
  const { scenario, published } = shape;
  const names = ownTargets(table);
  if (names.length === 0) {
    const needed = [...new Set(table.figures.map(({ target }) => target))];
    throw new ProblemError([
      problem(
        'unknownName',
        `${table.id} is about ${needed.join(', ')}: no targets here`,
        'Run `ringside reproduce --list` to see which tables have targets here.',
      ),
    ]);
  }
  const options = optionsOf(scenario.options);
  const base = scaled(published, options, scale);
  // The shape is the source's: neither flags nor environment may bend it unseen.
  const named = new Set(options.map(({ env }) => env));
  const env = Object.fromEntries(Object.entries(given.env).filter(([name]) => !named.has(name)));
  const asked = {
    flags: { ...given.flags, targets: names, targetFiles: [], isProving: false },
    env,
    file: given.file,
    base,
    baseSource: 'published',
  };
  const { plans, repeat } = planCompare(scenario, asked);
  const values = plans[0]?.options ?? {};
  const told = options.filter(({ flag }) => camel(flag) in table.parameters);
  const untold = Object.fromEntries(
    Object.entries(values).filter(([key]) => !(key in published) && !isSuperseded(key, published)),
  );
  return {
    table,
    scenario,
    scale,
    plans,
    repeat,
    changes: told.flatMap((option) => changeOf(option, table.parameters[camel(option.flag)], values[option.key])),
    ours: optionsInWords(scenario, untold),
  };
}

/** Where broadcasts are counted, an option says no more how long they last. */
function isSuperseded(key: string, published: Record<string, unknown>): boolean {
  return key === 'durationMs' && 'broadcasts' in published;
}

const camel = (flag: string): string => flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

function scaled(
  published: Record<string, unknown>,
  options: readonly Option[],
  scale: number,
): Record<string, unknown> {
  const values = { ...published };
  let clients = Number.POSITIVE_INFINITY;
  for (const { key, flag } of options) {
    const value = values[key];
    if (!audienceFlags.includes(flag) || typeof value !== 'number') continue;
    clients = Math.max(1, Math.round(value * scale));
    values[key] = clients;
  }
  for (const { key, flag } of options) {
    const value = values[key];
    if (withinAudience.includes(flag) && typeof value === 'number') values[key] = Math.min(value, clients);
  }
  return values;
}

/** Nothing where the value is the published one. Some options have a bound that a published value lies beyond. */
function changeOf({ flag, unit }: Option, text: unknown, here: unknown): ReproductionChange[] {
  const value = unit ? units[unit].parse(String(text)) : text;
  if (value === here) return [];
  const print = (each: unknown): string => (unit && typeof each === 'number' ? units[unit].print(each) : String(each));
  return [{ option: flag, published: print(value), here: print(here) }];
}
