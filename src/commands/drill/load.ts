import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Problem, ProblemError } from '../../contract/problems.js';
import type { OwnMetronome, ShardInfo } from '../../contract/shard.js';
import { stopInWords } from '../../contract/stop-reasons.js';
import { lateShare, segmentsLost, tcpInWords } from '../../measure/tcp.js';
import { protocolOptions } from '../../protocols/list.js';
import type { RunResult } from '../../results/result.js';
import { type Plan, planRun, readOptions } from '../../run/plan/plan.js';
import { fleetOptions, targetOptions } from '../../run/plan/run-options.js';
import { type RunContext, run } from '../../run/run.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { scenarioByName } from '../../scenarios/list.js';
import { loadOptions } from '../../scenarios/load-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { Call } from '../command.js';
import type { Cost } from './capacity.js';
import type { ShardDrill } from './findings.js';

const { targetUrl, protocol, publishUrl, publishToken } = targetOptions.shape;
const { caPem, isInsecure, targetCert, targetKey, tlsResume, proxy } = loadOptions.shape;

/** Options of the target whose path the drill measures, if one is given. */
export const pathOptions = z.strictObject({
  ...{ targetUrl, protocol, publishUrl, publishToken },
  ...protocolOptions.shape,
  ...{ caPem, isInsecure, targetCert, targetKey, tlsResume, proxy },
});

const latency = scenarioByName('latency') as Scenario;
/** Load of all shards of a machine together: enough to measure the cost of a delivery, on half of a core at most. */
const loopLoad = { clients: 200, broadcasts: 200, ratePerSecond: 50, warmUp: 10 };
const leastSubscribers = 10;
/** Enough for each shard to see one lost segment in a hundred. */
const pathLoad = { broadcasts: 50, ratePerSecond: 10 };
const pathSubscribers = 10;
/** Limit for many shards together, which any target can take. */
const mostPathSubscribers = 100;
/** A drill waits no longer, because it has no result that a longer wait would save. */
const lostAfterMs = 10_000;

type Context = Pick<RunContext, 'interrupt' | 'childDescriptors'> & { engine: Plan['load']['engine'] };

async function runLightly(plan: Plan, shards: readonly ShardClient[], context: Context): Promise<RunResult> {
  const resultsDir = join(tmpdir(), `ringside-drill-${process.pid}-${shards.length}-${performance.now()}`);
  const fleet = { ...plan.fleet, resultsDir };
  try {
    const ignored = { notKept: () => undefined, progress: () => undefined };
    return (await run({ ...plan, fleet }, { ...context, ...ignored, shards })).result;
  } finally {
    await rm(resultsDir, { recursive: true, force: true });
  }
}

interface LoopOf {
  client: ShardClient;
  info: ShardInfo;
  metronome: OwnMetronome;
  /** Shards of its machine that do the same at once. */
  machineShards: number;
}

/** Loads a metronome on the shard's own loopback. `lost` says why the shard was lost meanwhile, if it was. */
export async function loadLoop(
  { client, info, metronome, machineShards }: LoopOf,
  context: Context,
): Promise<{ cost: LoopCost; lost: string | undefined }> {
  const { quotaCores, ...urls } = metronome;
  const cores = Math.min(1, quotaCores ?? 1) / machineShards;
  const wanted = Math.max(leastSubscribers, Math.floor(loopLoad.clients * cores));
  const clients = Math.min(wanted, info.limits.clients);
  const plan: Plan = {
    scenario: latency,
    options: latency.options.parse({ ...loopLoad, clients }),
    load: loadOptions.parse({ engine: context.engine, workers: 1, leaseMs: lostAfterMs }),
    fleet: { ...fleetOptions.parse({}), seed: 1 },
    target: {
      isOurs: false,
      name: 'metronome',
      protocol: 'ws-json',
      protocolOptions: {},
      ...urls,
      statsUrl: undefined,
      publishHeaders: {},
    },
    thresholds: [],
    sources: {},
  };
  const result = await runLightly(plan, [client], context);
  const lost = result.stop.code === 'shardLost' ? stopInWords(result.stop) : undefined;
  return { cost: costOf(result, { cores: info.machine.cores, quotaCores, machineShards }), lost };
}

type LoopCost = Cost | Extract<ShardDrill['loop'], { isMeasured: false }>;

interface Machine {
  cores: number;
  quotaCores: number | null;
  machineShards: number;
}

