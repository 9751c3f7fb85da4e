import { z } from 'zod';
import { drawAt } from '../../measure/stats/bootstrap.js';
import { count, duration, rate } from '../../units/unit.js';

/** Returns the time of so many events of an even schedule, one interval each, in milliseconds. */
export function lastsMs(events: number, ratePerSecond: number): number {
  return (events / ratePerSecond) * 1000;
}

/** Returns the number of events that an even schedule makes in that time, at least one. */
export function eventsIn(ms: number, ratePerSecond: number): number {
  return Math.max(1, Math.round((ratePerSecond * ms) / 1000));
}

/** Returns events per second, to a tenth. Returns 0 if the time is unknown or zero. */
export function perSecond(events: number, inMs = 0): number {
  return inMs > 0 ? Math.round((events * 10_000) / inMs) / 10 : 0;
}

/** Returns when number `n` (from 0) of an even schedule is due, in nanoseconds after its start. */
export function dueAtNs(n: number, ratePerSecond: number): number {
  return (n * 1e9) / ratePerSecond;
}

interface Plan {
  slots?: { beginNs: Float64Array };
  dueMs?: Float64Array;
}

/** Returns when a broadcast is due after the start, in nanoseconds. Allocates nothing. */
export function plannedNs({ slots, dueMs }: Plan, sequence: number, ratePerSecond: number): number {
  const inStagesMs = dueMs?.[sequence];
  if (inStagesMs !== undefined) return inStagesMs * 1e6;
  return slots?.beginNs[sequence] ?? dueAtNs(sequence, ratePerSecond);
}

/** Counts the events of `total` due `elapsedNs` after the start of an even schedule. The first is due at once. */
export function dueCount(elapsedNs: number, total: number, ratePerSecond: number): number {
  if (elapsedNs < 0) return 0;
  const near = Math.floor((elapsedNs * ratePerSecond) / 1e9);
  // Rounding can put the product on either side of an instant, so `dueAtNs` decides.
  if (dueAtNs(near + 1, ratePerSecond) <= elapsedNs) return Math.min(total, near + 2);
  return Math.min(total, dueAtNs(near, ratePerSecond) > elapsedNs ? near : near + 1);
}

/** Reads stages such as `10s:5,1s:500`, each a duration and a level. Returns undefined for other text. */
function readStages(text: string, unit: typeof rate | typeof count) {
  const stages: { durationMs: number; level: number }[] = [];
  for (const part of text.split(',')) {
    const [length = '', height = '', ...rest] = part.split(':');
    const [durationMs, level] = [duration.parse(length), unit.parse(height)];
    if (durationMs === undefined || level === undefined || rest.length > 0) return undefined;
    stages.push({ durationMs, level });
  }
  return stages;
}

interface RateStage {
  durationMs: number;
  perSecond: number;
}

/** Reads `10s:5/s,1s:500/s`. Returns undefined for other text, for empty stages, and for stages without a broadcast. */
export function parseRateStages(text: string): readonly RateStage[] | undefined {
  const stages = readStages(text, rate)?.map(({ durationMs, level }) => ({ durationMs, perSecond: level }));
  const isFull = stages?.every(({ durationMs, perSecond }) => durationMs > 0 && perSecond > 0);
  return isFull && broadcastsIn(stages!) > 0 ? stages : undefined;
}

/** Declares the flag for a schedule in waves and bursts. */
export const rateStages = z
  .string()
  .refine((text) => parseRateStages(text) !== undefined, {
    error: 'expected stages such as 10s:5/s,1s:500/s,30s:5/s, each a duration and the rate in it',
  })
  .optional()
  .meta({
    flag: 'rate-stages',
    placeholder: 'stages',
    help: 'waves of broadcasts, instead of --rate: DURATION:RATE, …',
  });

/** Returns the broadcasts of all stages. */
export function broadcastsIn(stages: readonly RateStage[]): number {
  return Math.floor(stages.reduce((sum, { durationMs, perSecond }) => sum + (durationMs * perSecond) / 1000, 1e-9));
}

/** Returns broadcasts and mean rate of a schedule in stages, whose first `warmUp` are not measured. */
export function loadOfStages(stages: readonly RateStage[], warmUp: number) {
  const inAll = broadcastsIn(stages);
  const ms = stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return { broadcasts: inAll - warmUp, ratePerSecond: (inAll * 1000) / ms };
}

