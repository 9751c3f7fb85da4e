import { z } from 'zod';
import { loadOptions, type Scenario, scenarioByName } from '../../contract/catalog.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { fileKey, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { count } from '../../units/count.js';
import { type Given, type Plan, planRun, runSchema } from '../plan.js';
import { fleetOptions, targetOptions } from '../run-options.js';
import type { SearchShape } from './search.js';

const precisionOf = (text: string): number | undefined => {
  const percent = /^(\d{1,2}(?:\.\d+)?)\s*%$/.exec(text)?.[1];
  return percent === undefined || Number(percent) === 0 ? undefined : Number(percent) / 100;
};

const scenario = ((): Scenario => {
  const found = scenarioByName('throughput');
  if (!found) throw new Error('there is no scenario throughput');
  return found;
})();

/** Options of `knee` itself: the grid, the search, and the length of a run. */
export const kneeOptions = z.strictObject({
  subscribers: z.array(z.string()).min(1).default(['25', '100', '400']).meta({
    flag: 'subscribers',
    placeholder: 'counts',
    help: 'numbers of subscribers to find the knee at, such as 25,100,400; repeatable',
  }),
  minRate: z.number().positive().max(100_000).default(5).meta({
    flag: 'min-rate',
    unit: 'rate',
    help: 'broadcasts per second to begin with: what the target does there is its plateau',
  }),
  maxRate: z.number().positive().max(100_000).default(10_000).meta({
    flag: 'max-rate',
    unit: 'rate',
    help: 'broadcasts per second beyond which no knee is looked for',
  }),
  precision: z
    .string()
    .refine((text) => precisionOf(text) !== undefined, { error: 'expected a percentage such as 5%' })
    .default('5%')
    .meta({
      flag: 'precision',
      placeholder: 'percent',
      help: 'how far apart the rate that was kept up with and the one that jammed may lie',
    }),
  repeat: z.number().int().min(1).max(20).default(2).meta({
    flag: 'repeat',
    unit: 'count',
    help: 'runs that must agree at each rate that decides; where they do not, up to twice as many and one are made',
  }),
  durationMs: z.number().int().min(500).max(3_600_000).default(3000).meta({
    flag: 'duration',
    unit: 'duration',
    help: 'length of the measured schedule of each run',
  }),
  drainMs: z.number().int().min(100).max(600_000).default(5000).meta({
    flag: 'drain',
    unit: 'duration',
    help: 'how long a backlog may take to drain after the last publish was answered; what comes later is lost',
  }),
});

const ownKeys = Object.keys(kneeOptions.shape);
/** What the search sets itself, or what a target that must stay one process has no use for. */
const notGiven = [...ownKeys, 'ratePerSecond', 'broadcasts', 'thresholds', 'targetProcesses', 'isProving'];
const isGiven = ([key]: [string, unknown]): boolean => !notGiven.includes(key);

/** The options of `knee`, in the order of its help. */
export const kneeSchema = z.strictObject({
  ...targetOptions.shape,
  ...kneeOptions.shape,
  ...Object.fromEntries(
    Object.entries({ ...scenario.options.shape, ...loadOptions.shape, ...fleetOptions.shape }).filter(isGiven),
  ),
});

/** A whole search, resolved: the run that all its runs are made from, and where it looks. */
export interface KneePlan {
  plan: Plan;
  subscribers: readonly number[];
  shape: SearchShape;
  durationMs: number;
  drainMs: number;
}

/** Resolves a search. Throws `ProblemError` with every problem at once, the names of the target apart. */
export function planKnee(given: Given): KneePlan {
  const resolved = resolveOptions(kneeSchema, given);
  if (!resolved.ok) {
    throw new ProblemError(
      resolved.issues.map(({ option, expected, received }) =>
        problem('badOption', `${option}: expected ${expected}, received ${received}`),
      ),
    );
  }
  const values: Readonly<Record<string, unknown>> = resolved.values;
  const own = kneeOptions.parse(Object.fromEntries(ownKeys.map((key) => [key, values[key]])));
  const problems: Problem[] = [];
  const subscribers = own.subscribers
    .flatMap((text) => text.split(','))
    .flatMap((text) => {
      const value = count.parse(text.trim());
      if (value !== undefined && value > 0 && Number.isInteger(value)) return value;
      problems.push(problem('badOption', `--subscribers: expected counts such as 25,100,400, received ${text}`));
      return [];
    });
  if (own.maxRate <= own.minRate)
    problems.push(
      problem('badOption', `--max-rate: expected more than --min-rate ${own.minRate}, received ${own.maxRate}`),
    );
  if (problems.length > 0) throw new ProblemError(problems);
  const { repeat, minRate, maxRate, durationMs: runMs, drainMs } = own;
  const precision = precisionOf(own.precision) as number;
  return {
    plan: planRun(scenario, forThroughput(given)),
    subscribers: [...new Set(subscribers)].sort((a, b) => a - b),
    shape: { minRate, maxRate, precision, repeat },
    durationMs: runMs,
    drainMs,
  };
}

/** What was given, without all that the search has or sets itself. */
function forThroughput({ flags, env, file }: Given): Given {
  const options = optionsOf(runSchema(scenario)).filter(({ key }) => notGiven.includes(key));
  const without = (entries: Record<string, unknown>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => !names.includes(name)));
  const own = optionsOf(kneeOptions);

  return {
    flags: without(flags, notGiven),
    env: without(
      env,
      [...options, ...own].map((option) => option.env),
    ) as Given['env'],
    file: without(file, [...options, ...own].map(fileKey)),
  };
}

/** The plan of one run of the search. */
export function planOfRun(
  { plan, durationMs: runMs, drainMs }: KneePlan,
  subscribers: number,
  rate: number,
  more: Pick<Plan, 'target'> & { resultsDir: string },
): Plan {
  const { broadcasts: _none, ...options } = plan.options;
  return {
    ...plan,
    target: more.target,
    fleet: { ...plan.fleet, resultsDir: more.resultsDir },
    options: { ...options, subscribers, ratePerSecond: rate, durationMs: runMs, drainMs },
  };
}
