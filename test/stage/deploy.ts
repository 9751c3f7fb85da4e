import { broadcastState } from '../../src/measure/samples/recorder.js';
import { sumCounts, sumSeries } from '../../src/measure/samples/sample-sum.js';
import { deployLedger } from '../../src/scenarios/deploy/index.js';
import { deployAudience, deployOptions } from '../../src/scenarios/deploy/roles.js';
import type { RoleReport } from '../../src/scenarios/scenario.js';
import { type WorkerGiven, workerOnStage } from './worker-on-stage.js';

/** Two broadcasts of warm-up and 40 at 10 a second, with the order a second after the first measured one. */
export const shape = { warmUp: 2, broadcasts: 40, ratePerSecond: 10, beforeMs: 1000, drainMs: 1009 };

/** An audience on a clock that leaps. Broadcasts are published on schedule and reach all clients that are there. */
export async function onStage({ fails = [], ...given }: WorkerGiven & { fails?: readonly number[] } = {}) {
  const { clientCount = 7 } = given;
  const options = deployOptions.parse({ ...shape, clients: clientCount, rampRatePerSecond: 503 });
  const total = shape.warmUp + shape.broadcasts;
  const worker = workerOnStage(options, { broadcasts: total, ...given, clientCount });
  const { board } = worker.context;
  const audience = deployAudience(worker.context);
  await worker.play(audience, 'ramp');
  const steadyNs = worker.clock.nowNs();
  const there = new Set(Array.from({ length: clientCount }, (_, each) => each));
  for (let sequence = 0; sequence < total; sequence++) {
    const atNs = steadyNs + sequence * 100e6;
    board.intendedAtNs[sequence] = atNs;
    worker.clock.at(atNs + 1e6, () => {
      if (fails.includes(sequence)) {
        board.state[sequence] = broadcastState.failed;
        return;
      }
      board.sentAtNs[sequence] = atNs + 1e6;
      board.ackAtNs[sequence] = atNs + 2e6;
      board.state[sequence] = broadcastState.acked;
    });
    worker.clock.at(atNs + 3e6, () => {
      if (!fails.includes(sequence)) worker.deliver([...there], sequence, sequence + 1);
    });
  }
  return {
    ...worker,
    audience,
    there,
    /** Does something that long after the first broadcast of all. */
    after: (ms: number, action: () => void) => worker.clock.at(steadyNs + ms * 1e6, action),
    cut(clients: readonly number[]) {
      for (const each of clients) {
        there.delete(each);
        worker.told().closed(each, 'end-of-stream', true);
      }
    },
    /** Plays the steady part, the redeploy and the drain. */
    async toEnd() {
      for (const stage of ['steady', 'redeploy', 'drain']) await worker.play(audience, stage);
      return books([audience.report()], fails);
    },
  };
}

/** The ledger of such reports, beside what the publisher of those broadcasts reports. */
export function books(reports: readonly RoleReport[], fails: readonly number[]) {
  const at = (isWanted: (sequence: number) => boolean): Uint32Array =>
    Uint32Array.from({ length: shape.broadcasts }, (_, n) => (isWanted(n + shape.warmUp) ? 1 : 0));
  const publisher = {
    counts: { attempted: shape.broadcasts },
    series: { acked: at((n) => !fails.includes(n)), refused: at(() => false), failed: at((n) => fails.includes(n)) },
  };
  const [report] = reports;
  if (!report) throw new Error('no report to make books of');
  const { entries, breaks } = deployLedger.ledger({
    counts: sumCounts([publisher.counts, ...reports.map(({ counts }) => counts)]),
    causes: report.causes,
    series: sumSeries([publisher.series, ...reports.map(({ series }) => series)]),
    timeline: {},
  });
  return { report, entries: entries as Record<string, number>, breaks };
}
