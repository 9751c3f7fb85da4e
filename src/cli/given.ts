import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parse } from 'yaml';
import type { z } from 'zod';
import { ProblemError, problem } from '../contract/problems.js';
import type { Given } from '../driver/plan.js';
import { givenFlags } from './flags.js';

/** Adds `--file`, which every command that makes load takes. */
export function addFileFlag(command: Command): void {
  command.option('--file <path>', 'job file, YAML or JSON: option names in camelCase, values as on the command line');
}

/** Short names of the environment, as published recipes have them, and what they stand for. */
const shortNames: Readonly<Record<string, string>> = { SHARDS: 'RINGSIDE_SHARD', TARGET: 'RINGSIDE_TARGET' };

/** Everything the user gave to a command that makes load. */
export function gather(command: Command, schema: z.ZodObject): Given {
  const path = command.opts<{ file?: string }>().file;
  return {
    flags: givenFlags(command, schema),
    env: { ...shortEnvironment(), ...process.env },
    file: path === undefined ? {} : readJobFile(path),
  };
}

function shortEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(shortNames).map(([short, name]) => [name, process.env[short]]));
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
