import { median } from 'simple-statistics';
import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { stopReasons } from '../../../contract/stop-reasons.js';
import { endingStops } from '../../../experiment/cells.js';
import type { Holds } from '../../../measure/statement.js';
import type { Knee, KneeRow, KneeTry } from '../../../results/search.js';
import { byRate, disorderIn, edgesOf, isCapped, majority, type SearchShape, type Tried } from '../rates.js';

/** Knees of one server at 25 to 1,000 subscribers lay within 10 %. Two searches of 5 % add to that. */
export const allowedSpread = 0.15;

/** Holds the facts of a run that are known before it is judged. */
export type KneeInputs = Pick<KneeTry, 'ratePerSecond' | 'rig' | 'stop' | 'directory' | 'purpose'>;

function searchIn(tries: readonly KneeTry[]): KneeTry[] {
  return tries.filter(({ purpose, stop }) => purpose === 'search' && !endingStops.includes(stop));
}

export function triedIn(tries: readonly KneeTry[]): Tried[] {
  return byRate(searchIn(tries));
}

function voteAt(tried: readonly Tried[], rate: number): Holds {
  return majority(tried.find(({ ratePerSecond }) => ratePerSecond === rate)?.votes ?? []);
}

/** Returns the highest rate at which every run jammed, or the upper edge; undefined if no jam is proven. */
export function jamRateOf(tried: readonly Tried[], shape: SearchShape): number | undefined {
  const { keptUpTo, failedFrom } = edgesOf(tried);
  if (keptUpTo === null || failedFrom === null || isCapped(tried, shape)) return undefined;
  if (voteAt(tried, failedFrom) !== 'no') return undefined;
  const sure = tried.filter(({ votes }) => votes.every((holds) => holds === 'no'));
  return Math.max(failedFrom, ...sure.map(({ ratePerSecond }) => ratePerSecond));
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
  const knee = end === 'jammed' ? Math.sqrt((keptUpTo as number) * (failedFrom as number)) : null;
  const plateaus = tries.filter(({ ratePerSecond, holds }) => ratePerSecond === shape.minRate && holds === 'yes');
  const p50s = plateaus.flatMap(({ p50 }) => p50 ?? []);
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
