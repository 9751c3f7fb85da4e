#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../contract/version.js';
import { commands } from './commands.js';
import { helpOfCommands, withRun } from './define.js';
import { guardOutlets, reportFailure } from './terminal/output.js';

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

/** Formats a command for the help. Every command has options, so they are not mentioned. */
function termOf(command: Command): string {
  return [command.name(), ...command.registeredArguments.map((each) => `[${each.name()}]`)].join(' ');
}

guardOutlets();
await main(withRun(process.argv)).catch(reportFailure);
