import { Command } from 'commander';
import { commands } from '../../src/cli/commands.js';
import { define } from '../../src/cli/define.js';

/** Returns the whole program as commander sees it, with every command defined. */
export async function wholeProgram(): Promise<Command> {
  const program = new Command('ringside').version('0');
  for (const { name, load } of commands) await define(program.command(name), (await load()).command);
  return program;
}

/** Returns the command and all its subcommands. */
export function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Matches a placeholder for any word: `FILE`, `DIR…`, `a|b`, `…`. */
const placeholder = /^[A-Z_]+…?$|…|\|/;

/** Returns the fault in the arguments of a call, or undefined. An exact call has no placeholders. */
export function wrongCall(program: Command, words: readonly string[], isExact: boolean): string | undefined {
  let candidates = [program];
  const positionals: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string;
    if (['--help', '-h', '--version', '-V'].includes(word)) return undefined;
    // A call of its own follows, as for `submit`.
    if (word === '--') return wrongCall(program, words.slice(index + 1), isExact);
    if (word.startsWith('-')) {
      const [flag] = word.split('=') as [string];
      const reach = isExact ? candidates : candidates.flatMap(withSubcommands);
      const option = reach.flatMap((each) => each.options).find(({ long, short }) => flag === long || flag === short);
      if (!option) return `${nameOf(candidates)} has no ${flag}`;
      const next = words[index + 1];
      const takesNext = option.required || (option.optional && next !== undefined && !next.startsWith('-'));
      if (takesNext && !word.includes('=')) {
        if (next === undefined && isExact) return `${flag} lacks its value`;
        index += 1;
      }
      continue;
    }
    const subcommands = candidates.flatMap((each) => each.commands);
    if (subcommands.length === 0) positionals.push(word);
    else if (!isExact && placeholder.test(word)) candidates = subcommands;
    else {
      const named = subcommands.filter((each) => each.name() === word);
      if (named.length === 0) return `${nameOf(candidates)} has no command ${word}`;
      candidates = named;
    }
  }
  return isExact ? wrongArguments(candidates[0] as Command, positionals) : undefined;
}

function wrongArguments(command: Command, positionals: readonly string[]): string | undefined {
  if (command.commands.length > 0) return `${nameOf([command])} lacks the name of a command`;
  const declared = command.registeredArguments;
  const least = declared.filter(({ required }) => required).length;
  const most = declared.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : declared.length;
  if (positionals.length < least || positionals.length > most)
    return `${nameOf([command])} takes ${declared.length} arguments, not ${positionals.length}`;
  const wrong = declared.findIndex(({ argChoices }, at) => {
    const given = positionals[at];
    return argChoices && given !== undefined && !argChoices.includes(given);
  });
  return wrong < 0 ? undefined : `${nameOf([command])} does not take ${positionals[wrong]}`;
}

function nameOf([first]: readonly Command[]): string {
  const names: string[] = [];
  for (let each: Command | null | undefined = first; each; each = each.parent) names.unshift(each.name());
  return names.join(' ');
}
