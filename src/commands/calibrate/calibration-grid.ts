import { z } from 'zod';
import { engineChoices } from '../../contract/engine.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { resumeOptions } from '../../experiment/journal.js';
import { percentiles, samplesFor } from '../../measure/samples/distribution.js';
import { protocolByName } from '../../protocols/list.js';
import type { RigLoad } from '../../results/result.js';
import { valued } from '../../run/plan/option-kinds.js';
import { fleetOptions, formOptions } from '../../run/plan/run-options.js';
import { targetOptionValues } from '../../run/server/target-options.js';
import { scenarioByName } from '../../scenarios/list.js';
import { clientKinds } from '../../scenarios/load-options.js';
import { countOption } from '../../scenarios/options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { targets } from '../../targets/list.js';
import type { Target } from '../../targets/target.js';
import { bytes, count, rate } from '../../units/unit.js';

const { localShards, seed, trustDir, resultsDir } = fleetOptions.shape;
const grid = (flag: string, placeholder: string, help: string, values: string[]) =>
  z
    .array(z.string())
    .min(1)
    .default(values)
    .meta(valued(flag, placeholder, `${help} to measure with; repeatable`));

/** Holds the options of `calibrate`: the grid, the known truth and the bound. */
export const calibrateOptions = z.strictObject({
  clients: grid('clients', 'count', 'clients', ['100', '1000', '3000']),
  rates: grid('rate', 'rate', 'broadcasts per second', ['10/s', '40/s']),
  payloads: grid('payload', 'size', 'payload', ['200b']),
  kinds: grid('client', clientKinds.join('|'), 'kind of clients', [...clientKinds]),
  engines: grid('engine', engineChoices.join('|'), 'engine of wire clients', ['auto']),
  workers: grid('workers', 'count', 'event loops per shard', ['1']),
  targets: z
    .array(z.string())
    .min(1)
    .default(['metronome'])
    .meta(valued('target', 'name', 'metronome to measure: a target of known behaviour; repeatable')),
  orders: z
    .array(z.string())
    .default(['delay=uniform:5ms,50ms', 'drop=0.01', 'duplicate=0.01'])
    .meta(valued('target-option', 'key=value', 'behaviour of the metronome; repeatable, replaces the whole default')),
  broadcasts: countOption('broadcasts', 100, [20, 100_000], 'broadcasts of each run'),
  boundMs: z
    .number()
    .positive()
    .max(60_000)
    .default(1)
    .meta({ flag: 'bound', unit: 'duration', help: 'largest error of the p99 at a trusted load' }),
  localShards,
  seed,
  trustDir,
  resultsDir,
  ...formOptions.shape,
  ...resumeOptions.shape,
});

export type CalibrateOptions = z.output<typeof calibrateOptions>;

export const latencyScenario = scenarioByName('latency') as Scenario;

export interface GridPoint {
  load: RigLoad;
  target: Target;
  orders: Record<string, unknown>;
}

/** Returns every point of the grid, the lightest first. Throws `ProblemError` with every problem at once. */
export function gridOf(options: CalibrateOptions): GridPoint[] {
  const problems: Problem[] = [];
  const read = <T>(flag: string, form: string, texts: readonly string[], parse: (text: string) => T | undefined): T[] =>
    texts.flatMap((text) => {
      const value = parse(text);
      if (value !== undefined) return [value];
      problems.push(problem('badOption', `--${flag}: expected ${form}, received ${text}`));
      return [];
    });
  const one = <T extends string>(flag: string, choices: readonly T[], texts: readonly string[]): T[] =>
    read(flag, choices.join(' or '), texts, (text) => choices.find((each) => each === text));
  const clients = read('clients', 'a count of 1 or more', options.clients, (text) => count.parse(text) || undefined);
  const rates = read('rate', 'a rate such as 10/s', options.rates, (text) => rate.parse(text) || undefined);
  const workers = read('workers', 'a count of 1 or more', options.workers, (text) => count.parse(text) || undefined);
  const payloads = read('payload', 'a size that a broadcast can have, such as 200b', options.payloads, (text) => {
    const size = bytes.parse(text);
    return latencyScenario.options.shape.payloadBytes?.safeParse(size).success ? size : undefined;
  });
  const carrying = samplesFor(percentiles.p99);
  for (const each of clients.filter((each) => each * options.broadcasts < carrying)) {
    const least = Math.ceil(carrying / each);
    const message = `--broadcasts: expected at least ${least}, received ${options.broadcasts}`;
    const hint = `A p99 takes ${carrying} deliveries, and ${each} subscribers get one of each broadcast.`;
    problems.push(problem('badOption', message, hint));
  }
  const chosenKinds = one('client', clientKinds, options.kinds);
  const engines = one('engine', engineChoices, options.engines);
  const names = metronomes.map(({ name }) => name).join(' or ');
  const chosen = read('target', names, options.targets, (text) => metronomes.find(({ name }) => name === text));
  const orders = targetOptionValues(options.orders, chosen, problems);
  if (problems.length > 0) throw new ProblemError(problems);
  const kinds = chosenKinds.flatMap((client): Pick<RigLoad, 'client' | 'engine'>[] =>
    client === 'wire' ? cross([{ client }], 'engine', engines) : [{ client }],
  );
  const rig = cross(cross(kinds, 'shards', [options.localShards]), 'workers', workers);
  const loads = cross(cross(cross(rig, 'clients', clients), 'ratePerSecond', rates), 'payloadBytes', payloads);
  const points = chosen.flatMap((target, index) =>
    loads.map((load) => ({ load: { ...load, protocol: target.protocol }, target, orders: orders[index] ?? {} })),
  );
  return points.sort((a, b) => deliveriesOf(a) - deliveriesOf(b) || a.load.payloadBytes - b.load.payloadBytes);
}

function cross<R extends object, K extends string, V>(rows: readonly R[], key: K, values: readonly V[]) {
  return rows.flatMap((row) => values.map((value) => ({ ...row, [key]: value }) as R & Record<K, V>));
}

const metronomes = targets.filter(({ isKnownTruth, protocol }) => {
  const { verbs = [] } = protocolByName(protocol) ?? {};
  return isKnownTruth === true && latencyScenario.needs().every((verb) => verbs.includes(verb));
});

function deliveriesOf({ load }: GridPoint): number {
  return load.clients * load.ratePerSecond;
}
