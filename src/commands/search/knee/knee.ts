import { median } from 'simple-statistics';
import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { stopInWords, stopReasons } from '../../../contract/stop-reasons.js';
import { endingStops, type Order } from '../../../experiment/cells.js';
import type { Journal } from '../../../experiment/journal.js';
import type { Holds } from '../../../measure/statement.js';
import { type JamFacts, jamsOf, restOf } from '../../../measure/stats/jam.js';
import type { RunResult } from '../../../results/result.js';
import type { Knee, KneeRow, KneeTry } from '../../../results/search.js';
import { run } from '../../../run/run.js';
import type { LiveTarget } from '../../../run/server/live-target.js';
import type { PlannedTarget } from '../../../run/server/planned.js';
import { startPlanned } from '../../../run/server/start-target.js';
import { factsOf, judgeRun, plateauOf } from '../judge.js';
import {
  byRate,
  disorderIn,
  edgesOf,
  isCapped,
  isSettled,
  majority,
  type SearchShape,
  type Tried,
  votesAt,
} from '../rates.js';
import { Search, type SearchContext } from '../search.js';
import { type KneePlan, planOfRun } from './plan.js';

/** Searches the knee at one number of subscribers, against one process of the target. */
export function kneeAt(kneePlan: KneePlan, clients: number, context: SearchContext<KneeTry>) {
  const { scenario, fleet, target } = kneePlan.plan;
  const { repeat, minRate } = kneePlan.shape;
  const held = heldTarget(target);
  /** Facts of each run, and the process that made it. */
  const seen: { facts: JamFacts; process: unknown }[] = [];
  let recovery: KneeRow['recovery'] = null;
  let described: RunResult['target'] | undefined;
  const search: Search<KneeTry> = new Search<KneeTry>(
    {
      shape: kneePlan.shape,
      cellAt: (rate) => ({
        label: `${clients} × ${rate}/s`,
        plan: planOfRun(kneePlan, clients, rate),
        async make(planned, inside) {
          const { live, process } = await held.ready();
          return { ...(await run(planned, { ...inside, held: live })), found: process };
        },
      }),
      async judge({ result, series, found }, stated, isOfSearch): Promise<KneeTry> {
        const facts = factsOf(result, await series(), scenario);
        const resting = seen.filter((_, at) => isResting(search.points[at]!, minRate)).map((each) => each.facts);
        const plateau = stated.ratePerSecond === minRate ? restOf(facts) : plateauOf(resting);
        const shown = { ...jamsOf(facts, plateau), readFrom: ['delivery', 'deliveryFromIntended', 'drain'] };
        seen.push({ facts, process: found });
        described = result.target;
        const { p50 = null, p99 = null } = result.metrics.deliveryFromIntended ?? {};
        return {
          ...stated,
          ...judgeRun(result, facts, shown, fleet.isStrict),
          // An unreachable target is no reason to suspect the rig.
          ...(stated.stop === 'targetUnreachable' && {
            why: [stopInWords({ code: stated.stop, evidence: result.stop.evidence })],
          }),
          purpose: isOfSearch ? 'search' : 'recovery',
          ...{ p50, p99, drain: facts.drain },
          deliveriesPerSecond: (result.ledger.deliveriesPerSecond as number | undefined) ?? 0,
        };
      },
    },
    context,
  );

  async function* order(): Order {
    yield* search.order();
    const { isOver, tried, shape } = search;
    const jamRate = isOver ? jamRateOf(tried, shape) : undefined;
    if (jamRate !== undefined) yield* recover(jamRate, Number(((middleOf(tried) as number) / 2).toPrecision(4)));
  }

  /** Jams the target, unless the last run did, then runs at half the knee until it keeps up or the runs decide. */
  async function* recover(jamRate: number, ratePerSecond: number): Order {
    let jam = search.points.at(-1);
    for (let runs = 0; jam?.holds !== 'no' && runs < repeat && !search.isEnded; runs++)
      jam = yield* search.try(jamRate, false);
    if (search.isEnded) return;
    if (jam?.holds !== 'no') {
      const why = [`it was not jammed again at ${jamRate}/s: there was nothing to recover from`, ...(jam?.why ?? [])];
      recovery = { ratePerSecond, hasRecovered: null, runs: 0, p50: null, isSameProcess: null, why };
      return;
    }
    const jammed = seen.at(-1)?.process;
    const votes: Holds[] = [];
    while (!votes.includes('yes') && !isSettled(votes, repeat) && !search.isEnded) {
      const tried = yield* search.try(ratePerSecond, false);
      if (!tried) return;
      votes.push(tried.holds);
      recovery = {
        ratePerSecond,
        hasRecovered: hasRecovered(votes),
        runs: votes.length,
        p50: tried.p50,
        isSameProcess: target.isOurs ? jammed === seen.at(-1)?.process : null,
        why: hasRecovered(votes) === null ? tried.why : [],
      };
    }
  }

  return {
    search,
    /** Throws `ProblemError` if the first run is refused. */
    run: (journal: Journal): Promise<void> => search.run(journal, order()).finally(held.stop),
    /** Says why the search ended early; empty if it did not. */
    why(): string[] {
      const { tried, shape, points, isEnded, endedBecause } = search;
      if (isEnded) return [endedBecause];
      return isCapped(tried, shape) ? [`${clients} subscribers: ${points.length} runs did not prove the edges`] : [];
    },
    row: (): KneeRow => kneeRowOf(clients, search.points, search.shape, { isOver: search.isOver, recovery }),
    described: () => described,
  };
}

