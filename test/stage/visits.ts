import { broadcastState } from '../../src/measure/samples/recorder.js';
import { visitLedger } from '../../src/scenarios/books/ledger.js';
import { latencyOptions, subscribers } from '../../src/scenarios/latency.js';
import type { AudienceContext } from '../../src/scenarios/scenario.js';
import { listening } from './listening.js';
import { type WorkerGiven, workerOnStage } from './worker-on-stage.js';

export const [staying, broadcasts, everyMs] = [3, 41, 100];

/** Visitors 3 to 5 arrive at 250, 750 and 1250 ms; the last two leave at 2250 and 2750 ms, the last one first. */
export const stages = '1500ms:3,500ms:3,1s:1';

/** Who is subscribed at any time, of the clients that this context opens from now on. */
export function subscribedOf(context: Pick<AudienceContext<unknown>, 'openClients'>): Set<number> {
  const subscribed = new Set<number>();
  const { openClients } = context;
  context.openClients = (events) =>
    openClients(
      listening(events, {
        subscribed(client, stream) {
          subscribed.add(client);
          events.subscribed(client, stream);
        },
        closed(client, cause, wasOpen) {
          subscribed.delete(client);
          events.closed(client, cause, wasOpen);
        },
      }),
    );
  return subscribed;
}

/**
 * For tests: an audience of one worker with three subscribers and three visitors. The target delivers every broadcast
 * 7 ms after its send to all that are subscribed then, but what `isDropped` names; it is on a clock that does not wait.
 */
export function visitedOnStage({
  isDropped = () => false,
  comings = { clients: staying, stages },
  ...given
}: WorkerGiven & {
  isDropped?: (client: number, sequence: number) => boolean;
  comings?: { clients: number } & ({ stages: string } | { churnPerSecond: number });
} = {}) {
  const options = latencyOptions.parse({
    ...{ ...comings, broadcasts, warmUp: 0, ratePerSecond: 10, drainMs: 499, rampRatePerSecond: 100 },
  });
  const worker = workerOnStage(options, { clientCount: 6, broadcasts, ...given });
  const { context, clock, deliver } = worker;
  const audience = subscribers(context);
  const subscribed = subscribedOf(context);
  /** Plays all stages; `act` does something that long after the start of the publish. */
  const played = async (act?: (at: (ms: number, action: () => void) => void) => void) => {
    await worker.play(audience, 'ramp');
    const beginNs = clock.nowNs();
    act?.((ms, action) => clock.at(beginNs + ms * 1e6, action));
    for (let sequence = 0; sequence < broadcasts; sequence++) {
      clock.at(beginNs + sequence * everyMs * 1e6, () => {
        context.board.intendedAtNs[sequence] = clock.nowNs();
        context.board.sentAtNs[sequence] = clock.nowNs();
        context.board.ackAtNs[sequence] = clock.nowNs();
        context.board.state[sequence] = broadcastState.acked;
        const sentTo = [...subscribed].filter((client) => !isDropped(client, sequence));
        clock.at(clock.nowNs() + 7e6, () =>
          deliver(
            sentTo.filter((client) => subscribed.has(client)),
            sequence,
            sequence + 1,
          ),
        );
      });
    }
    await worker.play(audience, 'publish');
    await worker.play(audience, 'drain');
    const report = audience.report();
    const acked = new Uint32Array(broadcasts).fill(1);
    const ledger = visitLedger.ledger({
      ...report,
      counts: { ...report.counts, attempted: broadcasts },
      series: { ...report.series, acked },
    });
    return { report, ledger };
  };
  return { ...worker, audience, played };
}
