import { z } from 'zod';
import { duration, rate } from '../../units/unit.js';
import { lastsMs } from '../pace.js';

interface RateStage {
  durationMs: number;
  perSecond: number;
}

const form = 'stages such as 10s:5/s,1s:500/s,30s:5/s, each a duration and the rate in it';

/** Reads `10s:5/s,1s:500/s`. Returns undefined for other text, and for stages without a broadcast. */
export function parseRateStages(text: string): readonly RateStage[] | undefined {
  const stages: RateStage[] = [];
  for (const part of text.split(',')) {
    const [length = '', level = '', ...rest] = part.split(':');
    const [durationMs, perSecond] = [duration.parse(length), rate.parse(level)];
    if (!durationMs || !perSecond || rest.length > 0) return undefined;
    stages.push({ durationMs, perSecond });
  }
  return broadcastsIn(stages) > 0 ? stages : undefined;
}

/** Declares the flag for a schedule in waves and bursts. */
export const rateStages = z
  .string()
  .refine((text) => parseRateStages(text) !== undefined, { error: `expected ${form}` })
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
