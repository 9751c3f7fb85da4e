import type { SendColumns } from '../measure/samples/mark-table.js';
import type { MarkBook } from '../scenarios/books/mark-book.js';
import { Timeline } from '../scenarios/books/times.js';
import { arrivalsOf, type FlowOptions } from '../scenarios/flow/options.js';
import { dueAtNs, dueCount } from '../scenarios/pace.js';
import type { AudienceContext, Role, RoleReport } from '../scenarios/scenario.js';
import type { EngineWork } from '../wire/choice.js';
import type { Flow } from './api.js';
import type { Checks } from './checks.js';
import type { FlowFigures } from './figures.js';
import type { Gates } from './gates.js';
import type { ClientLife, LifeEnd } from './life.js';
import type { FlowLog } from './log.js';
import type { SendClock } from './send-clock.js';
import type { Sockets } from './sockets.js';
import type { NumberedStreams } from './streams.js';
import type { UserTime } from './user-time.js';

/** Longest time between two looks at arrivals and ends. */
const tickMs = 20;
/** A client that begins anew after an error waits this long, so that a flow that fails at once makes no storm. */
const replaceAfterMs = 100;
/** Time that flows have at the end for their last words. Then their sockets are closed. */
const lastWordsMs = 1000;
/** Longest wait for sockets to close at the end. */
const closeWithinMs = 5000;

/** The parts of one worker that run flows. */
export interface FlowParts {
  context: AudienceContext<FlowOptions>;
  sockets: Pick<Sockets, 'open' | 'stats' | 'dispose'>;
  clock: SendClock;
  book: MarkBook;
  figures: FlowFigures;
  user: UserTime;
  /** Aborted when the load ends. */
  over: AbortController;
  gates: Gates;
  checks: Checks;
  streams: NumberedStreams;
  log: FlowLog;
  /** Makes the life of a client. `drained` resolves when it may close its sockets. */
  life(client: number, drained: Promise<void>): { life: ClientLife; flow: Flow };
  dispose(): void;
}

/** Runs the flows of one worker: clients arrive evenly, live, and end with their flow or with the run. */
export class FlowRole implements Role {
  readonly #parts: FlowParts;
  readonly #lives = new Set<ClientLife>();
  #timeline: Timeline;
  #begun = 0;
  /** Clients that wait to begin anew, and those that ended for good. */
  #replacing = 0;
  #gone = 0;
  #release: () => void = () => undefined;
  readonly #drained = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  /** `engines` returns what the engines of its sockets did. */
  constructor(
    parts: FlowParts,
    readonly engines: () => EngineWork[],
  ) {
    this.#parts = parts;
    this.#timeline = new Timeline(parts.context.nowNs());
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    if (name === 'live') await this.#live(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs, signal);
  }

  async #live(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { clientCount, totalClients, options, nowNs, sleep } = this.#parts.context;
    const rate = (arrivalsOf(options) * clientCount) / totalClients;
    const endNs = startAtNs + options.durationMs * 1e6;
    this.#timeline = new Timeline(startAtNs);
    this.#parts.book.startAt(startAtNs);
    while (!signal.aborted && nowNs() < endNs) {
      const due = dueCount(nowNs() - startAtNs, clientCount, rate);
      while (this.#begun < due) {
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
    if (!isAgain || over.signal.aborted) {
      this.#gone++;
      return;
    }
    this.#replacing++;
    const waitMs = end === 'left' ? replaceAfterMs : 0;
    setTimeout(() => {
      this.#replacing--;
      if (over.signal.aborted) this.#gone++;
      else this.#begin(client);
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
    for (const withinMs of [lastWordsMs, closeWithinMs]) {
      const lastNs = nowNs() + withinMs * 1e6;
      while (!signal.aborted && nowNs() < lastNs && this.#lives.size > 0) await sleep(tickMs, signal);
      for (const life of this.#lives) life.cut();
    }
  }

  progress(): Record<string, number> {
    const { book, figures, gates } = this.#parts;
    return {
      opened: figures.of('connected'),
      subscribers: figures.of('open'),
      // Those to come are there, too, or the first to arrive would be all.
      there: this.#parts.context.clientCount - this.#gone,
      ...book.progress(),
      ...gates.figures(),
    };
  }

  bins(): Uint32Array {
    return this.#parts.book.deliveryBins;
  }

  learn(sends: SendColumns): void {
    this.#parts.book.learn(sends);
  }

  gateOpened(gate: string): void {
    this.#parts.gates.opened(gate);
  }

  report(): RoleReport {
    const { book, checks, figures, log, streams, user } = this.#parts;
    // What could not be closed ends with the run.
    figures.count('ended', this.#lives.size);
    figures.count('userMs', Math.round(user.ms));
    figures.count('droppedLines', log.dropped);
    // Every client that begins once was asked for. One that only makes requests is there, too.
    figures.count('asked', this.#begun);
    figures.count('subscribers', figures.of('connected') || figures.of('requestsAnswered'));
    const [own, marks, checked] = [figures.report(), book.report(), checks.report()];
    return {
      counts: { ...own.counts, ...marks.counts, ...checked.counts, ...streams.counts() },
      causes: { ...own.causes, ...marks.causes, ...checked.causes },
      samples: { ...own.samples, ...marks.samples },
      series: marks.series,
      timeline: this.#timeline.report(),
    };
  }

  dispose(): void {
    this.#parts.dispose();
  }
}
