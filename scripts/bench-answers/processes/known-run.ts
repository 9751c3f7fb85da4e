import type { ComparisonRow } from '../../../src/results/comparison.js';
import type { RunOutcome } from '../../../src/run/conclude.js';
import type { Plan } from '../../../src/run/plan/plan.js';
import { fleetOptions } from '../../../src/run/plan/run-options.js';
import { run } from '../../../src/run/run.js';
import { ShardClient } from '../../../src/run/shards/shard-client.js';
import { scenarios } from '../../../src/scenarios/list.js';
import { loadOptions } from '../../../src/scenarios/load-options.js';
import { type RunningTarget, startTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import { withBenchRunner } from '../../bench-rig/processes/places.js';
import type { AnswerContext } from '../bench.js';
import { owedMedian } from '../product.js';
import type { Compared } from './compared.js';
import { writtenByBroadcastUs } from './servers.js';

const latency = scenarios.find(({ name }) => name === 'latency')!;

/** Describes one run against a metronome and its processes. */
export interface KnownRun {
  metronome: RunningTarget;
  /** Process id of the bench-runner. */
  rigPid: number;
  /** Makes the run. It calls `publishing` when the publishes begin. */
  measure(options: Readonly<Record<string, unknown>>, publishing?: () => void): Promise<RunOutcome>;
}

/** Runs `work` with a bench-runner and a metronome. The metronome outlives its runs, so that its record can be read. */
export async function withKnownTruth<T>(
  delay: string,
  context: AnswerContext,
  work: (known: KnownRun) => Promise<T>,
): Promise<T> {
  const metronome = await startTarget(targetByName('metronome')!, { host: '127.0.0.1', options: { delay } });
  try {
    return await withBenchRunner(context.signal, ({ url, pid }) => {
      const measure: KnownRun['measure'] = (options, publishing = () => undefined) =>
        run(planOf(metronome, options, context), {
          shards: [new ShardClient(url, undefined)],
          childDescriptors: null,
          interrupt: context.signal,
          notKept: ({ message }) => context.say(message),
          progress: ({ stage }) => {
            if (stage === 'publish') publishing();
          },
        });
      return work({ metronome, rigPid: pid, measure });
    });
  } finally {
    await metronome.stop();
  }
}

function planOf(
  { endpoints: { wsUrl, publishUrl, statsUrl }, target: { name, protocol } }: RunningTarget,
  options: Readonly<Record<string, unknown>>,
  { directory }: AnswerContext,
): Plan {
  return {
    scenario: latency,
    options: latency.options.parse(options),
    load: loadOptions.parse({ workers: 1 }),
    fleet: { ...fleetOptions.parse({}), resultsDir: directory, seed: 1 },
    target: { isOurs: false, name, protocol, protocolOptions: {}, wsUrl, publishUrl, statsUrl, publishHeaders: {} },
    thresholds: [],
    sources: {},
  };
}

/**
 * Returns the record of each metronome of a comparison by server, start and round. Each value is the median of its
 * deliveries in microseconds, from the read of the publish to the write. A server without runs has an empty list.
 */
export function recordedRounds(servers: readonly RunningTarget[], { rows }: Compared): Promise<number[][][]> {
  return Promise.all(
    servers.map((server, place) => Promise.all(rows[place]?.runs.map((run) => roundsOf(server, run)) ?? [])),
  );
}

async function roundsOf(server: RunningTarget, { result: { job } }: ComparisonRow['runs'][number]): Promise<number[]> {
  const { warmUp, broadcasts, subscribers } = job.options;
  const written = await writtenByBroadcastUs(server, job.stream, Number(warmUp));
  return Array.from({ length: Number(broadcasts) }, (_, round) =>
    owedMedian(written[round] ?? [], Number(subscribers)),
  );
}
