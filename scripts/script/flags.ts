import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { optionsOf } from '../../src/options/option.js';
import { resolveOptions } from '../../src/options/resolve.js';

/** Reads flags by an options schema. Throws a `TypeError` that lists every mistake. */
export function readFlags<S extends z.ZodObject>(schema: S, args: readonly string[]): z.output<S> {
  const options = optionsOf(schema);
  const declared = options.map(({ flag, kind }) => {
    const type = kind === 'boolean' ? ('boolean' as const) : ('string' as const);
    return [flag, { type, multiple: kind === 'list' }];
  });
  const values: Record<string, unknown> = parseArgs({
    args: [...args],
    options: Object.fromEntries(declared),
  }).values;
  const flags = Object.fromEntries(options.map(({ key, flag }) => [key, values[flag]]));
  const resolved = resolveOptions(schema, { flags });
  if (resolved.ok) return resolved.values;
  const problems = resolved.issues.map(
    ({ option, expected, received }) => `${option}: expected ${expected}, received ${received}`,
  );
  throw new TypeError(problems.join('\n'));
}

/** One line with every flag of a script and its default. */
export function usageOf(script: string, schema: z.ZodObject): string {
  const flags = optionsOf(schema).map(({ flag, kind, defaultText, placeholder }) =>
    kind === 'boolean' ? `[--${flag}]` : `[--${flag} ${defaultText || placeholder}]`,
  );
  return [script, ...flags].join(' ');
}
