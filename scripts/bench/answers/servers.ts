import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { doneSinceSent } from '../../../src/commands/calibrate/truth.js';
import { decodeCounts } from '../../../src/measure/samples/encoding.js';
import { type RunningTarget, startTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import { metronomeRecord, recordPaths } from '../../../src/targets/metronome/record.js';
import { packageFile } from '../../../src/units/package-files.js';
import { withDirectory } from '../processes/places.js';

interface ServerOrder {
  label: string;
  target: string;
  options?: Readonly<Record<string, unknown>>;
}

/** Runs `work` with a target file of external servers, which outlive the product's starts. */
export async function withServers<T>(
  orders: readonly ServerOrder[],
  work: (file: string, servers: readonly RunningTarget[]) => Promise<T>,
): Promise<T> {
  const servers: RunningTarget[] = [];
  try {
    for (const { target, options } of orders)
      servers.push(await startTarget(targetByName(target)!, { host: '127.0.0.1', options }));
    return await withDirectory((directory) => {
      const file = join(directory, 'targets.yml');
      const entries = servers.map(({ target, endpoints }, place) => ({
        name: orders[place]!.label,
        protocol: target.protocol,
        targetUrl: endpoints.wsUrl,
        publishUrl: endpoints.publishUrl,
      }));
      // JSON is valid YAML.
      writeFileSync(file, JSON.stringify(entries));
      return work(file, servers);
    });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Runs `work` with a target file of the project's servers that the product starts itself, by these labels. */
export function withOwnServers<T>(program: string, labels: readonly string[], work: (file: string) => Promise<T>) {
  const main = packageFile('dist/servers', program, 'main.js');
  return withDirectory((directory) => {
    const file = join(directory, 'targets.yml');
    const entries = labels.map((name) => ({
      ...{ name, protocol: 'ws-json' },
      targetUrl: 'ws://127.0.0.1:{port}/ws',
      publishUrl: 'http://127.0.0.1:{port}/_broadcast',
      start: { command: `exec '${process.execPath}' '${main}' --host 127.0.0.1 --port {port}` },
    }));
    writeFileSync(file, JSON.stringify(entries));
    return work(file);
  });
}

type Metronome = Pick<RunningTarget, 'endpoints'>;

/** Returns the times in microseconds from the read of each publish to each of its writes, by broadcast. */
export async function writtenByBroadcastUs(metronome: Metronome, stream: string, from: number): Promise<number[][]> {
  const pairs = decodeCounts(await recorded(metronome, `${recordPaths.writes}?from=${from}&stream=${stream}`));
  const broadcasts: number[][] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const broadcast = pairs[at]! - from;
    broadcasts[broadcast] ??= [];
    broadcasts[broadcast].push(pairs[at + 1]!);
  }
  return broadcasts;
}

/** Returns for each measured broadcast the times in microseconds from the rig's send to the metronome's writes. */
export async function writtenSinceSentUs(
  metronome: Metronome,
  from: number,
  sentAtUs: Uint32Array,
): Promise<number[][]> {
  const [{ broadcasts }, writes] = await Promise.all([recordOf(metronome), recorded(metronome, recordPaths.writes)]);
  const pairs = decodeCounts(writes);
  const own = Array.from(sentAtUs, (): number[] => []);
  for (let at = 0; at < pairs.length; at += 2) own[pairs[at]! - from]?.push(pairs[at]!, pairs[at + 1]!);
  return own.map((each) => {
    const done = doneSinceSent(broadcasts, Uint32Array.from(each), (sequence) => sentAtUs[sequence - from]!);
    return done.kind === 'raw' ? [...done.values] : [];
  });
}

/** Returns the times from the rig's stamp of each measured publish to the metronome's read of it, in microseconds. */
export async function readSinceSentUs(metronome: Metronome, from: number, sentAtUs: Uint32Array): Promise<number[]> {
  const { broadcasts } = await recordOf(metronome);
  const measured = broadcasts.filter(({ sequence }) => sequence >= from);
  return measured.map(
    ({ sequence, receivedAtNs }) => (Math.floor(receivedAtNs / 1000) - sentAtUs[sequence - from]!) >>> 0,
  );
}

async function recordOf(metronome: Metronome) {
  const summary = await recorded(metronome, recordPaths.summary);
  return metronomeRecord.parse(JSON.parse(Buffer.from(summary).toString()));
}

async function recorded({ endpoints }: Metronome, path: string): Promise<Uint8Array> {
  const url = new URL(path, endpoints.wsUrl.replace(/^ws/, 'http'));
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
  return new Uint8Array(await body.arrayBuffer());
}
