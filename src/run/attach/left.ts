import { z } from 'zod';
import { ourName, outsideSentences } from '../../contract/problems.js';
import { type LeftBody, mostLeftBytes } from '../../contract/run-state.js';
import { stopCodes } from '../../contract/stop-reasons.js';
import { seriesSchema } from '../../measure/series.js';
import { gaugeSeries } from '../../results/over-time/series.js';
import { shardPart } from '../../results/result.js';
import type { Member } from '../shards/member.js';

/** Holds the driver's own records of a run. All times are on the axis of the result. */
export const seen = z.strictObject({
  elapsedMs: z.number().min(0),
  /** Part of it in which this run waited for other runs that start each stage at the same time. */
  waitedMs: z.number().min(0),
  /** Time at which the jobs were posted. */
  postedAtMs: z.number().min(0),
  /** Stop code and evidence if the driver ended the run. */
  end: z
    .union([
      z.strictObject({ code: z.enum(stopCodes), evidence: outsideSentences, afterMs: z.number().min(0).optional() }),
      z.strictObject({ code: z.literal('audienceShort'), evidence: outsideSentences }),
      z.strictObject({ code: z.literal('publishesUntaken'), evidence: outsideSentences }),
    ])
    .optional(),
  /** Counts that prove a restart. */
  counts: z.record(ourName, z.number()),
  observations: z.array(seriesSchema),
  gauges: z.array(gaugeSeries),
  silences: z.array(shardPart.shape.silences.unwrap()),
});

export type SeenRun = z.output<typeof seen>;

/** Leaves a run on its shards. The first one with a part also keeps the records of this driver. */
export async function leave(members: readonly Member[], what: SeenRun): Promise<void> {
  const there = members.filter(({ status, lost }) => status?.state === 'done' && lost === undefined);
  for (const [index, { client, jobId }] of there.entries()) await client.leave(jobId, index === 0 ? fitting(what) : {});
}

/** Drops the readings if the records are too large, and keeps the figures. */
function fitting(what: SeenRun): LeftBody {
  const isSmall = Buffer.byteLength(JSON.stringify(what)) < mostLeftBytes;
  return isSmall ? what : { ...what, observations: [], gauges: [] };
}

/** Returns the records of the earlier driver; undefined if it did not leave or runs another version. */
export function readLeft(left: readonly (LeftBody | null)[]): SeenRun | undefined {
  for (const body of left) {
    const read = seen.safeParse(body);
    if (read.success) return read.data;
  }
  return undefined;
}
