import { expect, it } from 'vitest';
import { startNs, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import type { Connections } from '../roles/connections.js';
import { Absences, DropQueue } from './absences.js';
import { jitterOptions } from './options.js';
import { dropInstants } from './schedule.js';

const [seed, broadcasts, ratePerSecond] = [7, 120, 4];

/** Others get every broadcast 2 ms after its send; client 0 gets none. */
function heardByOthers({ board }: { board: { sentAtNs: Float64Array } }, absences: Absences, sequence: number): void {
  absences.presence.cameLive(
    sequence,
    {
      count: 1,
      notBeforeNs: new Float64Array(1),
      client: Int32Array.of(1),
      sequence: Int32Array.of(sequence),
      receivedAtNs: Float64Array.of((board.sentAtNs[sequence] as number) + 2e6),
      flags: new Uint8Array(1),
    },
    0,
  );
}

it.each([20, 211, 1009])(
  'what may lie unread at a drop, %i ms after the tick before it, is no loss while online',
  async (stallMs) => {
    const options = jitterOptions.parse({ subscribers: 1, warmUp: 0, broadcasts, ratePerSecond, spread: 'fixed' });
    const { context, clock } = workerOnStage(options, { clientCount: 1, broadcasts, seed });
    const absences = new Absences(context);
    const connections = { clients: undefined, timeline: { count: () => undefined }, isOpen: () => true };
    absences.begin(startNs, connections as unknown as Connections, () => undefined);
    const { everyMs, offlineMs, spread } = options;
    const plan = { seed, everyMs, offlineMs, spread, lengthMs: (broadcasts * 1000) / ratePerSecond };
    const [dropMs = 0] = dropInstants(0, plan);
    const tickMs = dropMs - 1;
    const tickAt = async (ms: number): Promise<void> => {
      await clock.run(clock.until(startNs + ms * 1e6));
      absences.tick();
    };
    // One broadcast that was surely read before the last tick, and one that came just behind it.
    [tickMs - 71, tickMs + 1].forEach((sentMs, sequence) => {
      context.board.sentAtNs[sequence] = startNs + sentMs * 1e6;
      heardByOthers(context, absences, sequence);
    });
    await tickAt(tickMs);
    expect(absences.drops).toBe(0);
    await tickAt(tickMs + stallMs);
    expect(absences.drops).toBe(1);
    expect([0, 1].map((sequence) => absences.presence.wasAway(0, sequence))).toEqual([false, true]);
  },
);

it('gives each drop once, when it is due, and knows how many are left', () => {
  const queue = new DropQueue(3);
  queue.set(0, [5, 7, 11]);
  queue.set(2, [13]);
  expect(queue.left).toBe(4);
  expect([queue.take(0, 4), queue.take(0, 5), queue.take(0, 5), queue.take(1, 99)]).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect([queue.take(0, 12), queue.take(0, 12), queue.take(0, 12)]).toEqual([true, true, false]);
  expect(queue.left).toBe(1);
  expect([queue.take(2, 13), queue.left]).toEqual([true, 0]);
});
