import type { z } from 'zod';
import { fileKey, optionsOf, variablesOf } from '../options/option.js';
import type { Given } from '../run/plan/plan.js';

/** Splits what was given into the options of a schema and the others. */
export function apart(schema: z.ZodObject, { flags, env, file }: Given): { own: Given; rest: Given } {
  const options = optionsOf(schema);
  const [keys, names] = [options.map(({ key }) => key), options.map(fileKey)];
  const part = <T>(entries: Record<string, T>, chosen: readonly string[], isChosen: boolean): Record<string, T> =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => chosen.includes(name) === isChosen));
  return {
    own: { flags: part(flags, keys, true), env, file: part(file, names, true) },
    rest: {
      flags: part(flags, keys, false),
      env: part(env, options.flatMap(variablesOf), false),
      file: part(file, names, false),
    },
  };
}
