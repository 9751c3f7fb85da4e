import type { ShardResult } from '../../contract/shard.js';
import type { Stop } from '../../contract/stop-reasons.js';
import { readableCauses } from '../../measure/causes.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import { readClockId } from '../../measure/rig/machine.js';
import { blocksOf } from '../../measure/samples/blocks.js';
import { type Summary, summarize } from '../../measure/samples/distribution.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { isKept, thresholdFigures } from '../../measure/threshold.js';
import type { ThresholdFacts, WaitFacts } from '../../measure/verdict/facts.js';
import { type CoreWaits, type Waited, waitedIn, withoutWaits } from '../../measure/waits.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { causesInWords, countText, kindOfCause } from '../../units/text.js';
import type { Collected } from '../shards/collect.js';

interface Timed {
  results: readonly Pick<ShardResult, 'clockId'>[];
  series: Readonly<Record<string, Uint32Array>>;
  metrics: Readonly<Record<string, Summary>>;
  stages: RunResult['environment']['stages'];
}

/** Returns the waits of a target for a core, in the ramp and under load, and the figures without those waits. */
export function waitFacts(
  { metrics: declared, stages: specs }: Pick<Scenario, 'metrics' | 'stages'>,
  { results, series, metrics, stages }: Timed,
  waits: CoreWaits | undefined,
): WaitFacts | undefined {
  if (waits === undefined) return undefined;
  const during = (isMeant: (name: string) => boolean): Waited => {
    const spans = stages.filter(({ name }) => isMeant(name));
    const [fromMs, toMs] = [spans.map((span) => span.fromMs), spans.map((span) => span.toMs)];
    return spans.length > 0 ? waitedIn(waits, Math.min(...fromMs), Math.max(...toMs)) : nothing;
  };
  const measured = new Set(specs.filter(({ isMeasured }) => isMeasured).map(({ name }) => name));
  const clockId = readClockId();
  const isOneClock = results.every((result) => result.clockId === clockId);
  const least = Object.entries(declared).flatMap(([name, { unit, atLeast = '' }]) => {
    const [whole, lower] = [series[blocksOf(name)], series[blocksOf(atLeast)]];
    const { sentAtUs } = series;
    if (!isOneClock || !whole || !lower || !sentAtUs) return [];
    const samples = withoutWaits(waits, { sentAtUs, whole, least: lower });
    const { unfinished = 0, independent } = metrics[name] ?? {};
    if (samples === undefined) return [];
    const summary = summarize(samples, unit, unfinished, independent);
    return [[name, Object.fromEntries(thresholdFigures.map((figure) => [figure, summary[figure]]))] as const];
  });
  return {
    load: during((name) => measured.has(name)),
    ramp: during((name) => name === 'ramp'),
    least: Object.fromEntries(least),
  };
}

const nothing: Waited = { othersMs: 0, windowMs: 0 };

/** Returns why a complete run fails by its scenario. Publishes that the rig withheld are no failure. */
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

/** Describes the events that a run lacks, except those that its thresholds do not expect. */
export function nothingOf(
  { failures }: Scenario,
  ledger: LedgerEntries,
  thresholds: readonly ThresholdFacts[],
): string[] {
  const of = (name: string): number => Number(ledger[name] ?? 0);
  return (failures?.nothing ?? [])
    .filter(({ of: whole }) => whole === undefined || of(whole) > 0)
    .map(({ got, missing }) => ({ got, missed: missing.filter((name) => of(name) > 0) }))
    .filter(({ got, missed }) => of(got) === 0 && !isExpected([got, ...missed], thresholds))
    .map(({ got, missed }) => [`0 ${got}`, ...missed.map((name) => `${countText(of(name))} ${name}`)].join(', '));
}

function isExpected(counts: readonly string[], thresholds: readonly ThresholdFacts[]): boolean {
  const about = thresholds.filter((each) =>
    'entry' in each ? counts.includes(each.entry) : 'part' in each && counts.includes(each.part),
  );
  return about.length > 0 && about.every((each) => isKept(each, each.value));
}

/** Describes the publishes of the ledger, with the causes of missing acks, and those of the warm-up. */
export function notAcked(ledger: LedgerEntries, { causes }: Pick<Collected, 'causes'>): string[] {
  const { attempted = 0, acked = 0, refused = 0, failed = 0 } = ledger as Record<string, number>;
  const warmUp = causes.warmUp ?? {};
  const parts = `${countText(acked)} acked + ${countText(refused)} refused + ${countText(failed)} failed`;
  const sum = `${countText(attempted)} publishes = ${parts}`;
  return [
    ...(attempted > 0 ? [withCauses(sum, causes.publish ?? {})] : []),
    ...(Object.keys(warmUp).length > 0
      ? [`not acked in the warm-up: ${causesInWords(readableCauses('warmUp', warmUp))}`]
      : []),
  ];
}

function withCauses(sum: string, causes: Record<string, number>): string {
  const words = causesInWords(readableCauses('publish', causes));
  return words === '' ? sum : `${sum} (${words})`;
}

/** Counts the causes of publishes that the target did not take, warm-up included. */
export function causesOfTarget({ causes }: Pick<Collected, 'causes'>): Record<string, number> {
  const { ours: _ours, ...ofTarget } = sumCounts([causes.publish ?? {}, causes.warmUp ?? {}]);
  return ofTarget;
}

/** Returns the stop code of a target that accepted no publish: either it refused at least one, or it answered none. */
export function untakenCode(collected: Pick<Collected, 'causes'>): 'publishRefused' | 'publishFailed' {
  const kinds = Object.keys(causesOfTarget(collected)).map(kindOfCause);
  return kinds.includes('http-status') ? 'publishRefused' : 'publishFailed';
}
