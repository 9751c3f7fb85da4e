import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Served, workplace } from '../../test/workplace.js';
import { fetchTruth } from '../commands/calibrate/truth.js';
import type { Samples } from '../measure/samples/samples.js';
import { scenarios } from '../scenarios/list.js';
import { clientKinds, loadOptions } from '../scenarios/load-options.js';
import type { Plan } from './plan/plan.js';
import { fleetOptions } from './plan/run-options.js';
import { run } from './run.js';
import { ShardClient } from './shards/shard-client.js';

const place = workplace();
const latency = scenarios.find(({ name }) => name === 'latency')!;
const sizes = { clients: 7, broadcasts: 101, ratePerSecond: 50, warmUp: 3 };
const frozenMs = 500;
/** So much is under way at any time that every freeze hits some. */
const delayMs = 211;
/** A stop that is over before the next tick of a worker, and what a timer may be late, stays unseen. */
const unseenUs = 12_000;
/** Ends and truths are whole microseconds, each rounded down. */
const roundingUs = 3;

function planOf({ port }: Served, client: string): Plan {
  const at = `127.0.0.1:${port}`;
  const urls = { wsUrl: `ws://${at}/ws`, publishUrl: `http://${at}/_broadcast`, statsUrl: undefined };
  return {
    scenario: latency,
    options: latency.options.parse(sizes),
    load: loadOptions.parse({ workers: 1, client }),
    fleet: { ...fleetOptions.parse({}), resultsDir: place.folder, seed: 1 },
    target: { isOurs: false, name: at, protocol: 'ws-json', protocolOptions: {}, ...urls, publishHeaders: {} },
    thresholds: [],
    sources: {},
  };
}

/** Stops the process again and again until that is done. The pauses between differ, so that no schedule fits. */
async function frozenUntil(done: Promise<unknown>, pid: number): Promise<void> {
  let isDone = false;
  const watched = done.finally(() => {
    isDone = true;
  });
  for (let freeze = 0; !isDone; freeze++) {
    process.kill(pid, 'SIGSTOP');
    await delay(frozenMs);
    process.kill(pid, 'SIGCONT');
    await Promise.race([watched, delay(311 + (freeze % 3) * 23)]);
  }
}

const shares = { p50: 0.5, p90: 0.9, p95: 0.95, max: 1 };
const figures = Object.keys(shares) as (keyof typeof shares)[];

/** A figure of ascending times, by nearest rank. */
function at(times: readonly number[], figure: keyof typeof shares): number {
  return times[Math.ceil(times.length * shares[figure]) - 1]!;
}

const raw = (samples: Samples | undefined): number[] => (samples?.kind === 'raw' ? [...samples.values] : []);

describe.runIf(process.platform === 'linux')('a bench-runner that freezes', () => {
  it.each(clientKinds)('knows of %s clients how long their deliveries may have waited in it', async (kind) => {
    const [target, runner] = await Promise.all([
      place.serve('servers/metronome/main.js', [`--delay=constant:${delayMs}ms`]),
      place.benchRunner(),
    ]);
    const running = run(planOf(target, kind), {
      shards: [new ShardClient(`http://127.0.0.1:${runner.port}`, undefined)],
      childDescriptors: null,
      interrupt: new AbortController().signal,
      notKept: ({ message }) => expect.unreachable(message),
      progress: () => undefined,
    });
    await frozenUntil(running, runner.command.pid);
    const { result, samples, series } = await running;
    const { done } = await fetchTruth(
      `ws://127.0.0.1:${target.port}/ws`,
      result.job.stream,
      sizes.warmUp,
      series.sentAtUs!,
    );
    const [least, truth, most] = [raw(samples.deliveryAtLeast), raw(done), raw(samples.delivery)];
    expect([least.length, most.length]).toEqual([truth.length, truth.length]);
    // If each interval contains its truth, so it is rank by rank.
    expect(Math.max(...least.map((us, rank) => us - truth[rank]!))).toBeLessThanOrEqual(unseenUs);
    expect(Math.max(...most.map((us, rank) => truth[rank]! - us))).toBeLessThanOrEqual(roundingUs);
    expect(Math.max(...most.map((us, rank) => us - truth[rank]!))).toBeGreaterThan(10 * unseenUs);
    // A busy machine also holds up the target: the freezes do not raise every figure.
    const raised = figures.filter((figure) => at(most, figure) - at(truth, figure) > 10 * unseenUs);
    const blamed = (result.verdict.doubts ?? []).flatMap(({ metric, figure, leastUs }) => {
      const known = figures.find((each) => each === figure);
      return metric === 'delivery' && known && leastUs <= at(truth, known) + unseenUs ? [known] : [];
    });
    expect(blamed).toEqual(expect.arrayContaining(raised));
  });
});
