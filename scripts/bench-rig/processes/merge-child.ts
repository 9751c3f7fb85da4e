import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SampleSum } from '../../../src/measure/samples/sample-sum.js';
import { decodeSamples, encodeSamples, sampleCount } from '../../../src/measure/samples/samples.js';
import { peakRssBytes, serve } from './child.js';
import { logNormalLatencies } from './collected.js';

const commands = {
  async write({ directory, bodies, samples }: { directory: string; bodies: number; samples: number }): Promise<void> {
    for (let seed = 0; seed < bodies; seed++) {
      const body = await encodeSamples({ kind: 'raw', values: logNormalLatencies(samples, seed) });
      writeFileSync(join(directory, `${seed}.rssb`), body);
    }
  },

  /** Returns the size in bytes of a body whose samples lie as far apart as possible. */
  async largest(samples: number): Promise<number> {
    const step = (2 ** 32 - 1) / samples;
    const spread = Uint32Array.from({ length: samples }, (_each, index) => (index + Math.random()) * step);
    return (await encodeSamples({ kind: 'raw', values: spread })).length;
  },

  /** Decodes each body of the directory, as a driver does, and merges them into one distribution. */
  async merge(directory: string): Promise<{ samples: number; elapsedMs: number; peakRssBytes: number }> {
    const startMs = performance.now();
    const sum = new SampleSum();
    for (const file of readdirSync(directory)) sum.add(decodeSamples(readFileSync(join(directory, file))));
    const merged = sum.finish();
    const elapsedMs = performance.now() - startMs;
    return { samples: sampleCount(merged), elapsedMs, peakRssBytes: peakRssBytes() };
  },
};

export type MergeCommands = typeof commands;

serve(commands);
