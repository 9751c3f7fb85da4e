import { Command, CommanderError } from 'commander';
import { commands } from '../../src/cli/commands.js';
import { define } from '../../src/cli/define.js';

/** Returns the whole program as commander parses it, with every command defined. The commands do nothing. */
export async function wholeProgram(): Promise<Command> {
  const program = new Command('ringside').version('0');
  for (const { name, load } of commands) await define(program.command(name), (await load()).command);
  const nothing = (): void => undefined;
  for (const each of withSubcommands(program)) {
    each.exitOverride().configureOutput({ writeOut: nothing, writeErr: nothing });
    if (each.commands.length === 0) each.action(nothing);
  }
  return program;
}

/** Returns the command and all its subcommands. */
export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Returns the fault in the arguments of a call, or undefined. */
export function wrongCall(program: Command, words: readonly string[]): string | undefined {
  const at = words.indexOf('--');
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.help') return `${words.join(' ')} lacks the name of a command`;
    if (error.exitCode !== 0) return error.message.replace(/\n[\s\S]*/, '');
  }
  // A call of its own follows, as for `submit`.
  return at < 0 ? undefined : wrongCall(program, words.slice(at + 1));
}

/** Matches a placeholder for any word: `FILE`, `DIR…`, `a|b`, `…`. */
const placeholder = /^[A-Z_]+…?$|…|\|/;

/** Returns the unknown command or flag in a call in prose. It can be a part of one, and have placeholders. */
export function wrongWords(program: Command, words: readonly string[]): string | undefined {
  let reached = program;
  let isNamed = true;
  for (const word of words) {
    const [flag] = word.split('=');
    const options = withSubcommands(reached).flatMap((each) => each.options);
    const isOption = options.some(({ long, short }) => flag === long || flag === short) || flag === '--help';
    if (word.startsWith('-') && !isOption) return `ringside has no ${flag}`;
    if (word.startsWith('-') || placeholder.test(word)) isNamed = false;
    if (!isNamed || reached.commands.length === 0) continue;
    const named = reached.commands.find((each) => each.name() === word);
    if (!named) return `ringside has no command ${word}`;
    reached = named;
  }
  return undefined;
}
