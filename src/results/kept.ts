import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { ProblemError, problem } from '../contract/problems.js';
import { decodeSamples } from '../measure/samples/sample-body.js';
import type { Samples } from '../measure/samples/samples.js';
import { type Comparison, comparison, comparisonFile } from './comparison.js';
import { type RunResult, runFile, runResult } from './result.js';

/** Reads and checks a kept file; undefined when there is none. Throws `ProblemError` with everything that is wrong with one that is there. */
export async function readKept<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S> | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ProblemError([problem('badResult', `${path}: ${(error as Error).message}`)]);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ProblemError([problem('badResult', `${path}: ${(error as Error).message}`)]);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ProblemError(
    parsed.error.issues.map((issue) => problem('badResult', `${path}: ${issue.path.join('.')}: ${issue.message}`)),
  );
}

/** The directory of what is kept there, named by itself or by a file in it, as `…/result.json`. */
export function keptIn(path: string): string {
  return path.endsWith('.json') && statSync(path, { throwIfNoEntry: false })?.isFile() ? dirname(path) : path;
}

/** The run that a directory holds. Throws `ProblemError` where it holds none. */
export async function readRun(directory: string): Promise<RunResult> {
  const result = await readKept(join(directory, runFile), runResult);
  if (result !== undefined) return result;
  throw new ProblemError([problem('badResult', `${directory} holds no ${runFile}`)]);
}

/** The run or the comparison that a directory holds. Throws `ProblemError` where it holds neither. */
export async function readRunOrComparison(directory: string): Promise<RunResult | Comparison> {
  const kept =
    (await readKept(join(directory, runFile), runResult)) ??
    (await readKept(join(directory, comparisonFile), comparison));
  if (kept !== undefined) return kept;
  throw new ProblemError([problem('badResult', `${directory} holds neither ${runFile} nor ${comparisonFile}`)]);
}

/** Reads the samples of a metric that a run has kept. Throws `ProblemError` where the file is missing or damaged. */
export async function readSamples(directory: string, { samples }: RunResult, metric: string): Promise<Samples> {
  const path = join(directory, samples[metric]?.file ?? metric);
  try {
    return decodeSamples(await readFile(path));
  } catch (error) {
    throw new ProblemError([problem('badResult', `${path}: ${(error as Error).message}`)]);
  }
}
