import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { percentiles, samplesFor } from '../../measure/samples/distribution.js';
import type { RigLoad } from '../../results/result.js';
import { clientKinds, protocolByName, scenarioByName } from '../../run/catalog.js';
import { targetOptionValues } from '../../run/target/target-options.js';
import { targets } from '../../targets/list.js';
import type { Target } from '../../targets/target.js';
import { bytes } from '../../units/bytes.js';
import { count } from '../../units/count.js';
import { rate } from '../../units/rate.js';
import type { CalibrateOptions } from './calibrate-options.js';

/** One load, and the metronome that it is held against. */
export interface GridPoint {
  load: RigLoad;
  target: Target;
  /** What the metronome is told, by key of its options. */
  orders: Record<string, unknown>;
}

/** Every point of the grid, the lightest of each kind first. Throws `ProblemError` with every problem at once. */
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
    return scenarioByName('latency')?.options.shape.payloadBytes?.safeParse(size).success ? size : undefined;
  });
  const carrying = samplesFor(percentiles.p99);
  for (const each of subscribers.filter((clients) => clients * options.broadcasts < carrying)) {
    const [least, asked] = [Math.ceil(carrying / each), options.broadcasts];
    const why = `${each} subscribers need as many for the ${carrying} deliveries that carry a p99`;
    problems.push(problem('badOption', `--broadcasts: expected ${least} or more, received ${asked}: ${why}`));
  }
  for (const client of options.clients.filter((each) => !(clientKinds as readonly string[]).includes(each)))
    problems.push(problem('badOption', `--client: expected ${clientKinds.join(' or ')}, received ${client}`));
  const chosen = options.targets.flatMap((name) => {
    const target = judges.find((each) => each.name === name);
    if (!target) problems.push(problem('badOption', `--target: expected ${metronomes()}, received ${name}`));
    return target ?? [];
  });
  const orders = targetOptionValues(options.orders, chosen, problems);
  if (problems.length > 0) throw new ProblemError(problems);
  const points = chosen.flatMap((target, index) =>
    options.clients.flatMap((client) =>
      workers.flatMap((loops) =>
        subscribers.flatMap((clients) =>
          rates.flatMap((ratePerSecond) =>
            payloads.map((payloadBytes): GridPoint => {
              const { protocol } = target;
              const rig = { client, protocol, workers: loops, shards: options.localShards };
              return {
                load: { ...rig, subscribers: clients, ratePerSecond, payloadBytes },
                target,
                orders: orders[index] ?? {},
              };
            }),
          ),
        ),
      ),
    ),
  );
  return points.sort((a, b) => deliveriesOf(a) - deliveriesOf(b) || a.load.payloadBytes - b.load.payloadBytes);
}

/** Of the targets of known truth those that can be asked for the latency of a broadcast. */
const judges = targets.filter(({ isKnownTruth, protocol }) => {
  const verbs = protocolByName(protocol)?.verbs ?? [];
  return (
    isKnownTruth === true &&
    scenarioByName('latency')
      ?.needs()
      .every((verb) => verbs.includes(verb))
  );
});

function metronomes(): string {
  return judges.map(({ name }) => name).join(' or ');
}

function deliveriesOf({ load }: GridPoint): number {
  return load.subscribers * load.ratePerSecond;
}
