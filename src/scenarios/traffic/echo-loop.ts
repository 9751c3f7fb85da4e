import type { AudienceContext } from '../scenario.js';
import { offsetOf } from './send-schedule.js';
import type { SenderLoop } from './senders.js';
import type { Sends } from './sends.js';

interface LoopOptions {
  ratePerSecond: number;
  durationMs: number;
  drainMs: number;
}

const tickMs = 1;

/** Has each client of a worker send again once its last echo came, or once that stays away for the time of a drain. */
export function echoLoop(context: AudienceContext<LoopOptions>): SenderLoop {
  const { clientCount, firstClient, nowNs, options, seed, sleep } = context;
  const dueNs = new Float64Array(clientCount).fill(Number.POSITIVE_INFINITY);
  /** Per client: the row of the send whose echo it awaits; -1 for none. */
  const awaited = new Int32Array(clientCount).fill(-1);
  let running: Sends | undefined;

  const send = (client: number): void => {
    awaited[client] = running?.now(client, { isAnswered: true }) ?? -1;
    dueNs[client] = nowNs() + options.drainMs * 1e6;
  };

  return {
    /** Plans the first send: at once, or at the client's own offset in the first period. */
    begin(client, atNs) {
      // All first sends lie within the duration, however slow the rate.
      const periodNs = Math.min(1e9 / options.ratePerSecond, options.durationMs * 1e6);
      dueNs[client] = atNs ?? nowNs() + offsetOf(seed, firstClient + client) * periodNs;
    },
    async run(sends, startAtNs, signal) {
      const endNs = startAtNs + options.durationMs * 1e6;
      running = sends;
      while (!signal.aborted && nowNs() < endNs) {
        const atNs = nowNs();
        dueNs.forEach((due, client) => {
          if (due > atNs) return;
          if ((awaited[client] as number) >= 0) sends.book.abandon(awaited[client] as number);
          send(client);
        });
        await sleep(tickMs, signal);
      }
      running = undefined;
    },
    answered(client, row) {
      if (row === awaited[client]) send(client);
    },
  };
}
