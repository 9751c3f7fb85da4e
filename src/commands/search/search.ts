import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import { type ProblemCode, ProblemError, problemTable } from '../../contract/problems.js';
import { type Stop, type StopCode, stopInWords, stopReasons } from '../../contract/stop-reasons.js';
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
import { byRate, nextRate, type SearchShape, type Tried } from './rates.js';

const ofSize: readonly ProblemCode[] = ['overLimit', 'descriptorLimit', 'trackingLimit', 'memoryLimit', 'portLimit'];

/** Names the stop of a search if a shard or target is refused that earlier runs had. */
const stopOfProblem: Partial<Record<ProblemCode, StopCode>> = {
  shardUnreachable: 'shardLost',
  shardForeign: 'shardLost',
  runnerEnding: 'shardEnded',
  targetFailed: 'restartFailed',
  targetUnavailable: 'restartFailed',
};

/** Returns the exit of a search that a refusal ends between two runs. */
export function exitOfProblems({ problems }: Pick<ProblemError, 'problems'>): ExitName {
  const exits = problems.map(({ code }) => {
    const stop = stopOfProblem[code];
    return stop === undefined ? problemTable[code].exit : stopReasons[stop].exit;
  });
  return worstExit(exits);
}

const awayStops: readonly StopCode[] = ['refused', 'handshakeTimeouts'];

/** Returns the stop of a run for the search. A target that refuses every client after it had some is unreachable. */
export function stopForSearch({ stop, shards }: Pick<RunResult, 'stop' | 'shards'>, hadAudience: boolean): Stop {
  const isAway = awayStops.includes(stop.code) && shards.every(({ result }) => (result?.counts.opened ?? 0) === 0);
  return hadAudience && isAway ? { code: 'targetUnreachable', evidence: stop.evidence } : stop;
}

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
  /** Says which limit a run passed, so that no further one begins. */
  passed?(result: RunResult, ratePerSecond: number): string | undefined;
}

/** Searches a rate: holds the runs so far, and why it ended early. */
export class Search<P extends SearchTry> {
  readonly shape: SearchShape;
  readonly points: P[] = [];
  readonly #judged: P[] = [];
  #hadAudience = false;
  /** Time that the runs so far have taken. */
  #atMs = 0;
  isEnded = false;
  /** True if nothing cut the search of the rate short. */
  isOver = false;
  /** True if a run passed a limit that ends the search. */
  hasPassed = false;
  endedBecause = '';
  exit: ExitName = 'clean';

  constructor(
    private readonly question: SearchQuestion<P>,
    private readonly context: SearchContext<P>,
  ) {
    this.shape = { ...question.shape };
  }

  get tried(): Tried[] {
    return byRate(this.#judged);
  }

  /** Makes the runs of an order, which is that of the rates by default. Throws a refusal of the first run. */
  async run(journal: Journal, order: Order = this.order()): Promise<void> {
    const isWhole = await runInOrder(order, journal, this.context);
    if (!isWhole && !this.isEnded) this.#endBy({ code: 'interrupted', evidence: [] });
  }

  async *order(): Order {
    const { mostMs = Number.POSITIVE_INFINITY } = this.shape;
    for (let rate = this.#next(); rate !== undefined; rate = this.#next()) {
      if (this.#atMs > mostMs)
        return this.#end(`the ${duration.print(Math.round(mostMs / 1000) * 1000)} of the search are over`);
      yield* this.try(rate);
      if (this.isEnded) return;
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
    const cell = { ...this.question.cellAt(ratePerSecond), isMeasured };
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
    const point = await this.question.judge(made, stated, isOfSearch);
    this.#hadAudience ||= result.shards.some((shard) => (shard.result?.counts.opened ?? 0) > 0);
    this.points.push(point);
    const isEnding = endingStops.includes(stop.code);
    if (isOfSearch && !isEnding) this.#judged.push(point);
    this.context.tried(cell.label, point);
    const fault = this.points.length === 1 ? this.question.fault?.(result, ratePerSecond) : undefined;
    const passed = this.question.passed?.(result, ratePerSecond);
    this.hasPassed = passed !== undefined;
    if (passed !== undefined) this.#end(passed);
    else if (isEnding) this.#endBy(stop);
    else if (fault !== undefined) this.#end(fault);
    return point;
  }

  /** A rate above all others that the rig can't make ends the scale there. Any other refusal ends the search. */
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
    this.isEnded = true;
    this.endedBecause = because;
    this.exit = worstExit([this.exit, exit]);
  }
}

/** Does the work of a search and keeps what it found, also before it throws a fault on. Keeps nothing without a run. */
export async function keepingFound<T>(
  { journal, hasFound, tell }: { journal: Journal; hasFound: () => boolean; tell: SearchContext<SearchTry>['tell'] },
  work: () => Promise<void>,
  keep: (fault?: string) => Promise<T>,
): Promise<T> {
  try {
    await work();
  } catch (error) {
    if (hasFound()) {
      await keep(error instanceof Error ? error.message : String(error));
      tell(journal.directory);
    } else await journal.drop();
    throw error;
  }
  return keep();
}
