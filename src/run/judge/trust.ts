import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Demand } from '../../contract/limits.js';
import type { ShardResult } from '../../contract/shard.js';
import { share } from '../../measure/share.js';
import { placeOf } from '../../measure/stats/envelope.js';
import { type Calibration, calibration } from '../../results/calibration.js';
import { fingerprint } from '../../results/fingerprint.js';
import type { RigLoad, Trust } from '../../results/result.js';

type Machine = ShardResult['machine'];

/** Names a machine by all that its speed depends on, as far as it tells. */
export function machineIdOf(machine: Machine): string {
  return fingerprint(machine);
}

/** Where it is kept what a machine may be trusted with. */
export function trustFileOf(trustDir: string, machineId: string): string {
  return join(trustPlace(trustDir), `${machineId}.json`);
}

/** What the machine may be trusted with; undefined where it was never calibrated, or by a version that wrote another form. */
async function readTrust(trustDir: string, machine: Machine): Promise<Calibration | undefined> {
  const path = trustFileOf(trustDir, machineIdOf(machine));
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = calibration.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

/**
 * Whether a run lies inside what its machines were found right at: the load that each machine carried, with all of its shards, is held against
 * its own calibration, and the worst of them speaks for the run. What clients send counts as the broadcasts that would bring as many deliveries. Null for a run
 * without either.
 */
export async function trustOf(
  trustDir: string,
  { client, protocol }: Pick<RigLoad, 'client' | 'protocol'>,
  demand: Demand,
  shards: readonly Pick<ShardResult, 'slice' | 'clockId' | 'machine' | 'workers'>[],
): Promise<Trust | null> {
  const { clients, payloadBytes } = demand;
  const ratePerSecond = demand.publishesPerSecond || (demand.sends?.deliveriesPerSecond ?? 0) / clients;
  if (demand.broadcasts === 0 || ratePerSecond === 0) return null;
  const machines = new Map<string, { machine: Machine; load: RigLoad }>();
  // A shard that was dealt nobody has no loop that could be loaded.
  for (const { slice, clockId, machine, workers } of shards.filter((shard) => shard.workers > 0)) {
    const beside = machines.get(clockId)?.load;
    const load = {
      ...{ client, protocol, ratePerSecond, payloadBytes },
      subscribers: share(clients, slice.index, slice.of) + (beside?.subscribers ?? 0),
      // Shares differ by one client, and workers with them: the fewest are the hardest loaded.
      workers: Math.min(workers, beside?.workers ?? workers),
      shards: 1 + (beside?.shards ?? 0),
    };
    machines.set(clockId, { machine, load });
  }
  const each = await Promise.all(
    [...machines.values()].map(async ({ machine, load }) => trustIn(await readTrust(trustDir, machine), load)),
  );
  const gravity = ['beyond', 'untried', 'uncalibrated', 'inside'];
  return each.sort((a, b) => gravity.indexOf(a.place) - gravity.indexOf(b.place))[0] ?? null;
}

function trustIn(known: Calibration | undefined, load: RigLoad): Trust {
  if (!known) return { place: 'uncalibrated', p99ErrorUs: null, load: null, calibratedAt: null };
  const found = placeOf(known.points, load);
  const calibratedAt = known.startedAt;
  if (found.place === 'untried') return { place: 'untried', p99ErrorUs: null, load: null, calibratedAt };
  return { place: found.place, p99ErrorUs: found.point.error.p99, load: found.point.load, calibratedAt };
}

/** The directory, of the user's home where it begins with `~`. */
export function trustPlace(directory: string): string {
  return directory.replace(/^~(?=\/|$)/, homedir());
}
