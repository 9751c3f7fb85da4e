import { z } from 'zod';
import { type Problem, ProblemError, problem } from '../../../contract/problems.js';
import { optionProblems } from '../../../contract/refusal.js';
import { minPoints } from '../../../measure/stats/trend.js';
import { fileKey, optionsOf } from '../../../options/option.js';
import { resolveOptions, validateOptions } from '../../../options/resolve.js';
import { loadOptions, publishWayOf, type Scenario, scenarioByName } from '../../../run/catalog.js';
import { type Given, type Plan, planRun, runSchema } from '../../../run/plan/plan.js';
import { fleetOptions, targetOptions } from '../../../run/plan/run-options.js';
import { count } from '../../../units/count.js';
import { duration } from '../../../units/duration.js';
import { rate } from '../../../units/rate.js';
import type { SearchShape } from '../rates.js';

const precisionOf = (text: string): number | undefined => {
  const percent = /^(\d{1,2}(?:\.\d+)?)\s*%$/.exec(text)?.[1];
  return percent === undefined || Number(percent) === 0 ? undefined : Number(percent) / 100;
};

/** Of which all runs of a search are. */
export const scenario = ((): Scenario => {
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
/** What the search sets itself, what a target that must stay one process has no use for, and a form that a search is not printed in. */
const notGiven = [
  ...ownKeys,
  ...['ratePerSecond', 'broadcasts', 'thresholds', 'targetProcesses', 'isProving', 'isMarkdown'],
];
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
  if (!resolved.ok) throw new ProblemError(optionProblems(resolved.issues));
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
  if (publishWayOf(scenario, values) === 'in-process')
    problems.push(
      problem(
        'badOption',
        '--publish: expected http or clients, as a jam is told by deliveries that are timed, received in-process',
      ),
    );
  const { repeat, minRate, maxRate, durationMs: runMs, drainMs } = own;
  if (maxRate <= minRate)
    problems.push(
      problem(
        'badOption',
        `--max-rate: expected more than --min-rate ${rate.print(minRate)}, received ${rate.print(maxRate)}`,
      ),
    );
  const fewest = broadcastsIn(minRate, runMs);
  if (fewest < minPoints)
    problems.push(
      problem(
        'badOption',
        `--min-rate and --duration: expected at least ${minPoints} broadcasts in a run at the lowest rate, received ${fewest} (${rate.print(minRate)} for ${duration.print(runMs)})`,
        'Give a higher --min-rate or a longer --duration.',
      ),
    );
  if (problems.length > 0) throw new ProblemError(problems);
  const plan = planRun(scenario, forThroughput(given));
  const { broadcasts: _none, ...sources } = plan.sources;
  const ownSources: Record<string, string> = resolved.sources;
  const kneePlan: KneePlan = {
    plan: {
      ...plan,
      sources: {
        ...sources,
        subscribers: 'search',
        ratePerSecond: 'search',
        durationMs: ownSources.durationMs as string,
        drainMs: ownSources.drainMs as string,
      },
    },
    subscribers: [...new Set(subscribers)].sort((a, b) => a - b),
    shape: { minRate, maxRate, precision: precisionOf(own.precision) as number, repeat },
    durationMs: runMs,
    drainMs,
  };
  refuseUntakable(kneePlan);
  return kneePlan;
}

const broadcastsIn = (ratePerSecond: number, ms: number): number => Math.round((ratePerSecond * ms) / 1000);

/** Throws `ProblemError` where the scenario would not take a run that the search may make. */
function refuseUntakable(kneePlan: KneePlan): void {
  const { subscribers, shape, plan } = kneePlan;
  const flags = new Map(optionsOf(scenario.options).map(({ key, flag }) => [key, `--${flag}`]));
  const messages = subscribers.flatMap((each) =>
    [shape.minRate, shape.maxRate].flatMap((ratePerSecond) => {
      const { options } = planOfRun(kneePlan, each, ratePerSecond, plan.fleet.resultsDir);
      const checked = validateOptions(scenario.options, options);
      if (checked.ok) return [];
      return checked.issues.map(
        ({ option, expected, received }) =>
          `${flags.get(option) ?? option}: expected ${expected}, received ${received}`,
      );
    }),
  );
  if (messages.length > 0) throw new ProblemError([...new Set(messages)].map((text) => problem('badOption', text)));
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
  ratePerSecond: number,
  resultsDir: string,
): Plan {
  const { broadcasts: _none, ...options } = plan.options;
  return {
    ...plan,
    fleet: { ...plan.fleet, resultsDir },
    options: { ...options, subscribers, ratePerSecond, durationMs: runMs, drainMs },
  };
}
