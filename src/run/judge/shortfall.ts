import type { Stop } from '../../contract/stop-reasons.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import { isKept } from '../../measure/threshold.js';
import type { PromiseFacts } from '../../measure/verdict/facts.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { count } from '../../units/words.js';
import type { Collected } from '../shards/collect.js';
import { notAcked } from './publishes.js';

/** Why a run that went to its end is no success by what its scenario declares (`failures`); undefined where it is one. Publishes that the rig itself withheld are no failure of the target. */
export function shortfallOf(
  { failures }: Scenario,
  collected: Pick<Collected, 'counts' | 'causes'>,
  ledger: LedgerEntries,
  promises: readonly PromiseFacts[],
): Stop | undefined {
  const of = (name: string): number => Number(ledger[name] ?? 0);
  const nothing = (failures?.nothing ?? [])
    .filter(({ got, missing }) => of(got) === 0 && !isExpected(of(missing) > 0 ? [got, missing] : [got], promises))
    .map(({ got, missing }) => `0 ${got}, ${count(of(missing))} ${missing}`);
  if (nothing.length > 0) return { code: 'nothingDelivered', evidence: nothing };
  const withheld = collected.counts.withheld ?? 0;
  const untaken = (failures?.untaken ?? []).filter((name) => of(name) > 0 && !isExpected([name], promises));
  const isOurs = untaken.reduce((sum, name) => sum + of(name), 0) <= withheld;
  return isOurs ? undefined : { code: 'publishesShort', evidence: notAcked(ledger, collected) };
}

/** Whether there are thresholds about one of these counts, and the run keeps them all. */
function isExpected(counts: readonly string[], promises: readonly PromiseFacts[]): boolean {
  const about = promises.filter(
    (each) => each.kind !== 'figure' && counts.includes(each.kind === 'count' ? each.entry : each.part),
  );
  return about.length > 0 && about.every((each) => isKept(each, each.value));
}
