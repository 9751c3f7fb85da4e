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
import { unlessMissing } from '../../results/whole-file.js';

type Machine = ShardResult['machine'];

/** An id of everything that is known to affect the speed of a machine. */
export function machineIdOf(machine: Machine): string {
  return fingerprint(machine);
}

/** Where a machine's calibration is kept. */
export function trustFileOf(trustDir: string, machineId: string): string {
  return join(trustPlace(trustDir), `${machineId}.json`);
}

/** A machine's calibration; undefined without one, or if another version wrote it. */
async function readTrust(trustDir: string, machine: Machine): Promise<Calibration | undefined> {
  const path = trustFileOf(trustDir, machineIdOf(machine));
  const text = await unlessMissing(readFile(path, 'utf8'), 'ENOTDIR');
  if (text === undefined) return undefined;
  const parsed = calibration.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

/**
 * Whether a run lies within the loads at which its machines measured right. Each machine's load, with all its shards,
 * is compared with its calibration, and the worst place counts. Messages of clients count as broadcasts with as many
 * deliveries. Null for a run without either.
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
  // A shard without clients has no loop under load.
  for (const { slice, clockId, machine, workers } of shards.filter((shard) => shard.workers > 0)) {
    const beside = machines.get(clockId)?.load;
    const load = {
      ...{ client, protocol, ratePerSecond, payloadBytes },
      subscribers: share(clients, slice.index, slice.of) + (beside?.subscribers ?? 0),
      // Shares differ by one client, and workers with them: the fewest have the most load.
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

/** A directory whose `~` is replaced by the home directory. */
export function trustPlace(directory: string): string {
  return directory.replace(/^~(?=\/|$)/, homedir());
}