/** Returns when each of so many broadcasts is due, in milliseconds after the start. */
export function dueInStages(text: string, broadcasts: number): Float64Array {
  const due = new Float64Array(broadcasts);
  const stages = parseRateStages(text) ?? [];
  let [beginMs, before, n] = [0, 0, 0];
  for (const [at, { durationMs, perSecond }] of stages.entries()) {
    const last = at === stages.length - 1 ? broadcasts : before + (durationMs * perSecond) / 1000;
    for (; n < Math.min(last - 1e-9, broadcasts); n++) due[n] = beginMs + lastsMs(n - before, perSecond);
    before = last;
    beginMs += durationMs;
  }
  return due;
}

interface StagedLoad {
  rateStages?: string | undefined;
  warmUp: number;
  broadcasts: number;
  ratePerSecond: number;
}

/** Returns why stages cannot go with a load, in words: a search sets its own. */
export function rateStagesRefused({ rateStages, warmUp, broadcasts, ratePerSecond }: StagedLoad): string[] {
  if (rateStages === undefined) return [];
  const load = loadOfStages(parseRateStages(rateStages) ?? [], warmUp);
  if (load.broadcasts < 1) return [`--rate-stages: expected more broadcasts than the ${warmUp} of --warm-up`];
  const isAlike = load.broadcasts === broadcasts && load.ratePerSecond === ratePerSecond;
  const received = `${broadcasts} at ${rate.print(ratePerSecond)}`;
  return isAlike ? [] : [`--rate-stages: expected their own broadcasts and mean rate, received ${received}`];
}

/** Describes one stage of visitors: their number goes evenly to `clients` within that time. */
export interface VisitStage {
  durationMs: number;
  clients: number;
}

/** Holds when a visitor arrives and leaves, after the start of the stages; `toMs` is infinite for one that stays. */
export interface Visit {
  fromMs: number;
  toMs: number;
}

const mostMs = 86_400_000;
export const mostVisits = 1_000_000;

/** Reads `50s:250,110s:250,10s:100`. Undefined for other text, no visitor, more than a day or a million visits. */
export function parseStages(text: string): readonly VisitStage[] | undefined {
  const stages = readStages(text, count)?.map(({ durationMs, level }) => ({ durationMs, clients: level })) ?? [];
  const visits = visitCount(stages);
  return visits > 0 && visits <= mostVisits && lengthMs(stages) <= mostMs ? stages : undefined;
}

/** Returns the stages of a checked option, or an empty list if it is not given. */
export function stagesOf(text: string | undefined): readonly VisitStage[] {
  return parseStages(text ?? '') ?? [];
}

