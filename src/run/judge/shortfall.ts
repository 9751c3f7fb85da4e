import type { Stop } from '../../contract/stop-reasons.js';
import { toldCauses } from '../../measure/causes.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import { sumCounts } from '../../measure/samples/sums.js';
import { isKept } from '../../measure/threshold.js';
import type { ThresholdFacts } from '../../measure/verdict/facts.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { causesInWords, count, kindOfCause } from '../../units/words.js';
import type { Collected } from '../shards/collect.js';

/** Why a complete run is a failure by its scenario's `failures`. Publishes that the rig withheld are none. */
export function shortfallOf(
  scenario: Scenario,
  collected: Pick<Collected, 'counts' | 'causes'>,
  ledger: LedgerEntries,
  thresholds: readonly ThresholdFacts[],
): Stop | undefined {
  const of = (name: string): number => Number(ledger[name] ?? 0);
  const nothing = nothingOf(scenario, ledger, thresholds);
  if (nothing.length > 0) return { code: 'nothingDelivered', evidence: nothing };
  const withheld = collected.counts.withheld ?? 0;
  const untaken = (scenario.failures?.untaken ?? []).filter((name) => of(name) > 0 && !isExpected([name], thresholds));
  const isOurs = untaken.reduce((sum, name) => sum + of(name), 0) <= withheld;
  return isOurs ? undefined : { code: 'publishesShort', evidence: notAcked(ledger, collected) };
}

/** What a run has none of, although its scenario needs some and no threshold expects none, in words. */
export function nothingOf(
  { failures }: Scenario,
  ledger: LedgerEntries,
  thresholds: readonly ThresholdFacts[],
): string[] {
  const of = (name: string): number => Number(ledger[name] ?? 0);
  return (failures?.nothing ?? [])
    .map(({ got, missing }) => ({ got, missed: missing.filter((name) => of(name) > 0) }))
    .filter(({ got, missed }) => of(got) === 0 && !isExpected([got, ...missed], thresholds))
    .map(({ got, missed }) => [`0 ${got}`, ...missed.map((name) => `${count(of(name))} ${name}`)].join(', '));
}

/** Whether the run keeps all thresholds about these counts, and there are some. */
function isExpected(counts: readonly string[], thresholds: readonly ThresholdFacts[]): boolean {
  const about = thresholds.filter(
    (each) => each.kind !== 'figure' && counts.includes(each.kind === 'count' ? each.entry : each.part),
  );
  return about.length > 0 && about.every((each) => isKept(each, each.value));
}

/** The publishes of the ledger in words, with the causes of missing acks; the warm-up, outside the ledger, is apart. */
export function notAcked(ledger: LedgerEntries, { causes }: Pick<Collected, 'causes'>): string[] {
  const { attempted = 0, acked = 0, refused = 0, failed = 0 } = ledger as Record<string, number>;
  const warmUp = causes.warmUp ?? {};
  const parts = `${count(acked)} acked + ${count(refused)} refused + ${count(failed)} failed`;
  const sum = `${count(attempted)} publishes = ${parts}`;
  return [
    ...(attempted > 0 ? [withCauses(sum, causes.publish ?? {})] : []),
    ...(Object.keys(warmUp).length > 0
      ? [`not acked in the warm-up: ${causesInWords(toldCauses('warmUp', warmUp))}`]
      : []),
  ];
}

function withCauses(sum: string, causes: Record<string, number>): string {
  const words = causesInWords(toldCauses('publish', causes));
  return words === '' ? sum : `${sum} (${words})`;
}

/** Why the target took no publishes, warm-up included; those that the end of the run cut off do not count. */
export function causesOfTarget({ causes }: Pick<Collected, 'causes'>): Record<string, number> {
  const { ours: _ours, ...ofTarget } = sumCounts([causes.publish ?? {}, causes.warmUp ?? {}]);
  return ofTarget;
}

/** The stop code of a target that took no publish: it refused at least one, or answered none. */
export function untakenCode(collected: Pick<Collected, 'causes'>): 'publishRefused' | 'publishFailed' {
  const kinds = Object.keys(causesOfTarget(collected)).map(kindOfCause);
  return kinds.includes('http-status') ? 'publishRefused' : 'publishFailed';
}
