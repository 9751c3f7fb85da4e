import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parse } from 'yaml';
import type { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { fileKey, optionsOf } from '../../options/option.js';
import type { Given } from '../../run/plan/plan.js';
import { givenFlags } from './flags.js';
import { strayVariables } from './variables.js';

/** Adds `--file`, which every command that makes load takes. */
export function addFileFlag(command: Command): void {
  command.option('--file <path>', 'job file, YAML or JSON: option names in camelCase, values as on the command line');
}

/** Everything the user gave to a command that makes load. Throws `ProblemError` for a file that is none, and a variable that is misspelt. */
export function gather(command: Command, schema: z.ZodObject): Given {
  const others = refuseMisspelt();
  if (others.length > 0) process.stderr.write(`no option has the variable ${others.join(', ')}\n`);
  const path = command.opts<{ file?: string }>().file;
  return {
    flags: givenFlags(command, schema),
    env: process.env,
    file: path === undefined ? {} : readJobFile(path),
  };
}

/** Everything the user gave to a command that reads no file. Throws `ProblemError` for a variable that is misspelt. */
export function gatherWithoutFile(command: Command, schema: z.ZodObject): Omit<Given, 'file'> {
  refuseMisspelt();
  return { flags: givenFlags(command, schema), env: process.env };
}

/** The variables that look like ours and give no option. */
function refuseMisspelt(): string[] {
  const { problems, others } = strayVariables(process.env);
  if (problems.length > 0) throw new ProblemError(problems);
  return others;
}

/** Parts what was given: what is about the options of a schema, and what is about others. The environment is of both. */
export function apart(schema: z.ZodObject, { flags, env, file }: Given): { own: Given; rest: Given } {
  const options = optionsOf(schema);
  const [keys, names] = [options.map(({ key }) => key), options.map(fileKey)];
  const part = (entries: Record<string, unknown>, chosen: readonly string[], isChosen: boolean) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => chosen.includes(name) === isChosen));
  const parts = (isOwn: boolean): Given => ({
    flags: part(flags, keys, isOwn),
    env,
    file: part(file, names, isOwn),
  });
  return { own: parts(true), rest: parts(false) };
}

function readJobFile(path: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ProblemError([problem('badFile', `--file ${path}: ${(error as Error).message}`)]);
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content))
    return content as Record<string, unknown>;
  throw new ProblemError([
    // What a file holds that is no job file is nobody's business: it may be a key.
    problem('badFile', `--file ${path}: expected a map of options, received ${kindOf(content)}`),
  ]);
}

function kindOf(content: unknown): string {
  if (content === null || content === undefined) return 'nothing';
  return Array.isArray(content) ? 'a list' : `a ${typeof content}`;
}
