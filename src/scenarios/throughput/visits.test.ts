import { describe, expect, it } from 'vitest';
import { subscribedOf } from '../../../test/stage/visits.js';
import { startNs, valuesOf, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { longestOf, sumCauses, sumCounts, sumSeries, sumTimelines } from '../../measure/samples/sample-sum.js';
import { shareOf } from '../../measure/share.js';
import { shareVisits, stagesOf, visitsOf } from '../traffic/schedule.js';
import { backlogOf, throughput, throughputLedger } from './index.js';
import { throughputAudience, throughputOptions, throughputPublisher } from './roles.js';

const [staying, broadcasts, warmUp, everyMs, rampMs] = [11, 41, 3, 100, 500];
const stages = '1500ms:13,500ms:13,1s:5,500ms:10';
const all = visitsOf(stagesOf(stages));
const inAll = staying + all.length;
const options = throughputOptions.parse({
  ...{ clients: staying, stages, broadcasts, warmUp, ratePerSecond: 1000 / everyMs, drainMs: 499 },
  ...{ rampRatePerSecond: 1000, publishers: 1 },
});
/** What the target does not deliver. */
const isDropped = (client: number, sequence: number): boolean => (client * 7 + sequence) % 5 === 0;

/** What the target has sent to whom, when: the truth. */
interface Sent {
  sequence: number;
  isDropped: boolean;
  /** Whether the rig can know that it was owed. */
  isOwed: boolean;
}

/** One shard of a run: its part of the clients and of the broadcasts, each of which takes 7 ms. */
async function shard(index: number, of: number) {
  const clientCount = shareOf(inAll, index, of);
  const firstClient = Array.from({ length: index }, (_, n) => shareOf(inAll, n, of)).reduce(
    (sum, each) => sum + each,
    0,
  );
  const worker = workerOnStage(options, { clientCount, totalClients: inAll, broadcasts: warmUp + broadcasts });
  const context = { ...worker.context, firstClient, slice: { index, of } };
  const subscribed = subscribedOf(context);
  const { clock, deliver, play, abort } = worker;
  const audience = throughputAudience(context);
  const publisher = throughputPublisher({
    ...context,
    until: clock.until,
    payload: (sequence) => String(sequence),
    async publish(_, events) {
      events?.sent?.();
      await clock.sleep(3);
      return 201;
    },
  });
  await clock.run(
    Promise.all([audience.stage('ramp', startNs, abort.signal), publisher.stage('ramp', startNs, abort.signal)]),
  );
  const dealt = shareVisits(context, all.length);
  const sent: Sent[] = [];
  const beginNs = startNs + rampMs * 1e6;
  for (let sequence = 0; sequence < warmUp + broadcasts; sequence++) {
    const atMs = sequence * everyMs;
    const edgeMs = sequence % of === index ? 0 : 500;
    clock.at(beginNs + atMs * 1e6, () => {
      const to = [...subscribed];
      const got = to.filter((client) => !isDropped(firstClient + client, sequence));
      for (const client of to) {
        const visit = all[dealt.visits[client - dealt.staying] ?? -1];
        // A visitor looks for its turn every 5 ms, and is there 5 ms later.
        const fromMs = visit ? Math.ceil(visit.fromMs / 5) * 5 + 5 + edgeMs : 0;
        const toMs = visit ? visit.toMs - edgeMs : Number.POSITIVE_INFINITY;
        sent.push({ sequence, isDropped: !got.includes(client), isOwed: fromMs <= atMs && atMs <= toMs });
      }
      clock.at(clock.nowNs() + 7e6, () =>
        deliver(
          got.filter((client) => subscribed.has(client)),
          sequence,
          sequence + 1,
        ),
      );
    });
  }
  const publish = (name: string, atNs: number) =>
    clock.run(Promise.all([audience.stage(name, atNs, abort.signal), publisher.stage(name, atNs, abort.signal)]));
  await clock.run(clock.until(beginNs));
  await publish('publish', beginNs);
  await play(audience, 'drain');
  return { reports: [audience.report(), publisher.report()], sent };
}

describe('visitors of a run over several shards', () => {
  it.each([1, 2, 7])('are owed what each broadcast owed to those who were there: %i shard(s)', async (of) => {
    const shards = await Promise.all(Array.from({ length: of }, (_, index) => shard(index, of)));
    const reports = shards.flatMap((each) => each.reports);
    const sums = {
      counts: sumCounts(reports.map(({ counts }) => counts)),
      causes: sumCauses(reports.map(({ causes }) => causes)),
      series: sumSeries(reports.map(({ series }) => series)),
      timeline: sumTimelines(reports.map(({ timeline }) => timeline)),
      longestMs: longestOf(reports.map(({ longestMs = {} }) => longestMs)),
    };
    const owed = shards.flatMap(({ sent }) => sent).filter(({ isOwed }) => isOwed);
    const measured = owed.filter(({ sequence }) => sequence >= warmUp);
    const lost = measured.filter(({ isDropped }) => isDropped).length;
    const { entries, breaks } = throughputLedger.ledger(sums);
    expect(breaks).toEqual([]);
    expect(lost).toBeGreaterThan(0);
    expect(measured.length).toBeGreaterThan(staying * broadcasts);
    expect(entries).toMatchObject({
      ...{
        attempted: broadcasts,
        acked: broadcasts,
        expected: measured.length,
        delivered: measured.length - lost,
        lost,
      },
      ...{ visits: all.length, visitsFailed: 0, visitsCut: 0, visitsUnready: 0, visitsNotDue: 0 },
    });
    // The ramp takes half a second, so broadcast n leaves 500 + 100 n ms after the start.
    const secondOf = (sequence: number): number => Math.floor((rampMs + sequence * everyMs) / 1000);
    const missing = (second: number): number =>
      owed.filter(({ sequence, isDropped }) => isDropped && secondOf(sequence) <= second).length;
    expect(backlogOf(sums)).toEqual([0, 1, 2, 3, 4].map(missing));
  });

  it('arrive and are timed, and the sums name their metrics', async () => {
    const { reports } = await shard(0, 1);
    const [{ samples }] = reports as [(typeof reports)[0]];
    expect(valuesOf(samples.arrival)).toEqual(all.map(() => 5000));
    expect(Object.keys(throughput.metrics)).toEqual(expect.arrayContaining(Object.keys(samples)));
  });
});
