import { z } from 'zod';
import { ProblemError, problem } from '../../../contract/problems.js';
import { type ExperimentPlace, resumeOptions } from '../../../experiment/journal.js';
import { isTimed, publishWayOf } from '../../../measure/declaration.js';
import { minPoints } from '../../../measure/stats/trend.js';
import { optionsOf } from '../../../options/option.js';
import { validateOptions } from '../../../options/resolve.js';
import { valued } from '../../../run/plan/option-kinds.js';
import { type GivenForRun, type Plan, planRun, readingWithout, readOptions, valuesOf } from '../../../run/plan/plan.js';
import { rigOptions, targetOptions } from '../../../run/plan/run-options.js';
import { scenarioByName } from '../../../scenarios/list.js';
import { loadOptions } from '../../../scenarios/load-options.js';
import { countOption, drainMs as drainOption, durationOption, rateOption } from '../../../scenarios/options.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { throughputOptions } from '../../../scenarios/throughput/roles.js';
import { count, rate } from '../../../units/unit.js';
import type { SearchShape } from '../rates.js';

const precisionOf = (text: string): number | undefined => {
  const percent = /^(\d{1,2}(?:\.\d+)?)\s*%$/.exec(text)?.[1];
  return percent === undefined || Number(percent) === 0 ? undefined : Number(percent) / 100;
};

export const scenario = scenarioByName('throughput') as Scenario;

const mostRate = 100_000;

/** Options of `knee` itself: the grid, the search, and the length of a run. */
export const kneeOptions = z.strictObject({
  clients: z
    .array(z.string())
    .min(1)
    .default(['25', '100', '400'])
    .meta(valued('clients', 'counts', 'numbers of clients to find the knee at, such as 25,100,400')),
  minRate: rateOption('min-rate', 5, mostRate, 'lowest rate: its latency is the plateau'),
  maxRate: rateOption('max-rate', 10_000, mostRate, 'highest publish rate to try'),
  precision: z
    .string()
    .refine((text) => precisionOf(text) !== undefined, { error: 'expected a percentage such as 5%' })
    .default('5%')
    .meta(valued('precision', 'percent', 'largest gap between the last good and the first jammed rate')),
  repeat: countOption('repeat', 2, [1, 20], 'runs that must agree at each deciding rate'),
  durationMs: durationOption('duration', 3000, [500, 3_600_000], 'length of each run'),
  drainMs: drainOption(5000, 'time for a backlog to drain; later deliveries count as lost', 100),
});

const { publish, publishers, payloadBytes, rampRatePerSecond, stages, warmUp } = throughputOptions.shape;

/** Options of `knee`. The search sets the rate and the length of a run. */
export const kneeSchema = z.strictObject({
  ...targetOptions.shape,
  ...kneeOptions.shape,
  ...{ publish, publishers, payloadBytes, rampRatePerSecond, stages, warmUp },
  ...loadOptions.shape,
  ...rigOptions.shape,
  ...resumeOptions.shape,
});

export interface KneePlan extends ExperimentPlace {
  plan: Plan;
  clients: readonly number[];
  shape: SearchShape;
  durationMs: number;
  drainMs: number;
}

/** Resolves a search. Throws `ProblemError` with every problem at once. */
export function planKnee(given: GivenForRun): KneePlan {
  const read = readOptions(kneeSchema, given);
  const own = valuesOf(kneeOptions, read);
  const { repeat, minRate, maxRate, durationMs, drainMs } = own;
  const refuse = (message: string, hint?: string) => read.problems.push(problem('badOption', message, hint));
  const clients = own.clients.flatMap((text) => text.split(',')).map((text) => countOf(text, refuse));
  const way = publishWayOf(scenario, read.values);
  if (!isTimed(way)) refuse(`--publish: expected http or clients, whose deliveries are timed, received ${way}`);
  if (maxRate <= minRate)
    refuse(`--max-rate: expected more than --min-rate ${rate.print(minRate)}, received ${rate.print(maxRate)}`);
  const fewest = Math.round((minRate * durationMs) / 1000);
  if (fewest < minPoints)
    refuse(
      `--min-rate × --duration: expected at least ${minPoints} broadcasts, received ${fewest}`,
      'Give a higher --min-rate or a longer --duration.',
    );
  const plan = planRun(
    scenario,
    readingWithout(z.strictObject({ ...kneeOptions.shape, ...resumeOptions.shape }), read),
  );
  const { broadcasts: _none, ...sources } = plan.sources;
  const { durationMs: ofDuration = '', drainMs: ofDrain = '' } = read.sources;
  const ownSources = { clients: 'search', ratePerSecond: 'search', durationMs: ofDuration, drainMs: ofDrain };
  const kneePlan: KneePlan = {
    plan: { ...plan, sources: { ...sources, ...ownSources } },
    clients: [...new Set(clients)].sort((a, b) => a - b),
    shape: { minRate, maxRate, precision: precisionOf(own.precision) as number, repeat },
    durationMs,
    drainMs,
    resume: valuesOf(resumeOptions, read).resume,
  };
  refuseUntakable(kneePlan);
  return kneePlan;
}

function countOf(text: string, refuse: (message: string) => void): number {
  const value = count.parse(text.trim()) ?? 0;
  if (value <= 0 || !Number.isInteger(value)) refuse(`--clients: expected counts such as 25,100,400, received ${text}`);
  return value;
}

function refuseUntakable(kneePlan: KneePlan): void {
  const { clients, shape } = kneePlan;
  const flags = new Map(optionsOf(scenario.options).map(({ key, flag }) => [key, `--${flag}`]));
  const messages = clients.flatMap((each) =>
    [shape.minRate, shape.maxRate].flatMap((ratePerSecond) => {
      const { options } = planOfRun(kneePlan, each, ratePerSecond);
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

/** Returns the plan of one run: with a count of subscribers and a rate. */
export function planOfRun(
  { plan, durationMs, drainMs }: Pick<KneePlan, 'plan' | 'durationMs' | 'drainMs'>,
  clients: number,
  ratePerSecond: number,
): Plan {
  const { broadcasts: _none, ...options } = plan.options;
  return { ...plan, options: { ...options, clients, ratePerSecond, durationMs, drainMs } };
}
