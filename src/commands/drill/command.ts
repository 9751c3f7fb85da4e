import { z } from 'zod';
import { ProblemError, problemError, resolveOrRefuse } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { thisTool } from '../../contract/version.js';
import { readClockId } from '../../measure/rig/machine.js';
import { resultVersion } from '../../results/result.js';
import type { Plan } from '../../run/plan/plan.js';
import { endpointOf } from '../../run/plan/preflight.js';
import { areShardsGiven, fleetOptions, shardOptions } from '../../run/plan/run-options.js';
import { greetAll, type HoldContext, isBusy, untilFree } from '../../run/shards/dispatch.js';
import { shardAnswer } from '../../run/shards/partial-body.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { type ClockOffset, measureClock } from '../../run/shards/shard-clock.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { withoutSecrets } from '../../units/addresses.js';
import { plural } from '../../units/text.js';
import { plain } from '../command.js';
import { type Cost, loopCapacity, mostClients, mostDeliveries, type Towards } from './capacity.js';
import { type AbsentShard, type DrillResult, drillExit, judgeDrill, type ShardDrill } from './findings.js';
import { loadLoop, loadPath, messagesOf, pathOptions, planPath } from './load.js';
import { drillDocument } from './print.js';

const { localShards, isJson } = fleetOptions.shape;

/** Options of `drill`: the fleet, the engine, and a target whose path it measures. */
export const drillOptions = z.strictObject({
  ...shardOptions.shape,
  ...{ localShards, engine: loadOptions.shape.engine },
  ...pathOptions.shape,
  isJson,
});

/** `ringside drill`: prints the load that a fleet can carry and what to fix. It loads only the shards. */
export const command = plain({
  options: drillOptions,
  examples: [
    'drill',
    'drill --shards-from kubernetes',
    'drill --shard https://bench-runner-1.example.com --shard https://bench-runner-2.example.com',
    'drill --target-url ws://server.internal:3000/ws --protocol ws-json \\\n' +
      '      --publish-url http://server.internal:3000/_broadcast',
  ],
  async run(session, call) {
    const asked = resolveOrRefuse(drillOptions, call);
    const { engine, targetUrl, publishUrl } = asked;
    const hasTarget = targetUrl !== undefined || publishUrl !== undefined;
    const path = hasTarget ? planPath(call, engine) : undefined;
    const ofShards = z.object(shardOptions.shape).parse(asked);
    const fleet = { ...fleetOptions.parse({}), ...ofShards, localShards: asked.localShards };
    const { interrupt, limits, note } = session;
    const hold = { interrupt, note, waitMs: fleet.waitMs, areGiven: areShardsGiven(fleet) };
    const found = await session.withShards(fleet, path ? [path.target] : [], (clients) =>
      drill(clients, { ...hold, engine, path, childDescriptors: limits.descriptors }),
    );
    await session.printResult({ isJson: asked.isJson }, { data: found, document: drillDocument(found) });
    return drillExit(found.findings);
  },
});

/** Holds the inputs of a drill besides its shards. */
interface DrillContext extends HoldContext {
  engine: Plan['load']['engine'];
  /** Plan for a few deliveries of the user's target, if one is given. */
  path: Plan | undefined;
  childDescriptors: number | null;
  note(line: string): void;
  /** True if others can hold the shards. Only this drill knows shards that it starts itself. */
  areGiven: boolean;
}

interface Drilled {
  client: ShardClient;
  info: ShardInfo;
  offset: ClockOffset | undefined;
  loop: Cost | Extract<ShardDrill['loop'], { isMeasured: false }>;
  /** Reason why the shard is lost; undefined while it is not. */
  lost: string | undefined;
}

/** Drills all shards at once. Throws `ProblemError` if the user ends it, or if the shards can't take part. */
async function drill(clients: readonly ShardClient[], context: DrillContext): Promise<DrillResult> {
  const { engine, path, note, areGiven, interrupt } = context;
  const startedAt = new Date().toISOString();
  const beganMs = performance.now();
  const goOn = (line: string): void => {
    if (interrupt.aborted) throw problemError('drillInterrupted', 'the drill was ended before it was over');
    note(`drill: ${line}`);
  };
  if (areGiven) await untilFree(clients, context);
  goOn(`clocks of ${plural(clients.length, 'shard')}`);
  const { shards, absent } = await meet(clients);
  goOn('some seconds of deliveries on the loopback of each shard');
  await Promise.all(shards.map((shard) => tryLoop(shard, onMachine(shard, shards), context)));
  const alive = shards.filter(({ lost }) => lost === undefined);
  if (path) goOn('a few deliveries of the target');
  const reached = alive.map(({ client }) => client);
  const along = path && alive.length > 0 ? await loadPath(path, reached, context) : undefined;
  if (interrupt.aborted) goOn('interrupted');
  const drilled = shards.map((shard) =>
    shardDrillOf(shard, onMachine(shard, shards), along?.paths[alive.indexOf(shard)] ?? null),
  );
  const findings = judgeDrill(drilled, absent, along?.fix);
  const there = drilled.filter(({ lost }) => lost === undefined);
  return {
    schema: resultVersion,
    tool: thisTool,
    startedAt,
    elapsedMs: performance.now() - beganMs,
    isReady: drillExit(findings) === 'clean',
    engine,
    carries: { ...mostClients(there, towards(there, context)), ...mostDeliveries(there) },
    absent: [...new Set(absent.map(({ url }) => url))],
    shards: drilled,
    findings,
  };
}

