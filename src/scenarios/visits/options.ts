import { z } from 'zod';
import { duration } from '../../units/unit.js';
import { lengthMs, parseStages, stagesForm, stagesOf, visitCount } from './stages.js';

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
export function beyondSlots({ stages }: { stages?: string | undefined }): string[] {
  return stages === undefined
    ? []
    : [`--stages: expected nothing with --design paired, which makes the schedule, received ${stages}`];
}
