import { exitCodes } from '../src/contract/exit-codes.js';
import { ringsideProgram } from '../src/units/package-files.js';
import { idleRun } from './bench/idle.js';

const run = idleRun(process.argv.slice(2), process.env);
if (run.ok) {
  process.stderr.write(`ringside ${run.args.join(' ')}\n`);
  // The arguments name the target. `ringside` refuses TARGET beside an address.
  delete process.env.TARGET;
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...run.args);
  await import(ringsideProgram);
} else {
  for (const problem of run.problems) process.stderr.write(`error: ${problem}\n`);
  process.exitCode = exitCodes.input.code;
}
