import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { optionsOf } from '../../src/options/option.js';
import { resolveOptions } from '../../src/options/resolve.js';

/** Reads a command line by an options schema, from flags alone. Throws a `TypeError` with all that is wrong with it. */
export function readFlags<S extends z.ZodObject>(schema: S, args: readonly string[]): z.output<S> {
  const options = optionsOf(schema);
  const { values } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options.map(({ flag }) => [flag, { type: 'string' as const }])),
  });
  const flags = Object.fromEntries(options.map(({ key, flag }) => [key, values[flag]]));
  const resolved = resolveOptions(schema, { flags });
  if (resolved.ok) return resolved.values;
  const problems = resolved.issues.map(
    ({ option, expected, received }) => `${option}: expected ${expected}, received ${received}`,
  );
  throw new TypeError(problems.join('\n'));
}

/** A script's call in a line, with every flag and what stands for one that is not given. */
export function usageOf(script: string, schema: z.ZodObject): string {
  const flags = optionsOf(schema).map(({ flag, defaultText }) => `[--${flag} ${defaultText}]`);
  return [script, ...flags].join(' ');
}
