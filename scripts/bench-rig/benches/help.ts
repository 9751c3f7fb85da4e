import type { Bench } from '../bench.js';
import { CliProcess } from '../processes/cli-process.js';

const tries = 5;
const withinMs = 10_000;

/** Wall time from the start of `ringside --help` to its end. */
export const help: Bench = {
  name: 'help',
  bounds: ['help'],
  async run({ signal }) {
    const times: number[] = [];
    for (let i = 0; i < tries; i++) {
      const { exitCode, stdout, elapsedMs } = await new CliProcess(['--help'], signal, withinMs).ended;
      if (exitCode !== 0 || !stdout.startsWith('Usage')) throw new Error(`--help ended with exit code ${exitCode}`);
      times.push(elapsedMs);
    }
    return [{ bound: 'help', value: Math.min(...times), detail: `slowest ${Math.round(Math.max(...times))} ms` }];
  },
};
