import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { percentiles, samplesFor } from '../../measure/samples/distribution.js';
import type { RigLoad } from '../../results/result.js';
import { clientKinds, protocolByName, type Scenario, scenarioByName } from '../../run/catalog.js';
import { targetOptionValues } from '../../run/target/target-options.js';
import { targets } from '../../targets/list.js';
import type { Target } from '../../targets/target.js';
import { bytes } from '../../units/bytes.js';
import { count } from '../../units/count.js';
import { rate } from '../../units/rate.js';
import type { CalibrateOptions } from './calibrate-options.js';

/** The scenario of every point. */
export const latency = scenarioByName('latency') as Scenario;

/** One load and its metronome. */
export interface GridPoint {
  load: RigLoad;
  target: Target;
  /** The options of the metronome, by key. */
  orders: Record<string, unknown>;
}

/** Every point of the grid, the lightest first. Throws `ProblemError` with every problem at once. */
export function gridOf(options: CalibrateOptions): GridPoint[] {
  const problems: Problem[] = [];
  const read = (flag: string, form: string, texts: readonly string[], parse: (text: string) => number | undefined) =>
    texts.flatMap((text) => {
      const value = parse(text);
      if (value !== undefined && value > 0) return value;
      problems.push(problem('badOption', `--${flag}: expected ${form}, received ${text}`));
      return [];
    });
  const subscribers = read('subscribers', 'a count of 1 or more', options.subscribers, count.parse);
  const rates = read('rate', 'a rate such as 10/s', options.rates, rate.parse);
  const workers = read('workers', 'a count of 1 or more', options.workers, count.parse);
  const payloads = read('payload', 'a size that a broadcast can have, such as 200b', options.payloads, (text) => {
    const size = bytes.parse(text) ?? 0;
    return latency.options.shape.payloadBytes?.safeParse(size).success ? size : undefined;
  });
  const carrying = samplesFor(percentiles.p99);
  for (const each of subscribers.filter((clients) => clients * options.broadcasts < carrying)) {
    const least = Math.ceil(carrying / each);
    const message = `--broadcasts: expected at least ${least}, received ${options.broadcasts}`;
    const hint = `A p99 takes ${carrying} deliveries, and ${each} subscribers get one of each broadcast.`;
    problems.push(problem('badOption', message, hint));
  }
  for (const client of options.clients.filter((each) => !(clientKinds as readonly string[]).includes(each)))
    problems.push(problem('badOption', `--client: expected ${clientKinds.join(' or ')}, received ${client}`));
  const names = metronomes.map(({ name }) => name).join(' or ');
  const chosen = options.targets.flatMap((name) => {
    const target = metronomes.find((each) => each.name === name);
    if (!target) problems.push(problem('badOption', `--target: expected ${names}, received ${name}`));
    return target ?? [];
  });
  const orders = targetOptionValues(options.orders, chosen, problems);
  if (problems.length > 0) throw new ProblemError(problems);
  const rig = cross(cross([{ shards: options.localShards }], 'client', options.clients), 'workers', workers);
  const loads = cross(cross(cross(rig, 'subscribers', subscribers), 'ratePerSecond', rates), 'payloadBytes', payloads);
  const points = chosen.flatMap((target, index) =>
    loads.map((load) => ({ load: { ...load, protocol: target.protocol }, target, orders: orders[index] ?? {} })),
  );
  return points.sort((a, b) => deliveriesOf(a) - deliveriesOf(b) || a.load.payloadBytes - b.load.payloadBytes);
}

/** Every row with every value. */
function cross<R extends object, K extends string, V>(rows: readonly R[], key: K, values: readonly V[]) {
  return rows.flatMap((row) => values.map((value) => ({ ...row, [key]: value }) as R & Record<K, V>));
}

/** The targets of known truth that can take part in `latency`. */
const metronomes = targets.filter(({ isKnownTruth, protocol }) => {
  const { verbs = [] } = protocolByName(protocol) ?? {};
  return isKnownTruth === true && latency.needs().every((verb) => verbs.includes(verb));
});

function deliveriesOf({ load }: GridPoint): number {
  return load.subscribers * load.ratePerSecond;
}