async function meet(clients: readonly ShardClient[]): Promise<{ shards: Drilled[]; absent: AbsentShard[] }> {
  const met = await Promise.all(clients.map(infoOf));
  const absent = met.flatMap((each) => ('client' in each ? [] : each.absent));
  const shards = met.flatMap((each) => ('client' in each ? [each] : []));
  if (shards.length === 0) throw new ProblemError(absent.map((each) => each.problem));
  await greetAll(shards.map(({ client }) => client));
  const measure = async (shard: Drilled): Promise<void> => {
    shard.offset = await measureClock(shard.client);
  };
  await Promise.all(shards.map((shard) => unlessLost(shard, () => measure(shard))));
  return { shards, absent };
}

async function infoOf(client: ShardClient): Promise<Drilled | { absent: AbsentShard[] }> {
  try {
    const info = await shardAnswer(client, client.info());
    return { client, info, offset: undefined, loop: unmeasured('the shard was lost before'), lost: undefined };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { absent: error.problems.map((each) => ({ url: client.url, problem: each })) };
  }
}

/** Measures the cost of deliveries on the shard's own loopback, or says why it is not known. */
async function tryLoop(shard: Drilled, machineShards: number, context: DrillContext): Promise<void> {
  const { client, info } = shard;
  if (shard.lost !== undefined) return;
  try {
    const metronome = await shardAnswer(client, client.startMetronome());
    const { cost, lost } = await loadLoop({ client, info, metronome, machineShards }, context);
    shard.loop = cost;
    shard.lost = lost;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const isAllowed = error.problems.every(({ code }) => code !== 'targetNotAllowed');
    shard.loop = unmeasured(messagesOf(error.problems, client.url)[0] ?? error.message, isAllowed);
    if (isBusy(error) || error.problems.some(({ code }) => code === 'shardUnreachable')) shard.lost = error.message;
  }
  await unlessLost(shard, () => shardAnswer(client, client.endMetronome()));
}

async function unlessLost(shard: Drilled, call: () => Promise<void>): Promise<void> {
  if (shard.lost !== undefined) return;
  await call().catch((error: unknown) => {
    if (!(error instanceof ProblemError)) throw error;
    shard.lost = error.message;
  });
}

function unmeasured(why: string, isAllowed = true): Extract<ShardDrill['loop'], { isMeasured: false }> {
  return { isMeasured: false, why, isAllowed };
}

function onMachine({ info }: Drilled, shards: readonly Drilled[]): number {
  return shards.filter((other) => other.info.clockId === info.clockId).length;
}

function shardDrillOf(
  { client, info, offset, loop, lost }: Drilled,
  machineShards: number,
  path: ShardDrill['path'],
): ShardDrill {
  const { version, engine, clockId, machine, limits } = info;
  // Shards that this driver started share the quota of its container.
  const sharing = { machine: machineShards, quota: client.isApart ? 1 : machineShards };
  return {
    url: withoutSecrets(client.url),
    ...(lost !== undefined && { lost }),
    ...{ version, engine, clockId, machine, limits },
    ...{ clock: offset?.clock ?? null, roundTrip: offset?.roundTrip ?? null },
    loop: loop.isMeasured ? { ...loop, ...loopCapacity(loop, machine.cores, sharing) } : loop,
    path,
  };
}

/** Returns where the clients of the next run connect: without a target, to this machine if the whole fleet is here. */
function towards(shards: readonly { clockId: string }[], { engine, path }: DrillContext): Towards {
  const at = path && !path.target.isOurs ? new URL(path.target.wsUrl) : undefined;
  const isHere = shards.every(({ clockId }) => clockId === readClockId());
  const host = at?.hostname ?? (isHere ? '127.0.0.1' : undefined);
  return { host, endpoint: at && endpointOf(at), prefersNative: engine !== 'js' };
}
