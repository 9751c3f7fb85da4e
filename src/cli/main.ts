#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../contract/version.js';
import { commands } from './commands.js';
import { fail } from './fail.js';
import { tellRepeats } from './options/flags.js';
import { guardOutlets } from './terminal/outlets.js';

/** Builds the program. Only the module of the command that is called is loaded, so that help is quick. */
async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('ringside')
    .description('Load-tests WebSocket servers, and proves that the numbers belong to the server and not to the rig.')
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .exitOverride();
  for (const { name, summary, load } of commands) {
    const command = program.command(name).description(summary).exitOverride();
    if (argv[2] === name || (argv[2] === 'help' && argv[3] === name)) {
      const [{ define }, { command: data }] = await Promise.all([import('./define.js'), load()]);
      await define(command, data);
    }
  }
  tellRepeats(program);
  await program.parseAsync(argv);
}

guardOutlets();
await main(process.argv).catch(fail);
