import { z } from 'zod';
import { exitCodes } from '../src/contract/exit-codes.js';
import { benchFlags, madeInTurn, runScript, toStderr } from './bench/script.js';
import { ofRig } from './bench/table.js';

const options = z.strictObject(benchFlags(ofRig, 'smaller loads, for a first look'));

/** Measures the rig itself and prints one table. Exits with 1 if a bound is broken. */
await runScript('bench-rig', options, async ({ isQuick, only }, signal) => {
  const context = toStderr({ isQuick, signal });
  if (isQuick) context.say('quick: smaller loads; the bounds are meant for the full run');
  const { text, isKept } = await madeInTurn(ofRig, only, context);
  process.stdout.write(`${text}\n`);
  return isKept ? 0 : exitCodes.bug.code;
});
