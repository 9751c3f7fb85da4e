import { z } from 'zod';
import { benchFlags, madeInTurn, runScript } from './bench/script.js';
import { ofRig } from './bench/table.js';

const options = z.strictObject(benchFlags(ofRig, 'smaller loads, for a first look'));

/** Measures the rig itself and prints one table. Exits with 1 if a bound is broken. */
await runScript('bench-rig', options, async ({ isQuick, only }, signal) => {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (isQuick) say('quick: smaller loads; the bounds are meant for the full run');
  const nothing = (): void => undefined;
  const context = { isQuick, signal, say, directory: 'results', note: nothing, row: nothing };
  const { text, isKept } = await madeInTurn(ofRig, only, context);
  process.stdout.write(`${text}\n`);
  return isKept ? 'clean' : 'bug';
});
