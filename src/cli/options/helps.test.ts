import { expect, it } from 'vitest';
import type { CommandData, PlainCommand } from '../../commands/command.js';
import { optionsOf } from '../../options/option.js';
import { targets } from '../../targets/list.js';
import { commands } from '../commands.js';

const mostWords = 12;
const loaded = await Promise.all(commands.map(({ load }) => load()));

/** The help of every option, such as `--rate broadcasts per second`. */
const helpsOf = (...schemas: PlainCommand['options'][]): string[] =>
  schemas.flatMap((schema) => (schema ? optionsOf(schema) : []).map(({ flag, help }) => `--${flag} ${help}`));

/** The same of a command, with its arguments, of all its scenarios and subcommands. */
function helpsIn(command: CommandData): string[] {
  if ('commands' in command) return Object.values(command.commands).flatMap(helpsIn);
  if ('scenarios' in command) return command.scenarios.flatMap((scenario) => helpsOf(command.schemaOf(scenario)));
  const { options, flags, load, arguments: positional = [] } = command;
  return [...helpsOf(options, flags, load?.options), ...positional.map(({ form, help }) => `${form} ${help}`)];
}

it(`no help of an option or argument has more than ${mostWords} words`, () => {
  const ofCommands = loaded.flatMap(({ command }) => helpsIn(command));
  const helps = [...new Set([...ofCommands, ...targets.flatMap(({ options }) => helpsOf(options))])];
  expect(helps.filter((line) => line.split(/\s+/).length > 1 + mostWords)).toEqual([]);
  const names = helps.map((line) => line.split(' ')[0]);
  expect(names).toEqual(expect.arrayContaining(['--target-url', '--payload', '--delay', '--resume', '<what>']));
});