/** Returns the duration of all stages together, in milliseconds. */
export function lengthMs(stages: readonly VisitStage[]): number {
  return stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Returns the number of visits in the stages. Each rise of the number brings new visitors. */
export function visitCount(stages: readonly VisitStage[]): number {
  return stages.reduce((sum, { clients }, n) => sum + Math.max(0, clients - (stages[n - 1]?.clients ?? 0)), 0);
}

/** Returns all visits of the stages in the order of their arrivals. The last to come leaves first. */
export function visitsOf(stages: readonly VisitStage[]): readonly Visit[] {
  const visits: Visit[] = [];
  const there: Visit[] = [];
  let beginMs = 0;
  for (const { durationMs, clients } of stages) {
    const change = clients - there.length;
    const changes = Math.abs(change);
    // Each client comes or goes in the middle of its part of the stage.
    for (let n = 0; n < changes; n++) {
      const atMs = beginMs + ((n + 0.5) / changes) * durationMs;
      if (change < 0) {
        (there.pop() as Visit).toMs = atMs;
        continue;
      }
      const visit = { fromMs: atMs, toMs: Number.POSITIVE_INFINITY };
      visits.push(visit);
      there.push(visit);
    }
    beginMs += durationMs;
  }
  return visits;
}

/** Describes a worker's part of a run's clients. */
export interface ClientPart {
  firstClient: number;
  clientCount: number;
  totalClients: number;
}

/**
 * Distributes visits over the run's clients, so that every worker has its share of those there together. `staying` of
 * its clients have none; the first of them has number `firstStaying` among all that stay.
 */
export function shareVisits({ firstClient, clientCount, totalClients }: ClientPart, visits: number) {
  const stay = totalClients - visits;
  const stayingBelow = (client: number): number => Math.floor((client * stay) / totalClients);
  const staying = clientCount === 0 ? 0 : stayingBelow(firstClient + clientCount) - stayingBelow(firstClient);
  const first = clientCount === 0 ? 0 : firstClient - stayingBelow(firstClient);
  const step = evenStep(visits);
  const dealt = Array.from({ length: clientCount - staying }, (_, n) => ((first + n) * step) % visits);
  return { staying, firstStaying: stayingBelow(firstClient), visits: dealt };
}

/** Returns a step near the golden section that reaches every number modulo `of`, so that neighbours lie far apart. */
export function evenStep(of: number): number {
  let step = Math.max(1, Math.round(of * 0.618_034));
  while (commonDivisor(step, of) > 1) step++;
  return step;
}

/** Returns the largest number that divides both. */
export function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** Declares the flag for clients that come and go while traffic flows. */
export function stagesOfClients(help: string) {
  return z
    .string()
    .refine((text) => parseStages(text) !== undefined, {
      error: 'expected stages such as 50s:250,30s:250,10s:100, each a duration and the clients at its end',
    })
    .meta({ flag: 'stages', placeholder: 'stages', help });
}

export const stages = stagesOfClients('visitors beside the subscribers, who come and go: DURATION:CLIENTS, …');

/** Returns how many clients of a run come later than its first gate, which does not await them. */
export function arrivingOf(options: { stages?: string | undefined }): number {
  return visitCount(stagesOf(options.stages));
}

/** Returns why stages do not fit into a schedule of that length, which `option` makes longer, in words. */
export function beyondSchedule(stages: string | undefined, scheduleMs: number, option: string): string[] {
  const stagesMs = lengthMs(stagesOf(stages));
  if (stagesMs <= scheduleMs) return [];
  const [most, received] = [scheduleMs, stagesMs].map((ms) => duration.print(Math.floor(ms)));
  return [`--stages: expected at most ${most}, which is the schedule and grows with ${option}, received ${received}`];
}

/** Returns why stages cannot be in a paired comparison, in words. */
export function beyondSlots(options: {
  stages?: string | undefined;
  churnPerSecond?: number | undefined;
  rateStages?: string | undefined;
}): string[] {
  const given = { stages: options.stages, churn: options.churnPerSecond, 'rate-stages': options.rateStages };
  return Object.entries(given).flatMap(([flag, value]) =>
    value === undefined
      ? []
      : [`--${flag}: expected nothing with --design paired, which makes the schedule, received ${value}`],
  );
}

/** Describes clients that are replaced while a schedule of that length runs. */
export interface Churn {
  perSecond: number;
  scheduleMs: number;
}

/** Returns how many clients are replaced. */
export function replacedIn({ perSecond, scheduleMs }: Churn): number {
  return Math.floor((perSecond * scheduleMs) / 1000);
}

/** Returns when replacement `n`, from 0, is due: one client leaves, and another arrives. Infinite if none is. */
export function replacedAtMs(n: number, churn: Churn): number {
  return n < replacedIn(churn) ? lastsMs(n + 0.5, churn.perSecond) : Number.POSITIVE_INFINITY;
}

/** Returns the visits of those that arrive. The first `clients` replace those of the ramp, the others each other. */
export function visitsOfChurn(churn: Churn, clients: number): Visit[] {
  return Array.from({ length: replacedIn(churn) }, (_, n) => ({
    fromMs: replacedAtMs(n, churn),
    toMs: replacedAtMs(n + clients, churn),
  }));
}

/** Numbers the subjects of random draws. Each has draws of its own, so that retries do not change drops. */
const subjects = {
  ...{ drop: 1, retry: 2, offset: 3, sender: 4, user: 5 },
  ...{ random: 6, think: 7, row: 8, reconnect: 9, schedule: 10, slot: 11 },
  ...{ stream: 12, dealtStream: 13, broadcastStream: 14 },
} as const;

/** Names what a client draws. */
export type DrawSubject = keyof typeof subjects;

/** Returns draw `n`, from 0 to below 1, for a client of the whole run. It depends on these four values only. */
export function draw(seed: number, subject: DrawSubject, client: number, n: number): number {
  return drawAt(seed, subjects[subject], client, n);
}
