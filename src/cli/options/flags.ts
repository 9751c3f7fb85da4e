import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { fileKey, optionsOf, type Option as Setting, variablesOf } from '../../options/option.js';

/**
 * Adds a flag for every option of a schema. Commander gets no defaults: where a value came from must stay visible. It gets no choices either: it
 * would stop at the first wrong one, and users are told of all that is wrong at once. `groups` are the headings of options, by key, in the order of the help.
 */
export function addFlags(command: Command, schema: z.ZodObject, groups?: ReadonlyMap<string, string>): void {
  const options = optionsOf(schema);
  const inOrder = groups ? [...groups.keys()].flatMap((key) => options.filter((each) => each.key === key)) : options;
  for (const each of inOrder) {
    const { key, help, defaultText } = each;
    const standard = defaultText === undefined || defaultText === '' ? '' : ` (default: ${defaultText})`;
    const option = flagOf(each, `${help}${standard} [${variablesOf(each).join(' or ')}]`);
    const group = groups?.get(key);
    if (group !== undefined) option.helpGroup(group);
    command.addOption(option);
  }
}

/** Adds flags that no variable gives. */
export function addPlainFlags(command: Command, schema: z.ZodObject): void {
  for (const each of optionsOf(schema)) command.addOption(flagOf(each, each.help));
}

/** Adds `--file`, which every command that makes load takes. */
export function addFileFlag(command: Command): void {
  command.option('--file <path>', 'job file, YAML or JSON, with option names in camelCase');
}

/** A placeholder in brackets marks a value that may be left out: it is then the empty text. */
function flagOf(setting: Setting, text: string): Option {
  const option = new Option(formOf(setting), text);
  if (option.optional) option.preset('');
  if (setting.kind === 'list')
    option.argParser((each: string, before: string[] | undefined) => [...(before ?? []), each]);
  if (setting.severalIn !== undefined) option.argParser(once(setting));
  return option;
}

/** A flag as help shows it, such as `--rate <rate>`. */
export function formOf({ flag, kind, placeholder }: Setting): string {
  if (kind === 'boolean') return `--${flag}`;
  return `--${flag} ${placeholder.startsWith('[') ? placeholder : `<${placeholder}>`}`;
}

/** Says on stderr where a flag of one value is given again, here and in the commands below: the last one counts, as scripts that hand on flags expect. */
export function tellRepeats(command: Command): void {
  for (const option of command.options) {
    if (option.isBoolean() || option.variadic || option.parseArg !== undefined) continue;
    option.argParser((value: string) => {
      const isAgain = command.getOptionValueSource(option.attributeName()) !== undefined;
      if (isAgain) process.stderr.write(`${option.long} is given more than once: the last one counts\n`);
      return value;
    });
  }
  for (const below of command.commands) tellRepeats(below);
}

/** Takes one value. Throws `ProblemError` at a second one, of which another command makes something. */
function once({ flag, severalIn }: Setting): (value: string, before: string | undefined) => string {
  return (value, before) => {
    if (before === undefined) return value;
    const hint = `Give one, or several to \`ringside ${severalIn}\`.`;
    throw new ProblemError([problem('badOption', `--${flag}: expected one value, received several`, hint)]);
  };
}

/** The flags that were given, by the keys of the schema. */
export function givenFlags(command: Command, schema: z.ZodObject): Record<string, unknown> {
  const given = command.opts<Record<string, unknown>>();
  // Commander calls an option as a job file does: its flag in camel case.
  const entries = optionsOf(schema).map((option) => [option.key, given[fileKey(option)]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
