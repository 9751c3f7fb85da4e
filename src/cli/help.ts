import { Command } from 'commander';

/** Completes the help of a command with subcommands; `group` is the heading of its `help`. */
export function helpOfCommands(command: Command, path: string, group = 'Commands:'): void {
  const help = new Command('help').argument('[command]').helpOption(false).helpGroup(group);
  command.addHelpCommand(help.description('show the help of a command'));
  command.usage('<command>').addHelpText('after', `\n\`${path} <command> --help\` shows the options of a command.`);
}
