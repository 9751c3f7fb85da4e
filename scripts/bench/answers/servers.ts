import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { decodeCounts } from '../../../src/measure/samples/encoding.js';
import type { ComparisonRow } from '../../../src/results/comparison.js';
import { type RunningTarget, startTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import { recordPaths } from '../../../src/targets/metronome/record.js';
import { packageFile } from '../../../src/units/package-files.js';
import { withDirectory } from '../processes/program.js';
import { owedMedian } from './product.js';

/** Runs `work` with a target file of metronomes with these options, by label. They outlive the product's starts. */
export async function withMetronomes<T>(
  optionsOf: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  work: (file: string, metronomes: readonly RunningTarget[]) => Promise<T>,
): Promise<T> {
  const metronomes: RunningTarget[] = [];
  try {
    for (const options of Object.values(optionsOf))
      metronomes.push(await startTarget(targetByName('metronome')!, { host: '127.0.0.1', options }));
    const entries = Object.keys(optionsOf).map((name, place) => {
      const { target, endpoints } = metronomes[place]!;
      return { name, protocol: target.protocol, targetUrl: endpoints.wsUrl, publishUrl: endpoints.publishUrl };
    });
    return await withTargetFile(entries, (file) => work(file, metronomes));
  } finally {
    await Promise.all(metronomes.map((metronome) => metronome.stop()));
  }
}

/** Runs `work` with a target file of the project's servers that the product starts itself, by these labels. */
export function withOwnServers<T>(program: string, labels: readonly string[], work: (file: string) => Promise<T>) {
  const main = packageFile('dist/servers', program, 'main.js');
  const entries = labels.map((name) => ({
    ...{ name, protocol: 'ws-json' },
    targetUrl: 'ws://127.0.0.1:{port}/ws',
    publishUrl: 'http://127.0.0.1:{port}/_broadcast',
    start: { command: `exec '${process.execPath}' '${main}' --host 127.0.0.1 --port {port}` },
  }));
  return withTargetFile(entries, work);
}

function withTargetFile<T>(entries: readonly object[], work: (file: string) => Promise<T>): Promise<T> {
  return withDirectory((directory) => {
    const file = join(directory, 'targets.yml');
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify(entries));
    return work(file);
  });
}

/**
 * Returns the record of each metronome of a comparison by server, start and round. Each value is the median of its
 * deliveries in microseconds, from the read of the publish to the write. A server without runs has an empty list.
 */
export function recordedRounds(
  metronomes: readonly RunningTarget[],
  rows: readonly ComparisonRow[],
): Promise<number[][][]> {
  return Promise.all(
    metronomes.map((metronome, place) => Promise.all(rows[place]?.runs.map((run) => roundsOf(metronome, run)) ?? [])),
  );
}

async function roundsOf(
  { endpoints }: RunningTarget,
  { result: { job } }: ComparisonRow['runs'][number],
): Promise<number[]> {
  const { warmUp, broadcasts, clients } = job.options;
  const path = `${recordPaths.writes}?from=${warmUp}&stream=${job.stream}`;
  const url = new URL(path, endpoints.wsUrl.replace(/^ws/, 'http'));
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
  // Pairs of sequence number and time.
  const pairs = decodeCounts(new Uint8Array(await body.arrayBuffer()));
  const writtenUs = Array.from({ length: Number(broadcasts) }, (): number[] => []);
  for (let at = 0; at < pairs.length; at += 2) writtenUs[pairs[at]! - Number(warmUp)]?.push(pairs[at + 1]!);
  return writtenUs.map((each) => owedMedian(each, Number(clients)));
}
