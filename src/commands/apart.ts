import type { z } from 'zod';
import { fileKey, optionsOf } from '../options/option.js';
import type { Given } from '../run/plan/plan.js';

/** Splits what was given into the options of a schema and the others. Both keep the environment. */
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
