import type { Command } from 'commander';
import type { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import type { Given } from '../../run/plan/plan.js';
import { isMap, readYaml } from '../../units/yaml-file.js';
import { givenFlags } from './flags.js';
import { withoutServiceLinks } from './variables.js';

/** Everything the user gave to a command. Throws `ProblemError` if a job file has no options. */
export function gather(command: Command, schema: z.ZodObject | undefined, hasFile = true): Given {
  const path = hasFile ? command.opts<{ file?: string }>().file : undefined;
  return {
    flags: schema ? givenFlags(command, schema) : {},
    env: withoutServiceLinks(process.env),
    file: path === undefined ? {} : readJobFile(path),
  };
}

function readJobFile(path: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = readYaml(path);
  } catch (error) {
    throw new ProblemError([problem('badFile', `--file ${path}: ${(error as Error).message}`)]);
  }
  if (isMap(content)) return content;
  // The content itself stays unsaid: it may be a key.
  const message = `--file ${path}: expected a map of options, received ${kindOf(content)}`;
  throw new ProblemError([problem('badFile', message)]);
}

function kindOf(content: unknown): string {
  if (content === null || content === undefined) return 'nothing';
  return Array.isArray(content) ? 'a list' : `a ${typeof content}`;
}
