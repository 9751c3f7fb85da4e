import type { ExitName } from '../../../contract/exit-codes.js';
import { stopInWords } from '../../../contract/stop-reasons.js';
import type { MadeRun, Order } from '../../../experiment/cells.js';
import type { Journal } from '../../../experiment/journal.js';
import type { Holds } from '../../../measure/statement.js';
import { type JamFacts, jamsOf, restOf } from '../../../measure/stats/jam.js';
import type { RunResult } from '../../../results/result.js';
import type { KneeRow, KneeTry } from '../../../results/search.js';
import { type RunContext, run } from '../../../run/run.js';
import type { PlannedTarget } from '../../../run/server/planned.js';
import { type LiveTarget, startPlanned } from '../../../run/server/start-target.js';
import { factsOf, judgeRun, plateauOf } from '../judge.js';
import { edgesOf, isCapped, isSettled } from '../rates.js';
import { Search, type SearchContext } from '../search.js';
import { type KneePlan, planOfRun } from './plan.js';
import { hasRecovered, jamRateOf, type KneeInputs, kneeRowOf } from './row.js';

/** Searches the knee at one number of subscribers, against one process of the target. */
export class KneeAt {
  readonly search: Search<KneeTry>;
  readonly #plan: KneePlan;
  readonly #clients: number;
  readonly #target: ReturnType<typeof heldTarget>;
  readonly #facts: JamFacts[] = [];
  /** Process of the target that made each run; null for an external target. */
  readonly #processes: unknown[] = [];
  #recovery: KneeRow['recovery'] = null;
  described: RunResult['target'] | undefined;

  constructor(plan: KneePlan, clients: number, context: SearchContext<KneeTry>) {
    this.#plan = plan;
    this.#clients = clients;
    this.#target = heldTarget(plan.plan.target);
    const make = async (planned: KneePlan['plan'], inside: RunContext) => {
      const { held, process } = await this.#target.ready();
      return { ...(await run(planned, { ...inside, held })), found: process };
    };
    this.search = new Search<KneeTry>(
      {
        shape: plan.shape,
        cellAt: (rate) => ({ label: `${clients} × ${rate}/s`, plan: planOfRun(plan, clients, rate), make }),
        judge: (made, stated, isOfSearch) =>
          this.#judge(made, { ...stated, purpose: isOfSearch ? 'search' : 'recovery' }),
      },
      context,
    );
  }

  /** Throws `ProblemError` if the first run is refused. */
  async run(making: { directory: string; journal: Journal }): Promise<void> {
    try {
      await this.search.run(making, this.#order());
    } finally {
      await this.#target.stop();
    }
  }

  get exit(): ExitName {
    return this.search.exit;
  }

  /** Says why the search ended early; empty if it did not. */
  get why(): string[] {
    const { tried, shape, points, isEnded, endedBecause } = this.search;
    if (isEnded) return [endedBecause];
    return isCapped(tried, shape)
      ? [`${this.#clients} subscribers: ${points.length} runs did not prove the edges`]
      : [];
  }

  row(): KneeRow {
    const { points, shape, isOver } = this.search;
    return kneeRowOf(this.#clients, points, shape, { isOver, recovery: this.#recovery });
  }

  async *#order(): Order {
    yield* this.search.order();
    const { isOver, tried, shape } = this.search;
    const jamRate = isOver ? jamRateOf(tried, shape) : undefined;
    if (jamRate === undefined) return;
    const { keptUpTo, failedFrom } = edgesOf(tried);
    const half = Math.sqrt((keptUpTo as number) * (failedFrom as number)) / 2;
    yield* this.#recover(jamRate, Number(half.toPrecision(4)));
  }

  /** Jams the target, unless the last run did, then runs at half the knee until it keeps up or the runs decide. */
  async *#recover(jamRate: number, ratePerSecond: number): Order {
    const { search } = this;
    const { repeat } = search.shape;
    let jam = search.points.at(-1);
    for (let runs = 0; jam?.holds !== 'no' && runs < repeat && !search.isEnded; runs++)
      jam = yield* search.try(jamRate, false);
    if (search.isEnded) return;
    if (jam?.holds !== 'no') {
      const why = [`it was not jammed again at ${jamRate}/s: there was nothing to recover from`, ...(jam?.why ?? [])];
      this.#recovery = { ratePerSecond, hasRecovered: null, runs: 0, p50: null, isSameProcess: null, why };
      return;
    }
    const jammed = this.#processes.at(-1);
    const votes: Holds[] = [];
    while (!votes.includes('yes') && !isSettled(votes, repeat) && !search.isEnded) {
      const tried = yield* search.try(ratePerSecond, false);
      if (!tried) return;
      votes.push(tried.holds);
      this.#recovery = {
        ratePerSecond,
        hasRecovered: hasRecovered(votes),
        runs: votes.length,
        p50: tried.p50,
        isSameProcess: this.#plan.plan.target.isOurs ? jammed === this.#processes.at(-1) : null,
        why: hasRecovered(votes) === null ? tried.why : [],
      };
    }
  }

  async #judge({ result, series, found }: MadeRun, stated: KneeInputs): Promise<KneeTry> {
    const { scenario, fleet } = this.#plan.plan;
    const { minRate } = this.#plan.shape;
    const facts = factsOf(result, await series(), scenario);
    const plateau = stated.ratePerSecond === minRate ? restOf(facts) : plateauOf(this.#restingFacts());
    const shown = { ...jamsOf(facts, plateau), readFrom: ['delivery', 'deliveryFromIntended', 'drain'] };
    const judged = judgeRun(result, facts, shown, fleet.isStrict);
    this.#facts.push(facts);
    this.#processes.push(found);
    this.described = result.target;
    const { p50 = null, p99 = null } = result.metrics.deliveryFromIntended ?? {};
    return {
      ...stated,
      ...judged,
      // An unreachable target is no reason to suspect the rig.
      ...(stated.stop === 'targetUnreachable' && {
        why: [stopInWords({ code: stated.stop, evidence: result.stop.evidence })],
      }),
      p50,
      p99,
      deliveriesPerSecond: (result.ledger.deliveriesPerSecond as number | undefined) ?? 0,
      drain: facts.drain,
    };
  }

  #restingFacts(): JamFacts[] {
    const { points, shape } = this.search;
    return this.#facts.filter((_, at) => {
      const { ratePerSecond, holds } = points[at] as KneeTry;
      return ratePerSecond === shape.minRate && holds === 'yes';
    });
  }
}

function heldTarget(planned: PlannedTarget) {
  let live: LiveTarget | undefined;
  let gone: LiveTarget | undefined;
  let startedAt = '';
  const stop = async (): Promise<void> => {
    await live?.stop();
    live = undefined;
  };
  return {
    stop,
    /** Resolves with the running target, which no run can stop, and a name of its process. Throws `ProblemError`. */
    async ready(): Promise<{ held: LiveTarget; process: string }> {
      if (live === undefined || live === gone) {
        await stop();
        const started = await startPlanned(planned, { redeployment: undefined });
        live = started;
        startedAt = new Date().toISOString();
        void started.gone.then(() => {
          gone = started;
        });
      }
      return { held: { ...live, stop: async () => undefined }, process: startedAt };
    },
  };
}
