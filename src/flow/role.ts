import type { SendColumns } from '../measure/samples/mark-table.js';
import { Timeline } from '../scenarios/books/times.js';
import { arrivalsIn, type FlowOptions, sizeOfFlow } from '../scenarios/flow/options.js';
import type { AudienceContext, Role, RoleReport } from '../scenarios/scenario.js';
import type { EngineWork } from '../wire/choice.js';
import type { Flow } from './api.js';
import { ClientLife, type LifeEnd } from './life.js';
import type { FlowWorker } from './parts.js';

/** Longest time between two looks at arrivals and ends. */
const tickMs = 20;
/** A client that begins anew after an error waits this long, so that a flow that fails at once makes no storm. */
const replaceAfterMs = 100;
/** Time that flows have at the end for their last words. Then their sockets are closed. */
const lastWordsMs = 1000;
/** Longest wait for sockets to close at the end. */
const closeWithinMs = 5000;

/** Runs the flows of one worker: clients arrive evenly, live, and end with their flow or with the run. */
export class FlowRole implements Role {
  readonly #lives = new Set<ClientLife>();
  #timeline: Timeline;
  #begun = 0;
  /** Per client: when it has to go; infinite for one that stays. */
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
    private readonly worker: FlowWorker,
    private readonly run: Pick<AudienceContext<FlowOptions>, 'giveUp' | 'sleep'>,
    readonly engines: () => EngineWork[],
  ) {
    this.#toNs = new Float64Array(worker.clientCount);
    this.#timeline = new Timeline(worker.nowNs());
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
    const { book, hooks, nowNs, options, over } = this.worker;
    const arrivals = arrivalsIn(this.worker);
    const endNs = startAtNs + sizeOfFlow(options).durationMs * 1e6;
    const dueNs = (client: number): number => startAtNs + (arrivals[client]?.fromMs ?? Number.POSITIVE_INFINITY) * 1e6;
    this.#timeline = new Timeline(startAtNs);
    book.startAt(startAtNs);
    while (!signal.aborted && nowNs() < endNs) {
      while (dueNs(this.#begun) <= nowNs()) {
        hooks.begun?.(nowNs() - dueNs(this.#begun));
        this.#toNs[this.#begun] = startAtNs + arrivals[this.#begun]!.toMs * 1e6;
        this.#begin(this.#begun++);
      }
      if (this.#begun === arrivals.length && this.#lives.size + this.#replacing === 0) break;
      const untilNs = Math.min(dueNs(this.#begun), endNs, nowNs() + tickMs * 1e6);
      await this.run.sleep(Math.max(1, Math.ceil((untilNs - nowNs()) / 1e6)), signal);
    }
    over.abort();
    for (const life of this.#lives) life.end(true);
  }

  /** Returns what the user's code took of this loop so far, and the time since an instant. */
  #used(sinceNs: number) {
    const { nowNs, sockets, user } = this.worker;
    const works = sockets.stats();
    const heldUpNs = works.reduce((sum, work) => sum + work.heldUpNs, 0);
    const threads = works.reduce((sum, { loops }) => sum + loops, 0);
    return {
      windowMs: Math.max(0, nowNs() - sinceNs) / 1e6,
      ranMs: user.ms,
      heldUpMs: heldUpNs / 1e6 / Math.max(1, threads),
    };
  }

  userCode() {
    return this.#userCode;
  }

  #begin(client: number): void {
    const { figures, nowNs } = this.worker;
    const life = new ClientLife(this.worker, client, this.#drained);
    figures.count('begun');
    this.#timeline.count('begun', nowNs());
    this.#lives.add(life);
    const toNs = this.#toNs[client] as number;
    const leaving = Number.isFinite(toNs)
      ? setTimeout(() => life.end(false), Math.max(0, toNs - nowNs()) / 1e6)
      : undefined;
    void life.run().then((end) => {
      this.#lives.delete(life);
      clearTimeout(leaving);
      this.#ended(client, life.part.flow, end, life.whyLeft);
    });
  }

  #ended(client: number, { afterwards, onError }: Flow, end: LifeEnd, whyLeft: string): void {
    const { figures, firstClient, hooks, nowNs, over } = this.worker;
    if (end !== 'left') figures.count(end);
    else hooks.left?.(client, whyLeft);
    if (end === 'left' && onError === 'stop')
      this.run.giveUp({
        code: 'flowStopped',
        evidence: `client ${firstClient + client} left (${whyLeft}), and the flow says stop`,
      });
    const isAgain = (end === 'finished' && afterwards === 'again') || (end === 'left' && onError === 'replace');
    const isTimeOver = nowNs() >= (this.#toNs[client] as number);
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
    const { book, options } = this.worker;
    book.seal();
    await this.#until(() => book.isSettled, startAtNs + options.drainMs * 1e6, signal);
  }

  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { book, nowNs, options } = this.worker;
    const endNs = startAtNs + options.drainMs * 1e6;
    await this.#until(() => book.isComplete(), endNs, signal);
    if (!signal.aborted && nowNs() >= endNs) book.close();
  }

  async #until(isDone: () => boolean, endNs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.worker.nowNs() < endNs && !isDone()) await this.run.sleep(tickMs, signal);
  }

  /** Closes sockets only now, as a server may drop what is under way to others when a member goes. */
  async #close(signal: AbortSignal): Promise<void> {
    const { book, nowNs, user } = this.worker;
    book.close();
    user.resumed();
    this.#release();
    for (const withinMs of [lastWordsMs, closeWithinMs]) {
      await this.#until(() => this.#lives.size === 0, nowNs() + withinMs * 1e6, signal);
      for (const life of this.#lives) life.cut();
    }
  }

  progress(): Record<string, number> {
    const { book, clientCount, figures, gates } = this.worker;
    return {
      opened: figures.of('connected'),
      subscribers: figures.of('open'),
      // Those to come are there, too, or the first to arrive would be all.
      there: clientCount - this.#gone,
      ...book.progress(),
      messages: figures.of('received'),
      ...gates.figures(),
    };
  }

  bins(): Uint32Array {
    return this.worker.book.binsOf('delivery');
  }

  learn(sends: SendColumns): void {
    this.worker.book.learn(sends);
  }

  gateOpened(gate: string): void {
    this.worker.gates.opened(gate);
  }

  report(): RoleReport {
    const { book, figures, streams, user } = this.worker;
    // What could not be closed ends with the run.
    figures.count('ended', this.#lives.size);
    figures.count('userMs', Math.round(user.ms));
    figures.count('liveMs', Math.round(this.#userCode?.windowMs ?? 0));
    figures.count('userLiveMs', Math.round(this.#userCode?.ranMs ?? 0));
    figures.count('heldUpMs', Math.round(this.#userCode?.heldUpMs ?? 0));
    // Every client that begins once was asked for. One that only makes requests is there, too.
    figures.count('asked', this.#begun);
    figures.count('subscribers', figures.of('connected') || figures.of('requestsAnswered'));
    const [own, marks] = [figures.report(), book.report()];
    return {
      counts: { ...own.counts, ...marks.counts, ...streams.counts() },
      causes: { ...own.causes, ...marks.causes },
      samples: { ...own.samples, ...marks.samples },
      series: marks.series,
      timeline: this.#timeline.report(),
    };
  }

  dispose(): void {
    this.worker.dispose();
  }
}
