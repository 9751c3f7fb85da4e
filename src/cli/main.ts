#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../contract/version.js';
import { commands } from './commands.js';
import { fail } from './fail.js';
import { guardOutlets } from './terminal/outlets.js';

/** Builds the program. It loads only the module of the command that is called. */
async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('ringside')
    .description('Load-tests WebSocket servers, with proof that the numbers belong to the server.')
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .exitOverride();
  const help = new Command('help').argument('[command]').helpOption(false).helpGroup('Set up:');
  program.addHelpCommand(help.description('show the help of a command'));
  for (const { group, name, summary, load } of commands) {
    const command = program.command(name).description(summary).helpGroup(group).exitOverride();
    if (argv[2] !== name && (argv[2] !== 'help' || argv[3] !== name)) continue;
    const [{ define }, { command: data }] = await Promise.all([import('./define.js'), load()]);
    await define(command, data);
  }
  await program.parseAsync(argv);
}

guardOutlets();
await main(process.argv).catch(fail);
