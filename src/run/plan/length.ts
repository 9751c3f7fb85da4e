import { z } from 'zod';
import { type Problem, problem } from '../../contract/problems.js';
import { optionalDuration } from '../../scenarios/options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { eventsIn, loadOfStages, parseRateStages } from '../../scenarios/traffic/schedule.js';
import { duration, rate } from '../../units/unit.js';

const durationMs = optionalDuration(
  'duration',
  [1, 3_600_000],
  'length of the measured schedule, in place of --broadcasts',
);

/** Returns the options of a scenario as users give them. `--duration` is the other way to say how many broadcasts. */
export function loadSchema({ options: { shape } }: Scenario): z.ZodObject {
  if (!('broadcasts' in shape) || 'durationMs' in shape) return z.strictObject(shape);
  const entries = Object.entries(shape).flatMap((entry) =>
    entry[0] === 'broadcasts' ? [entry, ['durationMs', durationMs] as const] : [entry],
  );
  return z.strictObject(Object.fromEntries(entries));
}

interface Resolved {
  values: Record<string, unknown>;
  sources: Record<string, string>;
  names: Record<string, string>;
  wrong: readonly string[];
  problems: Problem[];
}

/** Returns the options with the broadcasts and the mean rate of given stages. Adds a problem if others are given. */
function withRateStages<R extends Resolved>(read: R): R {
  const { values, sources, names, problems } = read;
  const { rateStages: source = '' } = sources;
  const stages = parseRateStages(String(values.rateStages)) ?? [];
  const load = loadOfStages(stages, Number(values.warmUp));
  for (const key of ['broadcasts', 'ratePerSecond', 'durationMs'] as const) {
    const isAlike = key !== 'durationMs' && values[key] === load[key];
    if ((sources[key] ?? 'default') === 'default' || isAlike) continue;
    const text = `${names[key]}: expected nothing with ${names.rateStages}, received ${values[key]}`;
    problems.push(problem('badOption', text, 'Give one of the two.'));
  }
  // Stages that are over within the warm-up are refused with the other contradictions.
  if (load.broadcasts < 1) return read;
  const from = { broadcasts: source, ratePerSecond: source };
  return { ...read, values: { ...values, ...load }, sources: { ...sources, ...from } };
}

/** Returns the options with the broadcasts of a given duration. Adds a problem if another number is given. */
export function withLength<R extends Resolved>({ options: { shape } }: Scenario, read: R): R {
  const { values, sources, names, wrong, problems } = read;
  const isGiven = (key: string): boolean => (sources[key] ?? 'default') !== 'default' && !wrong.includes(key);
  if (isGiven('rateStages') && !wrong.includes('warmUp')) return withRateStages(read);
  if (!('broadcasts' in shape) || !isGiven('durationMs') || wrong.includes('ratePerSecond')) return read;
  const [ms, ratePerSecond] = [Number(values.durationMs), Number(values.ratePerSecond)];
  const broadcasts = eventsIn(ms, ratePerSecond);
  if (isGiven('broadcasts')) {
    const why = `which ${names.durationMs} ${duration.print(ms)} makes at ${rate.print(ratePerSecond)}`;
    const text = `${names.broadcasts}: expected ${broadcasts}, ${why}, received ${values.broadcasts}`;
    if (values.broadcasts !== broadcasts) problems.push(problem('badOption', text, 'Give one of the two.'));
  } else if (!('durationMs' in shape)) {
    const { durationMs: source = '' } = sources;
    return { ...read, values: { ...values, broadcasts }, sources: { ...sources, broadcasts: source } };
  }
  return read;
}
