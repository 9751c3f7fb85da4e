import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Problem, ProblemError, problem } from '../contract/problems.js';
import { encodeSamples } from '../measure/samples/sample-body.js';
import type { Samples } from '../measure/samples/samples.js';
import { type RunResult, runFile } from './result.js';
import { writeWholeFile } from './whole-file.js';

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

/** Keeps a result with its samples, in a directory that is there once all of it is. `bodies`: samples that are encoded already. */
export async function keep(
  directory: string,
  result: RunResult,
  samples: Record<string, Samples>,
  bodies: Record<string, Uint8Array> = {},
): Promise<void> {
  const draft = `${directory}.new`;
  try {
    await mkdir(join(draft, 'samples'), { recursive: true });
    for (const [metric, { file }] of Object.entries(result.samples)) {
      const merged = samples[metric];
      if (merged) await writeFile(join(draft, file), bodies[metric] ?? (await encodeSamples(merged)));
    }
    await keepDocument(join(draft, runFile), result);
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Keeps a document as JSON, in a directory that is made where there is none. Who reads it finds the one before or this one. */
export async function keepDocument(path: string, document: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeWholeFile(path, [`${JSON.stringify(document, null, 2)}\n`]);
}

/** Makes the directories of these options, and writes and removes a file in each. Throws `ProblemError` with those in which nothing can be kept. */
export async function refuseUnwritable(directories: Readonly<Record<string, string>>): Promise<void> {
  const problems = await Promise.all(
    Object.entries(directories).map(async ([option, directory]) => {
      const probe = join(directory, `.probe-${randomUUID()}`);
      try {
        await makeDirectory(directory);
        await writeFile(probe, 'x');
        await rm(probe);
        return [];
      } catch (error) {
        const { message } = ofFileSystem(error);
        const hint = `Give one in which this user may write: ${option} DIRECTORY.`;
        const said = `${option}: expected a directory that can be written, received ${directory} (${message})`;
        return [problem('badOption', said, hint)];
      }
    }),
  );
  if (problems.flat().length > 0) throw new ProblemError(problems.flat());
}

/** One by one: where a file system answers that a parent is not there which is, as under /proc, `recursive` tries for ever. */
async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const parent = dirname(directory);
    if (code !== 'ENOENT' || parent === directory) throw error;
    await makeDirectory(parent);
    // Another may have made it meanwhile.
    await mkdir(directory).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again;
    });
  }
}

/** Writes a result to a directory. Where the file system does not take it, `notKept` is told, what was measured stands, and no empty directory stays. */
export async function keeping(
  directory: string,
  notKept: (problem: Problem) => void,
  write: () => Promise<unknown>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    notKept(problem('notKept', `${directory} could not be written whole: ${ofFileSystem(error).message}`));
    // What lies there from before, or was written beside it, stays.
    await rmdir(directory).catch(ofFileSystem);
  }
}

/** Throws what is no error of the file system: a fault of ours. */
function ofFileSystem(error: unknown): NodeJS.ErrnoException {
  const found = error as NodeJS.ErrnoException;
  if (found.syscall === undefined) throw error;
  return found;
}
