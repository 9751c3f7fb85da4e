import { expect, it } from 'vitest';
import { startNs, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { broadcastState } from '../../measure/samples/recorder.js';
import { slowReadersAudience, slowReadersOptions } from './audience.js';

const [broadcasts, warmUp] = [20, 2];

/** Seven clients at 10/s, of which number 3 reads 1 kB/s and number 6 nothing from the middle of two seconds on. */
async function played(during: (stage: ReturnType<typeof workerOnStage>, beginMs: number) => void) {
  const options = slowReadersOptions.parse({
    ...{ clients: 7, broadcasts, warmUp, ratePerSecond: 10, rampRatePerSecond: 1000, drainMs: 500 },
    ...{ slow: '14%:1kb/s', stoppedShare: 0.14 },
  });
  const stage = workerOnStage(options, { broadcasts: broadcasts + warmUp });
  const allowed: [atMs: number, client: number, bytes: number][] = [];
  let beginMs = 0;
  const { openClients } = stage.context;
  const audience = slowReadersAudience({
    ...stage.context,
    async openClients(events) {
      const clients = await openClients(events);
      clients.readAtMost = (client, bytes) => allowed.push([Math.round(stage.sinceStartMs() - beginMs), client, bytes]);
      return clients;
    },
  });
  await stage.play(audience, 'ramp');
  beginMs = stage.sinceStartMs();
  const { board } = stage.context;
  for (let n = 0; n < board.size; n++) {
    board.sentAtNs[n] = board.intendedAtNs[n] = startNs + (beginMs + n * 100) * 1e6;
    board.state[n] = broadcastState.acked;
  }
  during(stage, beginMs);
  await stage.play(audience, 'publish');
  await stage.play(audience, 'drain');
  return { allowed, report: audience.report() };
}

const all = broadcasts + warmUp;
const healthy = [0, 1, 2, 4, 5];
const sum = (series: Iterable<number> = []): number => [...series].reduce((total, each) => total + each, 0);

it('lets slow readers read at their rate from the middle on, and freely in the end', async () => {
  const { allowed } = await played(() => undefined);
  const [slow, stopped] = [3, 6].map((each) => allowed.filter(([, client]) => client === each));
  expect(new Set(allowed.map(([, client]) => client))).toEqual(new Set([3, 6]));
  expect(slow![0]![0]).toBeGreaterThanOrEqual(1200);
  expect(slow![0]![0]).toBeLessThanOrEqual(1210);
  const bytes = slow!.slice(0, -1).reduce((total, [, , each]) => total + each, 0);
  // One second, and a tenth ahead of it; each of ten calls rounds up.
  expect(bytes).toBeGreaterThanOrEqual(1000);
  expect(bytes).toBeLessThanOrEqual(1110);
  expect(stopped!.slice(0, -1).every(([, , each]) => each === 0)).toBe(true);
  expect([slow, stopped].map((each) => each!.at(-1)![2])).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

it('counts what each kind of reader got, and when slow ones were cut', async () => {
  const { report } = await played((stage, beginMs) => {
    stage.at(beginMs + 2190, () => {
      stage.deliver(healthy, 0, all);
      stage.deliver([3, 6], 0, 15);
    });
    stage.at(beginMs + 2195, () => stage.told().closed(6, 'close-code:1013', true));
    stage.at(beginMs + 2300, () => stage.deliver([3], 15, all - 1));
  });
  const { counts, causes, series, samples } = report;
  expect(counts).toMatchObject({ subscribers: 7, slowReaders: 2, slowStayed: 1, duplicate: 0, late: 0 });
  expect(causes.slowCut).toEqual({ 'close-code:1013': 1 });
  expect([sum(series.delivered), sum(series.missing)]).toEqual([5 * broadcasts, 0]);
  expect(['slowRead', 'slowReadLater', 'slowMissedByCut', 'slowMissed'].map((name) => sum(series[name]))).toEqual([
    26, 6, 7, 1,
  ]);
  const counted = (name: string) => (samples[name]?.kind === 'raw' ? samples[name].values.length : undefined);
  expect([counted('deliveryBefore'), counted('delivery')]).toEqual([50, 50]);
  expect(samples.cutAfter).toMatchObject({ kind: 'raw', values: Uint32Array.from([995_000]) });
});
