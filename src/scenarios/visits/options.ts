import { z } from 'zod';
import { duration } from '../../units/list.js';
import { lastsMs } from '../pace.js';
import { lengthMs, parseStages, stagesForm, stagesOf, visitCount } from './stages.js';

/** Clients that come and go while traffic flows. */
export function stagesOfClients(help: string) {
  return z
    .string()
    .refine((text) => parseStages(text) !== undefined, { error: `expected ${stagesForm}` })
    .meta({ flag: 'stages', placeholder: 'stages', help });
}

export const stages = stagesOfClients('visitors beside the subscribers, who come and go: DURATION:CLIENTS, …');

/** How many clients of a run come later than its first gate, which does not await them. */
export function arrivingOf(options: { stages?: string | undefined }): number {
  return visitCount(stagesOf(options.stages));
}

/** A schedule of so many broadcasts or sends. */
interface Schedule {
  stages?: string | undefined;
  warmUp: number;
  broadcasts: number;
  ratePerSecond: number;
}

/** Why the stages do not fit into the schedule that `option` makes longer, in words. */
export function beyondSchedule({ stages, warmUp, broadcasts, ratePerSecond }: Schedule, option: string): string[] {
  const stagesMs = lengthMs(stagesOf(stages));
  const scheduleMs = lastsMs(warmUp + broadcasts, ratePerSecond);
  if (stagesMs <= scheduleMs) return [];
  const [most, received] = [scheduleMs, stagesMs].map((ms) => duration.print(Math.floor(ms)));
  return [`--stages: expected at most ${most}, which is the schedule and grows with ${option}, received ${received}`];
}
