import { randomUUID } from 'node:crypto';
import { createWriteStream, statSync } from 'node:fs';
import { mkdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import { type Problem, ProblemError, problem, problemError } from '../contract/problems.js';
import { binsPerBlock, blocksOf } from '../measure/samples/blocks.js';
import { decodeCounts, decodeSamples, encodeCounts, encodeSamples } from '../measure/samples/encoding.js';
import type { Samples } from '../measure/samples/samples.js';
import { jsonText, outsideText, printable } from '../units/text.js';
import type { Comparison, RunOrComparison } from './comparison.js';
import { type Experiment, experiment } from './experiment.js';
import { experimentFile } from './journal.js';
import { type RunResult, resultVersion, runFile, runResult } from './result.js';

/** Returns the time in a directory's name, to the second. Names sort by it. */
export function stampOf(startedAt: string): string {
  return startedAt.replace(/[:.]/g, '-').replace(/-\d{3}Z$/, 'Z');
}

export function nameWithin(scenario: string, target: string): string {
  return `-${scenario}-${target.replace(/[^a-zA-Z0-9.-]+/g, '_')}-`;
}

/** Returns the directory of a new result. Names sort by time, and people can read them. */
export function resultDirectory(root: string, startedAt: string, scenario: string, target: string, id: string): string {
  return join(root, `${stampOf(startedAt)}${nameWithin(scenario, target)}${id}`);
}

export function sampleFile(metric: string): string {
  return `samples/${encodeURIComponent(metric)}.bin`;
}

export function blockFile(metric: string): string {
  return `blocks/${encodeURIComponent(metric)}.bin`;
}

/** Holds the data kept beside the document of a run. */
export interface Measurements {
  samples: Readonly<Record<string, Samples>>;
  /** Samples that are already encoded. */
  bodies?: Readonly<Record<string, Uint8Array>>;
  /** Series, among them the blocks of metrics. */
  series?: Readonly<Record<string, Uint32Array>>;
}

/** Writes every kind of result. A reader finds the old document or the whole new one. */
export class ResultStore {
  /** `notKept` receives refusals of the file system. The figures remain valid, and the command goes on. */
  constructor(private readonly notKept: (problem: Problem) => void) {}

  /** Writes documents by file name, in this order: objects as JSON, text as it is. Makes the directory. */
  keep(directory: string, documents: Readonly<Record<string, object | string>>): Promise<void> {
    return this.#attempt(directory, () => writeDocuments(directory, documents));
  }

  /** Writes a run with the samples and blocks that it names. Its directory appears once it is whole. */
  keepRun(directory: string, result: RunResult, measured: Measurements): Promise<void> {
    const draft = `${directory}.new`;
    return this.#attempt(directory, async () => {
      try {
        await writeMeasurements(draft, result, measured);
        await writeDocuments(draft, { [runFile]: result });
        await rename(draft, directory);
      } catch (error) {
        await rm(draft, { recursive: true, force: true });
        throw error;
      }
    });
  }

  async #attempt(directory: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.notKept(problem('notKept', `${directory}: cannot write the result: ${ofFileSystem(error).message}`));
      // Removes only an empty directory. Earlier documents stay.
      await rmdir(directory).catch(ofFileSystem);
    }
  }
}

async function writeMeasurements(
  directory: string,
  { samples: named, blocks: namedBlocks = {} }: RunResult,
  { samples, bodies = {}, series = {} }: Measurements,
): Promise<void> {
  await mkdir(join(directory, 'samples'), { recursive: true });
  for (const [metric, { file }] of Object.entries(named)) {
    const merged = samples[metric];
    if (merged) await writeFile(join(directory, file), bodies[metric] ?? (await encodeSamples(merged)));
  }
  const blocks = Object.entries(namedBlocks);
  if (blocks.length > 0) await mkdir(join(directory, 'blocks'));
  for (const [metric, { file }] of blocks) {
    const counts = series[blocksOf(metric)];
    if (counts) await writeFile(join(directory, file), await encodeCounts(counts));
  }
}

async function writeDocuments(directory: string, documents: Readonly<Record<string, object | string>>): Promise<void> {
  for (const [name, document] of Object.entries(documents)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeWholeFile(path, [typeof document === 'string' ? document : jsonText(document)]);
  }
}

/** Makes and tests the directory of each option. Throws `ProblemError` with all that cannot be written. */
export async function refuseUnwritable(directories: Readonly<Record<string, string>>): Promise<void> {
  const problems: Problem[] = [];
  for (const [option, directory] of Object.entries(directories)) {
    const probe = join(directory, `.probe-${randomUUID()}`);
    try {
      await makeDirectory(directory);
      await writeFile(probe, 'x');
      await rm(probe);
    } catch (error) {
      const said = `expected a directory that can be written, received ${directory} (${ofFileSystem(error).message})`;
      const hint = `Name a directory that you can write: ${option} DIRECTORY.`;
      problems.push(problem('badOption', `${option}: ${said}`, hint));
    }
  }
  if (problems.length > 0) throw new ProblemError(problems);
}

/** Makes each parent separately. Under /proc, `mkdir` with `recursive` never returns. */
async function makeDirectory(directory: string): Promise<void> {
  const unlessThere = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EEXIST') throw error;
  };
  try {
    await mkdir(directory).catch(unlessThere);
  } catch (error) {
    const parent = dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    await makeDirectory(parent);
    await mkdir(directory).catch(unlessThere);
  }
}

