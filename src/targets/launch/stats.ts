import { z } from 'zod';
import { outsideRecord, outsideText, outsideValue } from '../../units/outside-text.js';
import { withoutSecrets } from '../../units/urls.js';
import type { ProcessStats, TargetStats } from '../target.js';
import { ask } from './answer.js';

const processSchema = z.object({
  pid: z.int().positive(),
  port: z.int().positive(),
  rssBytes: z.number().nonnegative(),
  cpuUserUs: z.number().nonnegative(),
  cpuSystemUs: z.number().nonnegative(),
  connections: z.int().nonnegative(),
}) satisfies z.ZodType<ProcessStats>;

const statsSchema = z.object({
  pid: z.int().positive(),
  rssBytes: z.number().nonnegative(),
  cpuUserUs: z.number().nonnegative(),
  cpuSystemUs: z.number().nonnegative(),
  connections: z.int().nonnegative(),
  eventLoopDelayP99Ms: z.number().nonnegative(),
  eventLoopUtilization: z.number().min(0).max(1),
  versions: z
    .record(z.string(), z.string())
    .overwrite((versions) => outsideRecord(versions, (version) => outsideText(version))),
  settings: z.record(z.string(), z.unknown()).overwrite((settings) => outsideRecord(settings, outsideValue)),
  processes: z.array(processSchema).optional(),
}) satisfies z.ZodType<TargetStats>;

const answerWithinMs = 5_000;

/** Reads `GET /_stats` of a target. Rejects when nothing answers in 5 s or before the signal, or with anything but stats. */
export async function fetchStats(url: string, signal?: AbortSignal): Promise<TargetStats> {
  const { statusCode, text } = await ask(url, { withinMs: answerWithinMs, signal });
  if (statusCode !== 200) throw new Error(`${withoutSecrets(url)} answered ${statusCode}`);
  return statsSchema.parse(JSON.parse(text));
}
