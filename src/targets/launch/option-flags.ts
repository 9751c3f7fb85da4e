import type { z } from 'zod';
import { optionsOf } from '../../options/option.js';
import { units } from '../../units/list.js';

/** The flags, `--flag=value`, from which a program reads these values of a schema again. A value that is undefined has none. */
export function optionFlags(schema: z.ZodObject, values: Readonly<Record<string, unknown>>): string[] {
  return optionsOf(schema).flatMap(({ key, flag, kind, unit }) => {
    const value = values[key];
    if (value === undefined) return [];
    if (kind === 'boolean') return [value === true ? `--${flag}` : `--no-${flag}`];
    if (kind === 'list') return (value as string[]).map((each) => `--${flag}=${each}`);
    return [`--${flag}=${unit === undefined ? value : units[unit].print(value as number)}`];
  });
}