/** Rethrows anything that is not an error of the file system, because it is a bug. */
function ofFileSystem(error: unknown): NodeJS.ErrnoException {
  const found = error as NodeJS.ErrnoException;
  if (found.syscall === undefined) throw error;
  return found;
}

const badResult = (message: string): ProblemError => problemError('badResult', message);

/** Reads and checks a document, without control characters; undefined without a file. Throws `ProblemError`. */
export async function readDocument<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S> | undefined> {
  let json: unknown;
  try {
    json = printable(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw badResult(`${path}: ${outsideText((error as Error).message)}`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { schema: version } = (json ?? {}) as { schema?: unknown };
  if (typeof version === 'number' && version !== resultVersion) {
    const fix = version > resultVersion ? 'update Ringside' : 'read it with the Ringside that wrote it';
    throw badResult(`${path}: expected result version ${resultVersion}, received ${version}; ${fix}`);
  }
  throw new ProblemError(
    parsed.error.issues.map((issue) => problem('badResult', `${path}: ${issue.path.join('.')}: ${issue.message}`)),
  );
}

/** Returns the directory of a result, named by itself or by a file in it, as `…/result.json`. */
export function directoryOf(path: string): string {
  return path.endsWith('.json') && statSync(path, { throwIfNoEntry: false })?.isFile() ? dirname(path) : path;
}

/** Reads the run in a directory. Throws `ProblemError` if there is none. */
export async function readRun(directory: string): Promise<RunResult> {
  const result = await readDocument(join(directory, runFile), runResult);
  if (result === undefined) throw badResult(`${directory} holds no ${runFile}`);
  return result;
}

/** Reads the experiment in a directory. Undefined if there is none. Throws `ProblemError` if it can't be read. */
export function readExperiment(directory: string): Promise<Experiment | undefined> {
  return readDocument(join(directory, experimentFile), experiment);
}

/** Reads the comparison in a directory. Throws `ProblemError` if there is none. */
export async function readComparison(directory: string): Promise<Comparison> {
  const found = await readExperiment(directory);
  if (found?.kind === 'comparison') return found;
  throw badResult(`${directory} holds no comparison`);
}

/** Reads the run or the comparison in a directory. Throws `ProblemError` if there is neither. */
export async function readRunOrComparison(directory: string): Promise<RunOrComparison> {
  const found = (await readDocument(join(directory, runFile), runResult)) ?? (await readExperiment(directory));
  if (found && (!('kind' in found) || found.kind === 'comparison')) return found;
  throw badResult(`${directory} holds neither a run nor a comparison`);
}

/** Reads a metric's samples. Throws `ProblemError` if the file is missing or damaged. */
export async function readSamples(directory: string, { samples }: RunResult, metric: string): Promise<Samples> {
  const path = join(directory, samples[metric]?.file ?? metric);
  try {
    return decodeSamples(await readFile(path));
  } catch (error) {
    throw badResult(`${path}: ${(error as Error).message}`);
  }
}

/** Reads all blocks of a run, by the names of `blocksOf`. Throws `ProblemError` if a file is missing or damaged. */
export async function readBlocks(
  directory: string,
  { blocks = {} }: Pick<RunResult, 'blocks'>,
): Promise<Record<string, Uint32Array>> {
  const found: Record<string, Uint32Array> = {};
  for (const [metric, { file, count }] of Object.entries(blocks)) {
    const path = join(directory, file);
    try {
      const counts = decodeCounts(await readFile(path));
      const expected = count * binsPerBlock;
      if (counts.length !== expected) throw new Error(`${counts.length} counts where ${expected} were announced`);
      found[blocksOf(metric)] = counts;
    } catch (error) {
      const message = `${path}: ${(error as Error).message}`;
      throw problemError('badResult', message, 'Copy the whole directory of the run.');
    }
  }
  return found;
}

type Pieces = Iterable<string> | AsyncIterable<string>;

/** Replaces a file atomically, with its mode and through links. Rejects with the file system's error. */
export async function writeWholeFile(path: string, pieces: Pieces): Promise<void> {
  const place = (await unlessMissing(realpath(path))) ?? path;
  const found = await unlessMissing(stat(place));
  if (found && !found.isFile()) {
    await pipeline(Readable.from(pieces), createWriteStream(place));
    return;
  }
  const draft = `${place}.${process.pid}.new`;
  // Flushed before the rename: a power cut leaves the old file or the new one.
  const file = createWriteStream(draft, { flush: true, ...(found && { mode: found.mode }) });
  const closed = new Promise<void>((resolve) => file.once('close', () => resolve()));
  try {
    await pipeline(Readable.from(pieces), file);
    await rename(draft, place);
  } catch (error) {
    // The draft may open only now. Removing it earlier would leave it behind.
    await closed;
    await rm(draft, { force: true });
    throw error;
  }
}

/** Returns what the file system finds. Undefined if nothing is there, or if the error has the code `also`. */
export function unlessMissing<T>(found: Promise<T>, also?: string): Promise<T | undefined> {
  return found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || (also !== undefined && error.code === also)) return undefined;
    throw error;
  });
}
