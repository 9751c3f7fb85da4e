import type { AudienceContext } from '../scenario.js';
import { offsetOf } from '../traffic/send-schedule.js';
import type { Sends } from '../traffic/sends.js';
import type { EchoOptions } from './options.js';

/** Interval at which first sends and missing echoes are looked for. */
const tickMs = 1;
const never = Number.POSITIVE_INFINITY;

/** Has each client of a worker send again once its last echo came, or once that stays away for the time of a drain. */
export class EchoLoop {
  readonly #context: AudienceContext<EchoOptions>;
  /** Per client: when it sends in any case. */
  readonly #dueNs: Float64Array;
  /** Per client: the row of the send whose echo it awaits; -1 for none. */
  readonly #awaited: Int32Array;
  #sends: Sends | undefined;

  constructor(context: AudienceContext<EchoOptions>) {
    this.#context = context;
    this.#dueNs = new Float64Array(context.clientCount).fill(never);
    this.#awaited = new Int32Array(context.clientCount).fill(-1);
  }

  /** Plans the first send: at once, or at the client's own offset in the first period. */
  begin(client: number, atNs?: number): void {
    const { firstClient, nowNs, options, seed } = this.#context;
    // All first sends lie within the duration, however slow the rate.
    const periodNs = Math.min(1e9 / options.ratePerSecond, options.durationMs * 1e6);
    this.#dueNs[client] = atNs ?? nowNs() + offsetOf(seed, firstClient + client) * periodNs;
  }

  async run(sends: Sends, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { clientCount, nowNs, options, sleep } = this.#context;
    const endNs = startAtNs + options.durationMs * 1e6;
    this.#sends = sends;
    while (!signal.aborted && nowNs() < endNs) {
      const atNs = nowNs();
      for (let client = 0; client < clientCount; client++)
        if ((this.#dueNs[client] as number) <= atNs) this.#giveUp(client);
      await sleep(tickMs, signal);
    }
    this.#sends = undefined;
  }

  answered(client: number, row: number): void {
    if (row === this.#awaited[client]) this.#send(client);
  }

  #giveUp(client: number): void {
    const awaited = this.#awaited[client] as number;
    if (awaited >= 0) this.#sends?.book.abandon(awaited);
    this.#send(client);
  }

  #send(client: number): void {
    const { nowNs, options } = this.#context;
    const row = this.#sends?.now(client, { isAnswered: true });
    this.#awaited[client] = row ?? -1;
    this.#dueNs[client] = nowNs() + options.drainMs * 1e6;
  }
}
