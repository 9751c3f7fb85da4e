import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import { type ProblemCode, ProblemError } from '../../contract/problems.js';
import { type Stop, stopInWords, stopReasons } from '../../contract/stop-reasons.js';
import {
  type Cell,
  type ExperimentContext,
  endingStops,
  type Made,
  type MadeRun,
  type Order,
  oneRun,
  runInOrder,
  type Turn,
} from '../../experiment/cells.js';
import type { Journal } from '../../experiment/journal.js';
import type { RunResult } from '../../results/result.js';
import type { SearchTry } from '../../results/search.js';
import { duration } from '../../units/unit.js';
import { exitOfProblems, stopForSearch } from './judge.js';
import { byRate, nextRate, type SearchShape, type Tried } from './rates.js';

/** Names the problems of a load that is too large for the rig. */
const ofSize: readonly ProblemCode[] = ['overLimit', 'descriptorLimit', 'trackingLimit', 'memoryLimit', 'portLimit'];

export interface SearchContext<P extends SearchTry> extends ExperimentContext {
  /** Called with each run of the search, and the label of its cell. */
  tried(label: string, point: P): void;
  /** Called with the directory of the result so far, before an error ends the search. */
  tell(directory: string): void;
}

type Stated = Pick<SearchTry, 'ratePerSecond' | 'rig' | 'stop' | 'directory'>;

/** Describes what a search asks of each rate. */
export interface SearchQuestion<P extends SearchTry> {
  shape: SearchShape;
  cellAt(ratePerSecond: number): Cell;
  judge(made: MadeRun, stated: Stated, isOfSearch: boolean): Promise<P>;
  /** Says why no rate can be judged, by the first run. */
  fault?(result: RunResult, ratePerSecond: number): string | undefined;
}

/** Searches a rate: holds the runs so far, and why it ended early. */
export class Search<P extends SearchTry> {
  readonly shape: SearchShape;
  readonly points: P[] = [];
  readonly #question: SearchQuestion<P>;
  readonly #context: SearchContext<P>;
  readonly #judged: P[] = [];
  #hadAudience = false;
  /** Time that the runs so far have taken. */
  #atMs = 0;
  #isEnded = false;
  /** True if nothing cut the search of the rate short. */
  isOver = false;
  endedBecause = '';
  exit: ExitName = 'clean';

  constructor(question: SearchQuestion<P>, context: SearchContext<P>) {
    this.#question = question;
    this.shape = { ...question.shape };
    this.#context = context;
  }

  get tried(): Tried[] {
    return byRate(this.#judged);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Makes the runs of an order, which is that of the rates by default. Throws a refusal of the first run. */
  async run(making: { directory: string; journal: Journal }, order: Order = this.order()): Promise<void> {
    const isWhole = await runInOrder(order, making, this.#context);
    if (!isWhole && !this.#isEnded) this.#endBy({ code: 'interrupted', evidence: [] });
  }

  async *order(): Order {
    const { mostMs = Number.POSITIVE_INFINITY } = this.shape;
    for (let rate = this.#next(); rate !== undefined; rate = this.#next()) {
      if (this.#atMs > mostMs)
        return this.#end(`the ${duration.print(Math.round(mostMs / 1000) * 1000)} of the search are over`);
      yield* this.try(rate);
      if (this.#isEnded) return;
    }
    this.isOver = true;
  }

  #next(): number | undefined {
    return nextRate(this.tried, this.shape);
  }

  /** Asks for one run at a rate. Returns undefined if it is refused. A run that is not of the search takes no side. */
  async *try(ratePerSecond: number, isOfSearch = true): AsyncGenerator<Turn, P | undefined, readonly Made[]> {
    const stopOf = (result: RunResult): Stop => stopForSearch(result, this.#hadAudience);
    const isMeasured = (result: RunResult): boolean => !endingStops.includes(stopOf(result).code);
    const cell = { ...this.#question.cellAt(ratePerSecond), isMeasured };
    const round = this.points.filter((point) => point.ratePerSecond === ratePerSecond).length;
    let made: MadeRun;
    try {
      made = yield* oneRun(cell, round);
    } catch (error) {
      if (!(error instanceof ProblemError) || this.points.length === 0) throw error;
      this.#refuse(error, ratePerSecond);
      return undefined;
    }
    const { result, directory } = made;
    this.#atMs = made.atMs;
    const stop = stopOf(result);
    const stated = { ratePerSecond, rig: result.verdict.rig, stop: stop.code, directory };
    const point = await this.#question.judge(made, stated, isOfSearch);
    this.#hadAudience ||= result.shards.some((shard) => (shard.result?.counts.opened ?? 0) > 0);
    this.points.push(point);
    const isEnding = endingStops.includes(stop.code);
    if (isOfSearch && !isEnding) this.#judged.push(point);
    this.#context.tried(cell.label, point);
    const fault = this.points.length === 1 ? this.#question.fault?.(result, ratePerSecond) : undefined;
    if (isEnding) this.#endBy(stop);
    else if (fault !== undefined) this.#end(fault);
    return point;
  }

  /**
   * Handles a rate that is refused. If the rig can't make it and it is above all others, the highest tried rate becomes
   * the upper end of the scale. Any other refusal ends the search.
   */
  #refuse(error: ProblemError, rate: number): void {
    const highest = Math.max(...this.points.map(({ ratePerSecond }) => ratePerSecond));
    const isBeyond = rate > highest && error.problems.every(({ code }) => ofSize.includes(code));
    if (isBeyond && highest < this.shape.maxRate) {
      this.endedBecause = error.message;
      this.shape.maxRate = highest;
    } else this.#end(error.message, exitOfProblems(error));
  }

  #endBy(stop: Stop): void {
    this.#end(stopInWords(stop), stopReasons[stop.code].exit);
  }

  #end(because: string, exit: ExitName = 'clean'): void {
    this.#isEnded = true;
    this.endedBecause = because;
    this.exit = worstExit([this.exit, exit]);
  }
}

/**
 * Does the work of a search, and keeps what it found. A fault is thrown again. It is kept as the reason why the search
 * ended. A search that made no run leaves nothing behind.
 */
export async function keepingFound<T>(
  journal: Journal,
  work: () => Promise<void>,
  hasFound: () => boolean,
  keep: (fault?: string) => Promise<T>,
): Promise<T> {
  try {
    await work();
  } catch (error) {
    if (hasFound()) await keep(error instanceof Error ? error.message : String(error));
    else await journal.drop();
    throw error;
  }
  return keep();
}
