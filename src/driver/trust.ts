import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Calibration, calibration } from '../contract/calibration.js';
import type { Demand } from '../contract/catalog.js';
import type { Trust } from '../contract/result.js';
import type { ShardInfo } from '../contract/shard.js';
import { placeOf } from '../measure/envelope.js';
import { share } from '../measure/share.js';
import { fingerprint } from './fingerprint.js';

type Machine = ShardInfo['machine'];

/** Names a machine by all that its speed depends on, as far as it tells. */
export function machineIdOf(machine: Machine): string {
  return fingerprint(machine);
}

/** Keeps what a machine may be trusted with, in place of what was known before. */
export async function keepTrust(trustDir: string, found: Calibration): Promise<string> {
  const directory = expanded(trustDir);
  await mkdir(directory, { recursive: true });
  const path = join(directory, `${found.machineId}.json`);
  await writeFile(path, `${JSON.stringify(found, null, 2)}\n`);
  return path;
}

/** What the machine may be trusted with; undefined where it was never calibrated, or by a version that wrote another form. */
async function readTrust(trustDir: string, machine: Machine): Promise<Calibration | undefined> {
  const path = join(expanded(trustDir), `${machineIdOf(machine)}.json`);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = calibration.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

/**
 * Whether a run lies inside what its machines were found right at: the load that each machine carries, with all of its shards, is held against
 * its own calibration, and the worst of them speaks for the run. What clients send counts as the broadcasts that would bring as many deliveries. Null for a run
 * without either.
 */
export async function trustOf(
  trustDir: string,
  client: string,
  demand: Demand,
  infos: readonly ShardInfo[],
): Promise<Trust | null> {
  const ratePerSecond = demand.publishesPerSecond || (demand.sends?.deliveriesPerSecond ?? 0) / demand.clients;
  if (demand.broadcasts === 0 || ratePerSecond === 0) return null;
  const machines = new Map<string, { machine: Machine; subscribers: number }>();
  infos.forEach(({ clockId, machine }, index) => {
    const subscribers = share(demand.clients, index, infos.length) + (machines.get(clockId)?.subscribers ?? 0);
    machines.set(clockId, { machine, subscribers });
  });
  const each = await Promise.all(
    [...machines.values()].map(async ({ machine, subscribers }) =>
      trustIn(await readTrust(trustDir, machine), { client, subscribers, ratePerSecond }),
    ),
  );
  const gravity = ['beyond', 'untried', 'uncalibrated', 'inside'];
  return each.sort((a, b) => gravity.indexOf(a.place) - gravity.indexOf(b.place))[0] ?? null;
}

function trustIn(
  known: Calibration | undefined,
  load: { client: string; subscribers: number; ratePerSecond: number },
): Trust {
  if (!known) return { place: 'uncalibrated', p99ErrorUs: null, load: null, calibratedAt: null };
  const found = placeOf(known.points, load);
  const calibratedAt = known.startedAt;
  if (found.place === 'untried') return { place: 'untried', p99ErrorUs: null, load: null, calibratedAt };
  return { place: found.place, p99ErrorUs: found.point.error.p99, load: found.point.load, calibratedAt };
}

function expanded(directory: string): string {
  return directory.replace(/^~(?=\/|$)/, homedir());
}
