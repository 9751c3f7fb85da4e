import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { fileKey, optionsOf } from '../options/option.js';

/**
 * Adds a flag for every option of a schema. Commander gets no defaults: where a value came from must stay visible. It gets no choices either: it
 * would stop at the first wrong one, and users are told of all that is wrong at once.
 */
export function addFlags(command: Command, schema: z.ZodObject): void {
  for (const { flag, kind, placeholder, help, defaultText, env } of optionsOf(schema)) {
    const value = kind === 'boolean' ? '' : ` <${placeholder}>`;
    const text = `${help}${defaultText === undefined || defaultText === '' ? '' : ` (default: ${defaultText})`} [${env}]`;
    const option = new Option(`--${flag}${value}`, text);
    if (kind === 'list') option.argParser((each: string, before: string[] | undefined) => [...(before ?? []), each]);
    command.addOption(option);
  }
}

/** The flags that were given, by the keys of the schema. */
export function givenFlags(command: Command, schema: z.ZodObject): Record<string, unknown> {
  const given = command.opts<Record<string, unknown>>();
  // Commander calls an option as a job file does: its flag in camel case.
  const entries = optionsOf(schema).map((option) => [option.key, given[fileKey(option)]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
