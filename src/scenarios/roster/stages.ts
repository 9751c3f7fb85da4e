import { z } from 'zod';
import { countText } from '../../units/text.js';
import { count, duration } from '../../units/unit.js';
import { optionalRate } from '../options.js';
import { lastsMs } from '../pace.js';

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

export const stagesForm = 'stages such as 50s:250,30s:250,10s:100, each a duration and the clients at its end';

const mostMs = 86_400_000;
/** The most visits of a run. */
export const mostVisits = 1_000_000;

/** Reads `50s:250,110s:250,10s:100`. Undefined for other text, no visitor, more than a day or a million visits. */
export function parseStages(text: string): readonly VisitStage[] | undefined {
  const stages: VisitStage[] = [];
  for (const part of text.split(',')) {
    const [length = '', level = '', ...rest] = part.split(':');
    const [durationMs, clients] = [duration.parse(length), count.parse(level)];
    if (durationMs === undefined || clients === undefined || rest.length > 0) return undefined;
    stages.push({ durationMs, clients });
  }
  const visits = visitCount(stages);
  return visits > 0 && visits <= mostVisits && lengthMs(stages) <= mostMs ? stages : undefined;
}

/** Returns the stages of a checked option, or an empty list if it is not given. */
export function stagesOf(text: string | undefined): readonly VisitStage[] {
  return (text === undefined ? undefined : parseStages(text)) ?? [];
}

/** Returns the duration of all stages together, in milliseconds. */
export function lengthMs(stages: readonly VisitStage[]): number {
  return stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Returns the number of visits in the stages. Each rise of the number brings new visitors. */
export function visitCount(stages: readonly VisitStage[]): number {
  return stages.reduce((sum, { clients }, n) => sum + Math.max(0, clients - (stages[n - 1]?.clients ?? 0)), 0);
}

/** Returns the largest number of visitors at once. */
export function mostAtOnce(stages: readonly VisitStage[]): number {
  return Math.max(0, ...stages.map(({ clients }) => clients));
}

/** Returns the duration of all visits together, in milliseconds, until `untilMs` after the start of the stages. */
export function visitedMs(stages: readonly VisitStage[], untilMs: number): number {
  return visitsOf(stages).reduce((sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(toMs, untilMs) - fromMs), 0);
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

/** Clients of a worker that stay, the number of the first among all that do, and the visits of the others. */
export interface VisitShare {
  staying: number;
  firstStaying: number;
  visits: readonly number[];
}

/** Distributes visits over the run's clients, so that every worker has its share of those there together. */
export function shareVisits({ firstClient, clientCount, totalClients }: ClientPart, visits: number): VisitShare {
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
    .refine((text) => parseStages(text) !== undefined, { error: `expected ${stagesForm}` })
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

/** Declares the flag for clients that are replaced while traffic flows. */
export const churnPerSecond = optionalRate('churn', 100_000, 'clients per second that are replaced by new ones');

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

/** Returns why a churn is refused, in words. */
export function churnRefused(churn: Churn | undefined, stages: string | undefined): string[] {
  if (churn === undefined) return [];
  const replaced = replacedIn(churn);
  const most = `--churn: expected at most ${countText(mostVisits)} replacements, received ${countText(replaced)}`;
  return [
    ...(stages === undefined ? [] : ['--churn: expected no --stages beside it, received both']),
    ...(replaced > mostVisits ? [most] : []),
  ];
}
