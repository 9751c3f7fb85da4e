import type { MarkBook } from '../scenarios/books/mark-book.js';
import { Timeline } from '../scenarios/books/times.js';
import type { FlowOptions } from '../scenarios/flow/options.js';
import { dueAtNs, dueCount } from '../scenarios/pace.js';
import type { AudienceContext, Role, RoleReport } from '../scenarios/scenario.js';
import type { EngineWork } from '../wire/choice.js';
import type { Flow } from './api.js';
import type { FlowFigures } from './figures.js';
import type { ClientLife, LifeEnd } from './life.js';
import type { SendClock } from './send-clock.js';
import type { Sockets } from './sockets.js';
import type { UserTime } from './user-time.js';

/** Clients that arrive per second without `--arrivals`. */
const usualArrivals = 50;
/** Longest time between two looks at arrivals and ends. */
const tickMs = 20;
/** A client that begins anew after an error waits this long, so that a flow that fails at once makes no storm. */
const replaceAfterMs = 100;
/** Longest wait for sockets to close at the end. */
const closeWithinMs = 5000;

/** A flow of the job, with the share of clients that it gets. */
export interface LoadedFlow {
  flow: Flow;
  name: string;
  weight: number;
  shared: unknown;
}

/** The parts of one worker that run flows. */
export interface FlowParts {
  context: AudienceContext<FlowOptions>;
  sockets: Sockets;
  clock: SendClock;
  book: MarkBook;
  figures: FlowFigures;
  user: UserTime;
  /** Aborted when the load ends. */
  over: AbortController;
  /** Makes the life of a client. `drained` resolves when it may close its sockets. */
  life(client: number, drained: Promise<void>): { life: ClientLife; flow: Flow };
  /** Further reports and figures: checks, streams, gates, log. */
  more: readonly { report?(): Partial<RoleReport>; progress?(): Record<string, number> }[];
  dispose(): void;
}

/** Runs the flows of one worker: clients arrive evenly, live, and end with their flow or with the run. */
export class FlowRole implements Role {
  readonly #parts: FlowParts;
  readonly #lives = new Set<ClientLife>();
  #timeline: Timeline;
  #begun = 0;
  /** Clients that wait to begin anew. */
  #replacing = 0;
  #release: () => void = () => undefined;
  readonly #drained = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  constructor(parts: FlowParts) {
    this.#parts = parts;
    this.#timeline = new Timeline(parts.context.nowNs());
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    if (name === 'live') await this.#live(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs, signal);
  }

  async #live(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { clientCount, totalClients, options, nowNs, sleep } = this.#parts.context;
    const { arrivalsPerSecond = usualArrivals, durationMs } = options;
    const rate = (arrivalsPerSecond * clientCount) / totalClients;
    const endNs = startAtNs + durationMs * 1e6;
    this.#timeline = new Timeline(startAtNs);
    while (!signal.aborted && nowNs() < endNs) {
      const due = dueCount(nowNs() - startAtNs, clientCount, rate);
      while (this.#begun < due) {
        this.#parts.figures.time('arrivalLag', (nowNs() - startAtNs - dueAtNs(this.#begun, rate)) / 1000);
        this.#begin(this.#begun++);
      }
      if (this.#begun === clientCount && this.#lives.size + this.#replacing === 0) break;
      const nextNs = this.#begun < clientCount ? startAtNs + dueAtNs(this.#begun, rate) : Number.POSITIVE_INFINITY;
      const untilNs = Math.min(nextNs, endNs, nowNs() + tickMs * 1e6);
      await sleep(Math.max(1, Math.ceil((untilNs - nowNs()) / 1e6)), signal);
    }
    this.#parts.over.abort();
    for (const life of this.#lives) life.end();
  }

  #begin(client: number): void {
    const { figures, context } = this.#parts;
    const { life, flow } = this.#parts.life(client, this.#drained);
    figures.count('begun');
    this.#timeline.count('begun', context.nowNs());
    this.#lives.add(life);
    void life.run().then((end) => {
      this.#lives.delete(life);
      this.#ended(client, flow, end);
    });
  }

  #ended(client: number, { afterwards, onError }: Flow, end: LifeEnd): void {
    const { context, figures, over } = this.#parts;
    if (end !== 'left') figures.count(end);
    if (end === 'left' && onError === 'stop')
      context.giveUp({
        code: 'flowStopped',
        evidence: `client ${context.firstClient + client} left, and the flow says stop`,
      });
    const isAgain = (end === 'finished' && afterwards === 'again') || (end === 'left' && onError === 'replace');
    if (!isAgain || over.signal.aborted) return;
    this.#replacing++;
    const waitMs = end === 'left' ? replaceAfterMs : 0;
    setTimeout(() => {
      this.#replacing--;
      if (!over.signal.aborted) this.#begin(client);
    }, waitMs);
  }

  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { book, context, user } = this.#parts;
    const { nowNs, options, sleep } = context;
    const endNs = startAtNs + options.drainMs * 1e6;
    while (!signal.aborted && nowNs() < endNs && !book.isComplete()) await sleep(tickMs, signal);
    book.close();
    user.resumed();
    this.#release();
    const closedNs = nowNs() + closeWithinMs * 1e6;
    while (!signal.aborted && nowNs() < closedNs && this.#lives.size > 0) await sleep(tickMs, signal);
  }

  progress(): Record<string, number> {
    const { book, figures, more } = this.#parts;
    return {
      opened: figures.of('connected'),
      subscribers: figures.of('open'),
      there: this.#lives.size,
      ...book.progress(),
      ...Object.assign({}, ...more.map((each) => each.progress?.())),
    };
  }

  /** The engines of this worker and what they did. */
  engines(): EngineWork[] {
    return this.#parts.sockets.stats();
  }

  report(): RoleReport {
    const { book, figures, more, user } = this.#parts;
    // A flow whose promise never settles ends with the run.
    figures.count('ended', this.#lives.size);
    figures.count('userMs', Math.round(user.ms));
    const reports = [figures.report(), book.report(), ...more.map((each) => each.report?.() ?? {})];
    const all = <K extends keyof RoleReport>(key: K): RoleReport[K] =>
      Object.assign({}, ...(reports as Partial<RoleReport>[]).map((each) => each[key]));
    return {
      counts: all('counts'),
      causes: all('causes'),
      samples: all('samples'),
      series: all('series'),
      timeline: this.#timeline.report(),
    };
  }

  dispose(): void {
    this.#parts.dispose();
  }
}
