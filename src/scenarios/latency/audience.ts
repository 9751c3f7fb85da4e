import type { Recorder } from '../../measure/recorder.js';
import type { Cause, ClientEvents, Clients, DeliveryBatch } from '../../protocols/protocol.js';
import { dueCount } from '../pace.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { Arrivals } from './arrivals.js';
import type { LatencyOptions } from './index.js';

const tickMs = 5;
const clientState = { idle: 0, opening: 1, open: 2, subscribed: 3, ended: 4 } as const;

/** The subscribers of one worker: opens them evenly, proves each subscription, and keeps the books of what reaches them. */
export class LatencyAudience implements Role, ClientEvents {
  readonly #context: AudienceContext<LatencyOptions>;
  readonly #arrivals: Arrivals;
  readonly #state: Uint8Array;
  /** When the client opened its WebSocket, then when it asked for its subscription. */
  readonly #sinceNs: Float64Array;
  readonly #connect: Recorder;
  readonly #subscribe: Recorder;
  readonly #causes: { connect: Record<string, number>; close: Record<string, number> } = { connect: {}, close: {} };
  #clients: Clients | undefined;
  #started = 0;
  #subscribed = 0;
  #ended = 0;
  #isPublishing = false;

  constructor(context: AudienceContext<LatencyOptions>) {
    this.#context = context;
    this.#state = new Uint8Array(context.clientCount);
    this.#sinceNs = new Float64Array(context.clientCount);
    this.#connect = context.recorder();
    this.#subscribe = context.recorder();
    this.#arrivals = new Arrivals({
      clients: context.clientCount,
      warmUp: context.options.warmUp,
      board: context.board,
      slice: context.slice,
      recorder: () => context.recorder(),
    });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    if (name === 'ramp') await this.#ramp(startAtNs, signal);
    if (name === 'publish') this.#isPublishing = true;
    if (name === 'drain') await this.#drain(startAtNs, signal);
  }

  async #ramp(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { clientCount, totalClients, load } = this.#context;
    this.#clients = await this.#context.openClients(this);
    // Loading a client library takes its time: the ramp begins after it, or its first tick would be a burst.
    const rampAtNs = Math.max(startAtNs, this.#context.nowNs());
    const rate = (load.rampRatePerSecond * clientCount) / totalClients;
    while (!signal.aborted && this.#subscribed + this.#ended < clientCount) {
      const nowNs = this.#context.nowNs();
      const due = dueCount(nowNs - rampAtNs, clientCount, rate);
      for (; this.#started < due; this.#started++) {
        this.#state[this.#started] = clientState.opening;
        this.#clients.open(this.#started);
      }
      this.#endUnconfirmed(nowNs - load.subscribeTimeoutMs * 1e6);
      await this.#context.sleep(tickMs, signal);
    }
  }

  #endUnconfirmed(openedBeforeNs: number): void {
    for (let client = 0; client < this.#started; client++) {
      if (this.#state[client] === clientState.open && (this.#sinceNs[client] as number) < openedBeforeNs) {
        this.#end(client, 'subscribe-timeout');
        this.#clients?.drop(client, 'reset');
      }
    }
  }

  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    const endNs = startAtNs + this.#context.options.drainMs * 1e6;
    while (!signal.aborted && this.#context.nowNs() < endNs && !this.#isComplete()) {
      await this.#context.sleep(tickMs, signal);
    }
    this.#arrivals.close();
  }

  /** Whether everybody who is still there has everything. The total is cheap, but holds what clients received that were cut since. */
  #isComplete(): boolean {
    if (this.#arrivals.received < this.#subscribed * this.#context.board.size) return false;
    return this.#state.every((state, client) => state !== clientState.subscribed || this.#arrivals.hasAll(client));
  }

  opened(client: number, _tcpNs: number, upgradeNs: number): void {
    if (this.#state[client] !== clientState.opening) return;
    this.#state[client] = clientState.open;
    this.#sinceNs[client] = this.#context.nowNs();
    this.#connect.record(upgradeNs / 1000);
  }

  ready(client: number): void {
    if (this.#state[client] !== clientState.open) return;
    this.#sinceNs[client] = this.#context.nowNs();
    this.#clients?.subscribe(client, this.#context.stream);
  }

  subscribed(client: number): void {
    if (this.#state[client] !== clientState.open) return;
    this.#state[client] = clientState.subscribed;
    this.#subscribed++;
    this.#arrivals.admit(client);
    this.#subscribe.record((this.#context.nowNs() - (this.#sinceNs[client] as number)) / 1000);
  }

  closed(client: number, cause: Cause): void {
    this.#end(client, cause);
  }

  #end(client: number, cause: Cause): void {
    const state = this.#state[client];
    if (state === clientState.ended) return;
    this.#state[client] = clientState.ended;
    this.#ended++;
    const causes = state === clientState.subscribed ? this.#causes.close : this.#causes.connect;
    causes[cause] = (causes[cause] ?? 0) + 1;
    if (state !== clientState.subscribed) return;
    this.#subscribed--;
    if (!this.#isPublishing) this.#arrivals.dismiss(client);
    else if (this.#subscribed === 0) {
      this.#context.giveUp({ code: 'targetGone', evidence: `every client of a worker was cut, the last by ${cause}` });
    }
  }

  resumed(): void {
    // A latency run has no reconnects of its own making; a library's own count as closed when they begin.
  }

  deliveries(batch: DeliveryBatch): void {
    this.#arrivals.take(batch);
  }

  progress(): Record<string, number> {
    return {
      started: this.#started,
      subscribers: this.#subscribed,
      ended: this.#ended,
      received: this.#arrivals.received,
    };
  }

  report(): RoleReport {
    const { counts, series, samples } = this.#arrivals.report();
    return {
      counts: { ...counts, asked: this.#context.clientCount },
      causes: this.#causes,
      samples: { ...samples, connect: this.#connect.finish(), subscribe: this.#subscribe.finish() },
      series,
    };
  }

  dispose(): void {
    this.#clients?.dispose();
  }
}
