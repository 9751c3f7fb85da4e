import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunResult, runFile } from '../contract/result.js';
import { encodeSamples } from '../measure/sample-body.js';
import type { Samples } from '../measure/samples.js';

/** The directory of a new result: sorted by time, readable by people. */
export function resultDirectory(
  resultsDir: string,
  startedAt: string,
  scenario: string,
  target: string,
  runId: string,
): string {
  return join(resultsDir, `${stampOf(startedAt)}${nameWithin(scenario, target)}${runId}`);
}

/** The time at the head of a directory's name, to the second; names sort by it. */
export function stampOf(startedAt: string): string {
  return startedAt.replace(/[:.]/g, '-').replace(/-\d{3}Z$/, 'Z');
}

/** What the names of all directories of a scenario and a target hold. */
export function nameWithin(scenario: string, target: string): string {
  return `-${scenario}-${target.replace(/[^a-zA-Z0-9.-]+/g, '_')}-`;
}

/** Where the merged samples of a metric are kept, beside `result.json`. */
export function sampleFile(metric: string): string {
  return `samples/${metric}.bin`;
}

/** Keeps a result: the samples first, so that a `result.json` never names a file that is not there. */
export async function keep(directory: string, result: RunResult, samples: Record<string, Samples>): Promise<void> {
  await mkdir(join(directory, 'samples'), { recursive: true });
  for (const [metric, { file }] of Object.entries(result.samples)) {
    const merged = samples[metric];
    if (merged) await writeFile(join(directory, file), await encodeSamples(merged));
  }
  await writeFile(join(directory, runFile), `${JSON.stringify(result, null, 2)}\n`);
}
