import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Bound } from '../bench.js';
import { cpuSecondsOf } from '../processes/child.js';
import { CliProcess } from '../processes/cli-process.js';
import { withDirectory } from '../processes/places.js';

const ratePerSecond = 5;
const withinMs = 90_000;
/** Lets the garbage collector and compiler finish the start-up. */
const settleMs = 1000;

const cpu: Bound = {
  what: 'driver CPU while the shards publish',
  atMost: 0.05,
  print: (cores) => `${(cores * 100).toFixed(1)} % of a core`,
};

/** Measures the CPU of the driver alone while it waits for its shards, in the publish stage of a real run. */
export const driverIdle: Bench = {
  name: 'driver-idle',
  bounds: [cpu],
  run: ({ signal, isQuick }) =>
    withDirectory(async (directory) => {
      const windowMs = isQuick ? 5000 : 15_000;
      const broadcasts = Math.ceil(((settleMs + windowMs) / 1000 + 2) * ratePerSecond);
      const job = `--target uws --subscribers 7 --broadcasts ${broadcasts} --rate ${ratePerSecond}/s`;
      const args = ['run', 'latency', ...job.split(' '), '--json', '--results', directory];
      const driver = new CliProcess(args, signal, withinMs);
      try {
        await driver.saw(/\bpublished [1-9]/);
        await delay(settleMs, undefined, { signal });
        const [startMs, startSeconds] = [performance.now(), cpuSecondsOf(driver.pid)];
        await delay(windowMs, undefined, { signal });
        const seconds = cpuSecondsOf(driver.pid) - startSeconds;
        const cores = (seconds * 1000) / (performance.now() - startMs);
        const { exitCode, stderr } = await driver.ended;
        if (exitCode !== 0 && exitCode !== 4) throw new Error(`the run ended with exit code ${exitCode}: ${stderr}`);
        return [{ bound: cpu, value: cores, detail: `7 subscribers, over ${windowMs / 1000} s` }];
      } finally {
        await driver.stop();
      }
    }),
};
