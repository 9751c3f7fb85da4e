import { Argument, Command } from 'commander';
import type { CommandData, PlainCommand } from '../commands/command.js';
import { countHidden, noteOnOptions, takeOptions } from './options/flags.js';
import { inSession } from './session.js';

/** Defines a command. `words`: the arguments it is called with, without which all of it is defined. */
export async function define(command: Command, data: CommandData, words?: readonly string[]): Promise<void> {
  if ('commands' in data || 'scenarios' in data) helpOfCommands(command, `ringside ${command.name()}`);
  if ('commands' in data) {
    for (const [name, each] of Object.entries(data.commands)) {
      const below = command.command(name).exitOverride();
      await definePlain(below.description(each.summary ?? ''), each);
    }
  } else if ('scenarios' in data) {
    // Loading the scenarios would slow down the start of each bench-runner.
    const { defineByScenario } = await import('./options/scenario-command.js');
    defineByScenario(command, data, words);
  } else await definePlain(command, data);
}

async function definePlain(command: Command, data: PlainCommand): Promise<void> {
  const { load } = data;
  for (const { form, help, choices } of data.arguments ?? []) {
    const argument = new Argument(form, help);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  const ofScenario = load && (await import('./options/scenario-command.js'));
  const protocol = ofScenario?.protocolNamedIn(process.argv);
  const given = takeOptions(command, { ...data, load: load && { options: load.options, protocol } });
  if (load) {
    const note = noteOnOptions(command.name(), countHidden(command));
    command.addHelpText('after', () => `${note}${ofScenario?.examplesOf(command.name(), load.scenario)}`);
  }
  const examples = (data.examples ?? []).map((each) => `  $ ringside ${each}`);
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  if (data.notes !== undefined) command.addHelpText('after', data.notes);
  command.action(() => inSession(async (session) => data.run(session, await given())));
}

/** Completes the help of a command with subcommands. `group` is the heading of its `help`. */
export function helpOfCommands(command: Command, path: string, group = 'Commands:'): void {
  const help = new Command('help').argument('[command]').helpOption(false).helpGroup(group);
  command.addHelpCommand(help.description('show the help of a command'));
  command.usage('<command>').addHelpText('after', `\n\`${path} <command> --help\` shows the options of a command.`);
}

/** Returns the call with a run in place of a bare address: of `echo` if a message is given, else of `connect`. */
export function withRun(argv: readonly string[]): readonly string[] {
  const [node = '', program = '', address = '', ...flags] = argv;
  if (!/^wss?:\/\//i.test(address)) return argv;
  const isEcho = flags.some((each) => /^--message(-file)?(=|$)/.test(each));
  return [node, program, 'run', isEcho ? 'echo' : 'connect', '--target-url', address, ...flags];
}