/** Returns the cost of a delivery by a run on the own loopback, whose warm-up counts as well. */
export function costOf({ shards: [part], ledger, stop }: RunResult, machine: Machine): LoopCost {
  const [expected, delivered, acked] = ['expected', 'delivered', 'acked'].map((name) => Number(ledger[name] ?? 0));
  const { workers = [], engines = [], shard } = part?.result?.rig ?? {};
  const audience = workers.filter(({ role }) => role === 'audience');
  const ofLoop = sumOf(audience, ({ cpuMs, utilization, windowMs }) => cpuMs ?? utilization * windowMs);
  const ofEngine = sumOf(engines, ({ cpuNs }) => cpuNs / 1e6);
  const ofBoth = ofLoop + ofEngine;
  if (!expected || !delivered || !acked || ofLoop === 0 || !shard)
    return { isMeasured: false, isAllowed: true, why: stopInWords(stop) };
  const us = (cpuMs: number): number => (cpuMs * 1000) / (delivered * (1 + loopLoad.warmUp / acked));
  const windowMs = Math.max(...audience.map((worker) => worker.windowMs));
  const waitedMs =
    sumOf(audience, ({ runQueueWaitMs }) => runQueueWaitMs ?? 0) + sumOf(engines, (each) => each.coreWaitNs / 1e6);
  const { coreBusy, stolenShare = 0, cpuMs } = shard;
  const busyShare = sumOf(coreBusy, (share) => share) / Math.max(1, coreBusy.length);
  // The metronome counts to the others. All shards of the machine make the same load.
  const others = machine.cores * (busyShare * (1 - stolenShare) + stolenShare);
  return {
    isMeasured: true,
    ...{ expected, delivered },
    cpuUs: { busiest: us(Math.max(ofLoop, ofEngine)), all: us(ofBoth) },
    coresBeside: Math.max(0, cpuMs - ofBoth) / windowMs,
    othersCores: Math.max(0, others - (machine.machineShards * cpuMs) / windowMs),
    coreShare: ofBoth / (ofBoth + waitedMs),
    quotaCores: machine.quotaCores,
  };
}

function sumOf<T>(parts: readonly T[], value: (part: T) => number): number {
  return parts.reduce((sum, part) => sum + value(part), 0);
}

/** Plans a few deliveries of the user's target. Throws `ProblemError` with everything that is wrong with the target. */
export function planPath(call: Call, engine: Plan['load']['engine']): Plan {
  const read = readOptions(pathOptions, call);
  const ofDrill = { ...pathLoad, engine, leaseMs: lostAfterMs, clients: pathSubscribers };
  return planRun(latency, { ...read, values: { ...read.values, ...ofDrill } });
}

/** Measures the TCP losses to the target, or says why not. Null for a shard if the problem is with others. */
export async function loadPath(
  plan: Plan,
  clients: readonly ShardClient[],
  context: Context,
): Promise<{ paths: ShardDrill['path'][]; fix?: string }> {
  const missed = (why: string) => clients.map(() => ({ isMeasured: false as const, why }));
  try {
    const k = clients.length;
    const audience = Math.max(k, Math.min(k * pathSubscribers, mostPathSubscribers));
    const options = latency.options.parse({ ...plan.options, clients: audience });
    const { shards, ledger, stop } = await runLightly({ ...plan, options }, clients, context);
    return { paths: ledger.delivered ? shards.map(pathOf) : missed(stopInWords(stop)) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const [first] = error.problems;
    const own = clients.map(({ url }) => messagesOf(error.problems, url)[0]);
    const isOfAll = own.every((why) => why === undefined);
    const paths = own.map((why) => (why === undefined ? null : { isMeasured: false as const, why }));
    return { paths: isOfAll ? missed(error.message) : paths, ...(first && { fix: first.hint }) };
  }
}

function pathOf({ result, why }: RunResult['shards'][number]): ShardDrill['path'] {
  if (!result) return { isMeasured: false, why };
  const { tcp } = result.rig.shard;
  if (!tcp) return { isMeasured: true, lateShare: null, lost: null, segments: null, tcp: '' };
  const { counts, stalledShare } = tcp;
  return {
    isMeasured: true,
    lateShare: lateShare(counts, stalledShare),
    lost: segmentsLost(counts) + counts.outOfOrder,
    segments: counts.dataSent + counts.received,
    tcp: tcpInWords(counts),
  };
}

/** Returns the messages of problems about one shard, without its URL. */
export function messagesOf(problems: readonly Problem[], url: string): string[] {
  const start = `${url}: `;
  return problems.flatMap(({ message }) => (message.startsWith(start) ? [message.slice(start.length)] : []));
}
