import { type Bench, type Bound, printers } from '../bench.js';
import { CliProcess } from '../processes/cli-process.js';

const tries = 5;
const withinMs = 10_000;

const time: Bound = { what: `ringside --help, best of ${tries}`, atMost: 300, print: printers.milliseconds };

/** Measures the wall time from the start of `ringside --help` to its end. */
export const help: Bench = {
  name: 'help',
  bounds: [time],
  async run({ signal }) {
    const times: number[] = [];
    for (let i = 0; i < tries; i++) {
      const { exitCode, stdout, elapsedMs } = await new CliProcess(['--help'], signal, withinMs).ended;
      if (exitCode !== 0 || !stdout.startsWith('Usage')) throw new Error(`--help ended with exit code ${exitCode}`);
      times.push(elapsedMs);
    }
    return [{ bound: time, value: Math.min(...times), detail: `slowest ${Math.round(Math.max(...times))} ms` }];
  },
};
