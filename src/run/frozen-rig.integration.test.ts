import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Served, workplace } from '../../test/workplace.js';
import { fetchTruth } from '../commands/calibrate/known-truth.js';
import type { Samples } from '../measure/samples/samples.js';
import { clientKinds } from '../scenarios/load-options.js';
import { loadOptions, scenarios } from './catalog.js';
import type { Plan } from './plan/plan.js';
import { fleetOptions } from './plan/run-options.js';
import { run } from './run.js';
import { ShardClient } from './shards/shard-client.js';

const place = workplace();
const latency = scenarios.find(({ name }) => name === 'latency')!;
const sizes = { subscribers: 7, broadcasts: 101, ratePerSecond: 50, warmUp: 3 };
const frozenMs = 500;
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

const raw = (samples: Samples | undefined): number[] => (samples?.kind === 'raw' ? [...samples.values] : []);

describe.runIf(process.platform === 'linux')('a bench-runner that freezes', () => {
  it.each(clientKinds)('knows of %s clients how long their deliveries may have waited in it', async (kind) => {
    const [target, runner] = await Promise.all([
      place.serve('servers/metronome/main.js', ['--delay=constant:40ms']),
      place.benchRunner(),
    ]);
    let publish: () => void;
    const publishing = new Promise<void>((resolve) => {
      publish = resolve;
    });
    const running = run(planOf(target, kind), {
      shards: [new ShardClient(`http://127.0.0.1:${runner.port}`, undefined)],
      childDescriptors: null,
      interrupt: new AbortController().signal,
      notKept: ({ message }) => expect.unreachable(message),
      progress: ({ stage }) => {
        if (stage === 'publish') publish();
      },
    });
    await Promise.race([publishing, running]);
    for (let freeze = 0; freeze < 2; freeze++) {
      process.kill(runner.command.pid, 'SIGSTOP');
      await delay(frozenMs);
      process.kill(runner.command.pid, 'SIGCONT');
      await delay(211);
    }
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
    const [slowest, truest] = [most.at(-1)!, truth.at(-1)!];
    expect(slowest - truest).toBeGreaterThan((frozenMs * 1000) / 2);
    const marks = result.verdict.doubts?.filter(({ metric, figure }) => metric === 'delivery' && figure === 'max');
    expect(marks?.map(({ leastUs }) => leastUs <= truest + unseenUs)).toContain(true);
  });
});
