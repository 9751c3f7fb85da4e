import { type Stop, stopInWords } from '../../../contract/stop-reasons.js';
import type { Holds } from '../../../measure/statement.js';
import { type JamFacts, jamsOf, type Plateau, restOf } from '../../../measure/stats/jam.js';
import type { RunResult } from '../../../results/result.js';
import { type RunContext, run } from '../../../run/run.js';
import type { LiveTarget } from '../../../run/server/live-target.js';
import type { PlannedTarget } from '../../../run/server/planned.js';
import { startPlanned } from '../../../run/server/start-target.js';
import { factsOf, judgeRun, plateauOf, searchEndings, stopForSearch } from '../judge.js';
import { edgesOf, isCapped, isSettled, searchRates } from '../rates.js';
import { type KneePlan, planOfRun } from './plan.js';
import { hasRecovered, jamRateOf, type KneeRow, type KneeTry, kneeRowOf, triedIn } from './row.js';

export interface KneeContext extends RunContext {
  begins(subscribers: number, ratePerSecond: number): void;
  tried(subscribers: number, one: KneeTry): void;
  /** Called with the directory of the result so far, before an error ends the search. */
  kept(directory: string): void;
}

/** Searches at one number of subscribers, against one process of the target. */
export class KneeWalk {
  readonly #plan: KneePlan;
  readonly subscribers: number;
  readonly #directory: string;
  readonly #context: KneeContext;
  readonly #target: ReturnType<typeof heldTarget>;
  readonly tries: KneeTry[] = [];
  readonly #facts: JamFacts[] = [];
  #recovery: KneeRow['recovery'] = null;
  #isOver = false;
  endedBy: Stop | undefined;
  described: RunResult['target'] | undefined;

  constructor(plan: KneePlan, subscribers: number, directory: string, context: KneeContext) {
    this.#plan = plan;
    this.subscribers = subscribers;
    this.#directory = directory;
    this.#context = context;
    this.#target = heldTarget(plan.plan.target);
  }

  /** Throws `ProblemError` if a run is refused. */
  async run(): Promise<void> {
    const { shape } = this.#plan;
    this.#isOver = await searchRates(
      shape,
      () => triedIn(this.tries),
      async (rate) => {
        await this.#try(rate, 'search');
        return this.#isEnded() ? 'end' : 'go on';
      },
    );
    if (!this.#isOver) return;
    const tried = triedIn(this.tries);
    const jamRate = jamRateOf(tried, shape);
    if (jamRate === undefined) return;
    const { keptUpTo, failedFrom } = edgesOf(tried);
    const half = Math.sqrt((keptUpTo as number) * (failedFrom as number)) / 2;
    await this.#recover(jamRate, Number(half.toPrecision(4)));
  }

  /** Jams the target, unless the last run did, then runs at half the knee until it keeps up or the runs decide. */
  async #recover(jamRate: number, ratePerSecond: number): Promise<void> {
    const { repeat } = this.#plan.shape;
    let jam = this.tries.at(-1);
    for (let runs = 0; jam?.holds !== 'no' && runs < repeat && !this.#isEnded(); runs++)
      jam = await this.#try(jamRate, 'recovery');
    if (this.#isEnded()) return;
    if (jam?.holds !== 'no') {
      const why = [
        `it was not jammed again at ${jamRate}/s: there was nothing to recover from`,
        ...(jam?.doubts ?? []),
      ];
      this.#recovery = { ratePerSecond, hasRecovered: null, runs: 0, p50: null, isSameProcess: null, why };
      return;
    }
    const generation = this.#target.generation();
    const votes: Holds[] = [];
    while (!votes.includes('yes') && !isSettled(votes, repeat) && !this.#isEnded()) {
      const { holds, p50, doubts } = await this.#try(ratePerSecond, 'recovery');
      votes.push(holds);
      this.#recovery = {
        ratePerSecond,
        hasRecovered: hasRecovered(votes),
        runs: votes.length,
        p50,
        isSameProcess: generation === null ? null : generation === this.#target.generation(),
        why: hasRecovered(votes) === null ? doubts : [],
      };
    }
  }

  #isEnded(): boolean {
    return this.endedBy !== undefined || this.#context.interrupt.aborted;
  }

  async #try(ratePerSecond: number, purpose: KneeTry['purpose']): Promise<KneeTry> {
    const subscribers = this.subscribers;
    const held = await this.#target.ready();
    this.#context.begins(subscribers, ratePerSecond);
    const planned = planOfRun(this.#plan, subscribers, ratePerSecond, this.#directory);
    const { result, series, directory } = await run(planned, { ...this.#context, held });
    this.described = result.target;
    const { scenario, fleet } = this.#plan.plan;
    const facts = factsOf(result, series, scenario);
    const plateau = ratePerSecond === this.#plan.shape.minRate ? restOf(facts) : this.#plateau();
    const shown = { ...jamsOf(facts, plateau), readFrom: ['delivery', 'deliveryFromIntended', 'drain'] };
    const judged = judgeRun(result, facts, shown, fleet.isStrict);
    const stop = stopForSearch(
      result,
      this.#facts.some(({ attempted }) => attempted > 0),
    );
    // An unreachable target is no reason to suspect the rig.
    const doubts = stop.code === 'targetUnreachable' ? [stopInWords(stop)] : judged.doubts;
    const { p50 = null, p99 = null } = result.metrics.deliveryFromIntended ?? {};
    const one: KneeTry = {
      ratePerSecond,
      purpose,
      ...judged,
      doubts,
      p50,
      p99,
      deliveriesPerSecond: (result.ledger.deliveriesPerSecond as number | undefined) ?? 0,
      drain: facts.drain,
      rig: result.verdict.rig,
      stop: stop.code,
      directory,
    };
    if (searchEndings.includes(stop.code)) this.endedBy = stop;
    this.tries.push(one);
    this.#facts.push(facts);
    this.#context.tried(subscribers, one);
    return one;
  }

  #plateau(): Plateau {
    const { minRate } = this.#plan.shape;
    return plateauOf(
      this.#facts.filter((_, at) => {
        const { ratePerSecond, holds } = this.tries[at] as KneeTry;
        return ratePerSecond === minRate && holds === 'yes';
      }),
    );
  }

  get isCapped(): boolean {
    return isCapped(triedIn(this.tries), this.#plan.shape);
  }

  row(): KneeRow {
    const { shape } = this.#plan;
    return kneeRowOf(this.subscribers, this.tries, shape, { isOver: this.#isOver, recovery: this.#recovery });
  }

  async stop(): Promise<void> {
    await this.#target.stop();
  }
}

/** Keeps a target as one process over several runs. */
function heldTarget(planned: PlannedTarget) {
  let live: LiveTarget | undefined;
  let gone: LiveTarget | undefined;
  let starts = 0;
  return {
    /** Counts its starts; null for an external target. */
    generation: (): number | null => (planned.isOurs ? starts : null),
    /** Resolves with the running target, which no run can stop. Throws `ProblemError` if it can't start. */
    async ready(): Promise<LiveTarget> {
      if (live === undefined || live === gone) {
        await this.stop();
        const started = await startPlanned(planned, { redeployment: undefined });
        live = started;
        starts++;
        void started.gone.then(() => {
          gone = started;
        });
      }
      return { ...live, stop: async () => undefined };
    },
    async stop(): Promise<void> {
      await live?.stop();
      live = undefined;
    },
  };
}
