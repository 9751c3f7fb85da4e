import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeSamples, encodeSamples } from '../../../src/measure/samples/sample-body.js';
import { mergeSamples, type Samples, sampleCount } from '../../../src/measure/samples/samples.js';
import { logNormalLatencies } from './latencies.js';
import { peakRssBytes } from './process-files.js';
import { serve } from './serve.js';

/** What a merge cost the process that did it. */
export interface MergeCost {
  samples: number;
  elapsedMs: number;
  peakRssBytes: number;
}

const commands = {
  /** Writes one body per seed into the directory. */
  async write({ directory, bodies, samples }: { directory: string; bodies: number; samples: number }): Promise<void> {
    for (let seed = 0; seed < bodies; seed++) writeFileSync(join(directory, `${seed}.rssb`), await body(samples, seed));
  },

  /** Bytes of one body of the same latencies, and of one whose samples lie as far apart as they can. */
  async sizes(samples: number): Promise<{ usual: number; widest: number }> {
    const step = (2 ** 32 - 1) / samples;
    const spread = Uint32Array.from({ length: samples }, (_each, index) => (index + Math.random()) * step);
    const widest = await encodeSamples({ kind: 'raw', values: spread });
    return { usual: (await body(samples, 0)).length, widest: widest.length };
  },

  /** Decodes every body of the directory as it is read, as a driver does, and merges them into one distribution. */
  async merge(directory: string): Promise<MergeCost> {
    const startMs = performance.now();
    const runs: Samples[] = [];
    for (const file of readdirSync(directory)) runs.push(await decodeSamples(readFileSync(join(directory, file))));
    const merged = mergeSamples(runs);
    const elapsedMs = performance.now() - startMs;
    return { samples: sampleCount(merged), elapsedMs, peakRssBytes: peakRssBytes() };
  },
};

async function body(samples: number, seed: number): Promise<Uint8Array> {
  return encodeSamples({ kind: 'raw', values: logNormalLatencies(samples, seed) });
}

export type MergeCommands = typeof commands;

serve(commands);
