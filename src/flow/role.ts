import type { SendColumns } from '../measure/samples/mark-table.js';
import type { MarkBook } from '../scenarios/books/mark-book.js';
import { Timeline } from '../scenarios/books/times.js';
import { arrivalsIn, type FlowHooks, type FlowOptions, sizeOfFlow } from '../scenarios/flow/options.js';
import type { AudienceContext, Role, RoleReport } from '../scenarios/scenario.js';
import type { SendClock } from '../scenarios/traffic/send-clock.js';
import type { EngineWork } from '../wire/choice.js';
import type { SendMessage } from '../wire/wire.js';
import type { Flow } from './api.js';
import type { Checks } from './client/checks.js';
import type { Gates } from './client/gates.js';
import type { FlowLog } from './client/log.js';
import type { NumberedStreams } from './client/streams.js';
import type { FlowFigures } from './figures.js';
import type { ClientLife, LifeEnd } from './life.js';
import type { Sockets } from './sockets/sockets.js';
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
  context: Pick<
    AudienceContext<FlowOptions>,
    'clientCount' | 'firstClient' | 'giveUp' | 'nowNs' | 'options' | 'sleep' | 'totalClients'
  >;
  sockets: Pick<Sockets, 'open' | 'stats' | 'dispose'>;
  clock: SendClock<SendMessage>;
  book: MarkBook;
  figures: FlowFigures;
  hooks: FlowHooks;
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
  /** Per client: when it has to go. */
  readonly #toNs: Float64Array;
  /** Clients that wait to begin anew, and those that ended for good. */
  #replacing = 0;
  #gone = 0;
  #userCode: ReturnType<NonNullable<Role['userCode']>>;
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
    this.#toNs = new Float64Array(parts.context.clientCount);
    this.#timeline = new Timeline(parts.context.nowNs());
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    if (name === 'live') {
      const before = this.#used(startAtNs);
      await this.#live(startAtNs, signal);
      const { windowMs, ranMs, heldUpMs } = this.#used(startAtNs);
      this.#userCode = { windowMs, ranMs: ranMs - before.ranMs, heldUpMs: heldUpMs - before.heldUpMs };
    }
    if (name === 'settle') await this.#settle(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs, signal);
    if (name === 'close') await this.#close(signal);
  }

  async #live(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { context, over } = this.#parts;
    const { nowNs, options, sleep } = context;
    const arrivals = arrivalsIn(context);
    const endNs = startAtNs + sizeOfFlow(options).durationMs * 1e6;
    const dueNs = (client: number): number => startAtNs + (arrivals[client]?.fromMs ?? Number.POSITIVE_INFINITY) * 1e6;
    this.#timeline = new Timeline(startAtNs);
    this.#parts.book.startAt(startAtNs);
    while (!signal.aborted && nowNs() < endNs) {
      while (dueNs(this.#begun) <= nowNs()) {
        this.#parts.hooks.begun?.(nowNs() - dueNs(this.#begun));
        this.#arrive(this.#begun++, startAtNs + arrivals[this.#begun - 1]!.toMs * 1e6);
      }
      if (this.#begun === arrivals.length && this.#lives.size + this.#replacing === 0) break;
      const untilNs = Math.min(dueNs(this.#begun), endNs, nowNs() + tickMs * 1e6);
      await sleep(Math.max(1, Math.ceil((untilNs - nowNs()) / 1e6)), signal);
    }
    over.abort();
    for (const life of this.#lives) life.end(true);
  }

  /** Begins a client that has to go at `toNs`, which is infinite for one that stays. */
  #arrive(client: number, toNs: number): void {
    this.#toNs[client] = toNs;
    this.#begin(client);
  }

  /** Returns what the user's code took of this loop so far, and the time since an instant. */
  #used(sinceNs: number) {
    const { context, sockets, user } = this.#parts;
    const works = sockets.stats();
    const heldUpNs = works.reduce((sum, work) => sum + work.heldUpNs, 0);
    const threads = works.reduce((sum, { loops }) => sum + loops, 0);
    return {
      windowMs: Math.max(0, context.nowNs() - sinceNs) / 1e6,
      ranMs: user.ms,
      heldUpMs: heldUpNs / 1e6 / Math.max(1, threads),
    };
  }

  userCode() {
    return this.#userCode;
  }

  #begin(client: number): void {
    const { figures, context } = this.#parts;
    const { life, flow } = this.#parts.life(client, this.#drained);
    figures.count('begun');
    this.#timeline.count('begun', context.nowNs());
    this.#lives.add(life);
    const toNs = this.#toNs[client] as number;
    const leaving = Number.isFinite(toNs)
      ? setTimeout(() => life.end(false), Math.max(0, toNs - context.nowNs()) / 1e6)
      : undefined;
    void life.run().then((end) => {
      this.#lives.delete(life);
      clearTimeout(leaving);
      this.#ended(client, flow, end, life.whyLeft);
    });
  }

  #ended(client: number, { afterwards, onError }: Flow, end: LifeEnd, whyLeft: string): void {
    const { context, figures, hooks, over } = this.#parts;
    if (end !== 'left') figures.count(end);
    else hooks.left?.(client, whyLeft);
    if (end === 'left' && onError === 'stop')
      context.giveUp({
        code: 'flowStopped',
        evidence: `client ${context.firstClient + client} left (${whyLeft}), and the flow says stop`,
      });
    const isAgain = (end === 'finished' && afterwards === 'again') || (end === 'left' && onError === 'replace');
    const isTimeOver = context.nowNs() >= (this.#toNs[client] as number);
    if (!isAgain || isTimeOver || over.signal.aborted) {
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

  /** Waits until every declared send has left. Then all shards can learn what they owe. */
  async #settle(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { book, context } = this.#parts;
    const { nowNs, options, sleep } = context;
    const endNs = startAtNs + options.drainMs * 1e6;
    book.seal();
    while (!signal.aborted && nowNs() < endNs && !book.isSettled) await sleep(tickMs, signal);
  }

  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { book, context } = this.#parts;
    const { nowNs, options, sleep } = context;
    const endNs = startAtNs + options.drainMs * 1e6;
    while (!signal.aborted && !book.isComplete()) {
      if (nowNs() >= endNs) return book.close();
      await sleep(tickMs, signal);
    }
  }

  /** Closes sockets only now, as a server may drop what is under way to others when a member goes. */
  async #close(signal: AbortSignal): Promise<void> {
    const { book, context, user } = this.#parts;
    const { nowNs, sleep } = context;
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
    return this.#parts.book.binsOf('delivery');
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
    figures.count('liveMs', Math.round(this.#userCode?.windowMs ?? 0));
    figures.count('userLiveMs', Math.round(this.#userCode?.ranMs ?? 0));
    figures.count('heldUpMs', Math.round(this.#userCode?.heldUpMs ?? 0));
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
