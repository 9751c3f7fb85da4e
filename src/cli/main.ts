#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../contract/version.js';
import { commands } from './commands.js';
import { helpOfCommands } from './define.js';
import { reportFailure } from './fail.js';
import { guardOutlets } from './terminal/output.js';

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('ringside')
    .description('Load-tests WebSocket servers, with proof that the numbers belong to the server.')
    .version(version)
    .configureHelp({ subcommandTerm: termOf })
    .showSuggestionAfterError()
    .exitOverride();
  program.addHelpText('after', '\nQuick look at a server:\n  $ ringside ws://127.0.0.1:3000 -c 100');
  helpOfCommands(program, 'ringside', 'Set up:');
  for (const { group, name, summary, load } of commands) {
    const command = program.command(name).description(summary).helpGroup(group).exitOverride();
    if (argv[2] !== name && (argv[2] !== 'help' || argv[3] !== name)) continue;
    const [{ define }, { command: data }] = await Promise.all([import('./define.js'), load()]);
    await define(command, data, argv);
  }
  await program.parseAsync(argv);
}

/**
 * Returns the call with a run in place of a bare address: of `echo` if a message is given, else of `connect`. Other
 * calls stay as they are.
 */
function withRun(argv: readonly string[]): readonly string[] {
  const [node = '', program = '', address = '', ...flags] = argv;
  if (!/^wss?:\/\//i.test(address)) return argv;
  const isEcho = flags.some((each) => /^--message(-file)?(=|$)/.test(each));
  return [node, program, 'run', isEcho ? 'echo' : 'connect', '--target-url', address, ...flags];
}

/** Formats a command for the help. Every command has options, so they are not mentioned. */
function termOf(command: Command): string {
  return [command.name(), ...command.registeredArguments.map((each) => `[${each.name()}]`)].join(' ');
}

guardOutlets();
await main(withRun(process.argv)).catch(reportFailure);
