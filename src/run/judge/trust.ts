import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Demand } from '../../contract/bodies.js';
import type { EngineUse } from '../../contract/engine.js';
import type { ShardResult } from '../../contract/shard.js';
import { shareOf } from '../../measure/share.js';
import { type Calibration, type CalibrationPoint, calibration } from '../../results/experiment.js';
import { fingerprint } from '../../results/likeness.js';
import type { RigLoad, Trust } from '../../results/result.js';
import { unlessMissing } from '../../results/store.js';

type Machine = ShardResult['machine'];

/** Returns an id of all properties known to affect the speed of a machine. */
export function machineIdOf(machine: Machine): string {
  return fingerprint(machine);
}

export function trustFileOf(trustDir: string, machineId: string): string {
  return join(trustPlace(trustDir), `${machineId}.json`);
}

async function readTrust(trustDir: string, machine: Machine): Promise<Calibration | undefined> {
  const path = trustFileOf(trustDir, machineIdOf(machine));
  const text = await unlessMissing(readFile(path, 'utf8'), 'ENOTDIR');
  if (text === undefined) return undefined;
  const parsed = calibration.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

type Loaded = Pick<ShardResult, 'slice' | 'clockId' | 'machine' | 'workers'> & {
  rig: { engines?: readonly Pick<EngineUse, 'name'>[] | undefined };
};

/** Compares a run with the loads at which its machines measured right. Null for a run without deliveries. */
export async function trustOf(
  trustDir: string,
  kind: Pick<RigLoad, 'client' | 'protocol'>,
  demand: Demand,
  shards: readonly Loaded[],
): Promise<Trust | null> {
  const { clients, payloadBytes } = demand;
  const ratePerSecond = demand.publishesPerSecond || (demand.sends?.deliveriesPerSecond ?? 0) / clients;
  if (demand.broadcasts === 0 || ratePerSecond === 0) return null;
  const each = await Promise.all(
    byMachine(shards).map(async ({ machine, together }) => {
      const load = { ...kind, ratePerSecond, payloadBytes, ...rigOf(together, clients) };
      return trustIn(await readTrust(trustDir, machine), load);
    }),
  );
  const gravity = ['beyond', 'untried', 'uncalibrated', 'inside'];
  return each.sort((a, b) => gravity.indexOf(a.place) - gravity.indexOf(b.place))[0] ?? null;
}

/** The loop of a shard without clients carries no load. */
function byMachine(shards: readonly Loaded[]): { machine: Machine; together: Loaded[] }[] {
  const machines = new Map<string, { machine: Machine; together: Loaded[] }>();
  for (const shard of shards.filter(({ workers }) => workers > 0)) {
    const { clockId, machine } = shard;
    const known = machines.get(clockId);
    if (known) known.together.push(shard);
    else machines.set(clockId, { machine, together: [shard] });
  }
  return [...machines.values()];
}

function rigOf(shards: readonly Loaded[], clients: number): Pick<RigLoad, 'clients' | 'workers' | 'shards' | 'engine'> {
  const engines = new Set(shards.flatMap(({ rig }) => (rig.engines ?? []).map(({ name }) => name)));
  return {
    clients: shards.reduce((sum, { slice }) => sum + shareOf(clients, slice.index, slice.of), 0),
    // Shares differ by one client, and the number of workers with them. The fewest workers have the most load.
    workers: Math.min(...shards.map(({ workers }) => workers)),
    shards: shards.length,
    ...(engines.size > 0 && { engine: [...engines].sort().join(' + ') }),
  };
}

function trustIn(known: Calibration | undefined, load: RigLoad): Trust {
  if (!known) return { place: 'uncalibrated', p99ErrorUs: null, load: null, calibratedAt: null };
  const { points, startedAt: calibratedAt } = known;
  const found = placeOf(points, load);
  if (found.place !== 'untried')
    return { place: found.place, p99ErrorUs: found.point.error.p99, load: found.point.load, calibratedAt };
  const { engine } = load;
  const isOther = engine !== undefined && points.every((point) => point.load.engine !== engine);
  return { place: 'untried', p99ErrorUs: null, load: null, calibratedAt, ...(isOther && { otherEngine: engine }) };
}

export function trustPlace(directory: string): string {
  return directory.replace(/^~(?=\/|$)/, homedir());
}

/** A load at which this machine was calibrated. The error of its p99 is null with too few deliveries. */
type Tried = Pick<CalibrationPoint, 'load' | 'isTrusted'> & { error: Pick<CalibrationPoint['error'], 'p99'> };

/** Places a load: inside the loads that were right, beyond those that were wrong, or untried. */
type LoadPlace = { place: 'inside' | 'beyond'; point: Tried } | { place: 'untried' };

/** Loads that differ in one of these cannot be compared. */
const kindOf = ['client', 'engine', 'protocol'] as const;

/** Returns the nearest point of the same kind: trusted and as hard, or wrong and no harder than the load. */
export function placeOf(points: readonly Tried[], load: RigLoad): LoadPlace {
  const alike = points.filter((point) => kindOf.every((key) => point.load[key] === load[key]));
  const inside = alike.filter((point) => point.isTrusted && isAtMost(load, point.load)).sort(byDeliveries)[0];
  if (inside) return { place: 'inside', point: inside };
  const beyond = alike
    .filter((point) => isWrong(point) && isAtMost(point.load, load))
    .sort(byDeliveries)
    .at(-1);
  return beyond ? { place: 'beyond', point: beyond } : { place: 'untried' };
}

/** Returns true if the rig was wrong at that point. A point without a p99 is never wrong. */
export function isWrong({ isTrusted, error }: Tried): boolean {
  return !isTrusted && error.p99 !== null;
}

/** Returns true if one load is at most as hard as the other in every way. */
export function isAtMost(one: RigLoad, other: RigLoad): boolean {
  const limits = hardness(other);
  return hardness(one).every((each, way) => each <= limits[way]!);
}

/** Returns deliveries and bytes per broadcast and per second, in total and for each loop. */
function hardness({ clients, ratePerSecond, payloadBytes, workers, shards }: RigLoad): number[] {
  const atOnce = [clients, clients * payloadBytes];
  const whole = [...atOnce, ...atOnce.map((each) => each * ratePerSecond)];
  return [...whole, ...whole.map((each) => each / (workers * shards))];
}

const deliveries = ({ clients, ratePerSecond }: RigLoad): number => clients * ratePerSecond;
const byDeliveries = (one: Tried, other: Tried): number => deliveries(one.load) - deliveries(other.load);