const isResting = ({ ratePerSecond, holds }: KneeTry, minRate: number): boolean =>
  ratePerSecond === minRate && holds === 'yes';

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
    async ready(): Promise<{ live: LiveTarget; process: string }> {
      if (live === undefined || live === gone) {
        await stop();
        const started = await startPlanned(planned, { redeployment: undefined });
        live = started;
        startedAt = new Date().toISOString();
        void started.gone.then(() => {
          gone = started;
        });
      }
      return { live: { ...live, stop: async () => undefined }, process: startedAt };
    },
  };
}

/** Knees of one server at 25 to 1,000 subscribers lay within 10 %. Two searches of 5 % add to that. */
export const allowedSpread = 0.15;

function searchIn(tries: readonly KneeTry[]): KneeTry[] {
  return tries.filter(({ purpose, stop }) => purpose === 'search' && !endingStops.includes(stop));
}

export function triedIn(tries: readonly KneeTry[]): Tried[] {
  return byRate(searchIn(tries));
}

const voteAt = (tried: readonly Tried[], rate: number): Holds => majority(votesAt(tried, rate));

/** Returns the highest rate at which every run jammed, or the upper edge; undefined if no jam is proven. */
export function jamRateOf(tried: readonly Tried[], shape: SearchShape): number | undefined {
  const { keptUpTo, failedFrom } = edgesOf(tried);
  if (keptUpTo === null || failedFrom === null || isCapped(tried, shape)) return undefined;
  if (voteAt(tried, failedFrom) !== 'no') return undefined;
  const sure = tried.filter(({ votes }) => votes.every((holds) => holds === 'no'));
  return Math.max(failedFrom, ...sure.map(({ ratePerSecond }) => ratePerSecond));
}

/** Returns the geometric middle of both edges; null without one of them. */
function middleOf(tried: readonly Tried[]): number | null {
  const { keptUpTo, failedFrom } = edgesOf(tried);
  return keptUpTo === null || failedFrom === null ? null : Math.sqrt(keptUpTo * failedFrom);
}

/** Returns true if a jammed target keeps up again, by the runs after the jam; null if they leave it open. */
export function hasRecovered(votes: readonly Holds[]): boolean | null {
  if (votes.includes('yes')) return true;
  return votes.length > 0 && majority(votes) === 'no' ? false : null;
}

/** Returns the knee that these runs show. `isOver` is true if nothing cut the search short. */
export function kneeRowOf(
  clients: number,
  tries: KneeTry[],
  shape: SearchShape,
  { isOver, recovery }: { isOver: boolean; recovery: KneeRow['recovery'] },
): KneeRow {
  const tried = triedIn(tries);
  const { keptUpTo, failedFrom, interval } = edgesOf(tried);
  const end = isOver ? kneeEnd(tried, shape) : 'ended';
  const knee = end === 'jammed' ? middleOf(tried) : null;
  const p50s = tries.filter((one) => isResting(one, shape.minRate)).flatMap(({ p50 }) => p50 ?? []);
  return {
    clients,
    plateau: p50s.length > 0 ? median(p50s) : null,
    end,
    keptUpTo,
    failedFrom,
    kneePerSecond: knee,
    messagesPerSecond: knee === null ? null : knee * clients,
    interval,
    why: failedFrom === null ? [] : whyAt(searchIn(tries), failedFrom, voteAt(tried, failedFrom)),
    recovery,
    tries,
  };
}

/** Returns how a search ended that nothing cut short. */
export function kneeEnd(tried: readonly Tried[], shape: SearchShape): KneeRow['end'] {
  if (isCapped(tried, shape)) return 'ended';
  const { keptUpTo, failedFrom } = edgesOf(tried);
  if (failedFrom === null) return keptUpTo !== null && keptUpTo >= shape.maxRate ? 'highestKept' : 'ended';
  if (disorderIn(tried).length > 0) return 'disordered';
  if (keptUpTo === null) return 'lowestFailed';
  return voteAt(tried, failedFrom) === 'no' ? 'jammed' : 'open';
}

function whyAt(tries: readonly KneeTry[], rate: number, holds: Holds): string[] {
  const last = tries.findLast((one) => one.ratePerSecond === rate && one.holds === holds);
  if (!last) return [];
  return holds === 'open' ? last.why : last.signs.map(({ sign, text }) => `${sign}: ${text}`);
}

/** Compares all knees in messages sent per second; null for fewer than two. */
export function samenessOf(rows: readonly Pick<KneeRow, 'messagesPerSecond'>[]): Knee['sameness'] {
  const found = rows.flatMap(({ messagesPerSecond }) => messagesPerSecond ?? []);
  if (found.length < 2) return null;
  const [lowest, highest] = [Math.min(...found), Math.max(...found)];
  return { isSame: highest <= lowest * (1 + allowedSpread), lowest, highest, allowedSpread };
}

/** Returns true if a row states no knee: its runs were doubtful, never agreed, or contradict each other. */
export function isRowOpen({ end, tries }: Pick<KneeRow, 'end' | 'tries'>, shape: SearchShape): boolean {
  const tried = triedIn(tries);
  if (end === 'lowestFailed') return voteAt(tried, shape.minRate) === 'open';
  return end === 'open' || end === 'disordered' || isCapped(tried, shape);
}

export function exitOfRow(row: Pick<KneeRow, 'end' | 'tries'>, shape: SearchShape): ExitName {
  if (isRowOpen(row, shape)) return 'rig';
  if (row.end !== 'lowestFailed') return 'clean';
  const lowest = searchIn(row.tries).filter(({ ratePerSecond }) => ratePerSecond === shape.minRate);
  return worstExit(lowest.map(({ stop }) => stopReasons[stop].exit));
}
