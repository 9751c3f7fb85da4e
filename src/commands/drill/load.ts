import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnMetronome } from '../../contract/drill.js';
import { ProblemError } from '../../contract/problems.js';
import { stopInWords } from '../../contract/stop-reasons.js';
import { lateShare, tcpInWords } from '../../measure/tcp.js';
import type { RunResult } from '../../results/result.js';
import { loadOptions, type Scenario, scenarioByName } from '../../run/catalog.js';
import { type Plan, planRun } from '../../run/plan/plan.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { type RunContext, run } from '../../run/run.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import type { Call } from '../command.js';
import { apart } from '../command.js';
import { pathOptions } from './options.js';
import type { Probe } from './probe.js';
import type { ShardDrill } from './schema.js';

const latency = scenarioByName('latency') as Scenario;
/** Of all shards of a machine: enough to tell the cost of a delivery, and half of a core at most. */
const loopLoad = { subscribers: 100, broadcasts: 150, ratePerSecond: 50, warmUp: 10 };
const leastSubscribers = 10;
/** Of each shard: enough to see one lost segment in a hundred. */
const pathLoad = { subscribers: 10, broadcasts: '50', ratePerSecond: '10/s' };

type Context = Pick<RunContext, 'interrupt' | 'childDescriptors'>;

/** Runs a plan whose result nobody keeps. */
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

/** What a loop of a shard did on its own loopback, without what follows for the load that it can take. */
export type LoopCost =
  | { isMeasured: false; why: string; isAllowed: boolean }
  | { isMeasured: true; expected: number; delivered: number; cpuUs: { busiest: number; all: number } };

/** Loads a metronome on the shard's own loopback. `beside`: shards of its machine, which do the same at once. */
export async function loadLoop(
  { client, info }: Probe,
  metronome: OwnMetronome,
  { engine, beside }: { engine: Plan['load']['engine']; beside: number },
  context: Context,
): Promise<{ cost: LoopCost; coreWaitShare: number | null }> {
  const wanted = Math.max(leastSubscribers, Math.floor(loopLoad.subscribers / beside));
  const subscribers = Math.min(wanted, info.limits.clients);
  const plan: Plan = {
    scenario: latency,
    options: latency.options.parse({ ...loopLoad, subscribers }),
    load: loadOptions.parse({ engine, workers: 1 }),
    fleet: { ...fleetOptions.parse({}), seed: 1 },
    target: {
      isOurs: false,
      name: 'metronome',
      protocol: 'ws-json',
      protocolOptions: {},
      ...metronome,
      statsUrl: undefined,
      publishHeaders: {},
    },
    thresholds: [],
    sources: {},
  };
  const result = await runLightly(plan, [client], context);
  return { cost: costOf(result), coreWaitShare: waitOf(result) };
}

/** What a run on the own loopback says of the cost of a delivery. */
function costOf({ shards: [part], ledger, stop }: RunResult): LoopCost {
  const [expected, delivered] = [Number(ledger.expected ?? 0), Number(ledger.delivered ?? 0)];
  const { workers = [], engines = [] } = part?.result?.rig ?? {};
  const audience = workers.filter(({ role }) => role === 'audience');
  const ofLoop = audience.reduce((sum, { cpuMs, utilization, windowMs }) => sum + (cpuMs ?? utilization * windowMs), 0);
  const ofEngine = engines.reduce((sum, { cpuNs }) => sum + cpuNs / 1e6, 0);
  const acked = Number(ledger.acked ?? 0);
  if (delivered === 0 || acked === 0 || ofLoop === 0)
    return { isMeasured: false, isAllowed: true, why: stopInWords(stop) };
  const withWarmUp = delivered * (1 + loopLoad.warmUp / acked);
  const us = (cpuMs: number): number => (cpuMs * 1000) / withWarmUp;
  const cpuUs = { busiest: us(Math.max(ofLoop, ofEngine)), all: us(ofLoop + ofEngine) };
  return { isMeasured: true, expected, delivered, cpuUs };
}

/** The share of the time in which the worst worker was ready and had no core. */
function waitOf({ shards: [part] }: RunResult): number | null {
  const shares = (part?.result?.rig.workers ?? []).flatMap(({ runQueueWaitMs, windowMs }) =>
    runQueueWaitMs === null || windowMs === 0 ? [] : [runQueueWaitMs / windowMs],
  );
  return shares.length === 0 ? null : Math.max(...shares);
}

/** The plan of a few deliveries of the user's target. Throws `ProblemError` with all that is wrong with the target. */
export function planPath(call: Call, shards: number, engine: Plan['load']['engine']): Plan {
  const { own } = apart(pathOptions, call);
  const { subscribers, ...light } = pathLoad;
  const flags = { ...own.flags, ...light, engine, subscribers: String(subscribers * shards) };
  return planRun(latency, { flags, env: own.env, file: {} });
}

/** What TCP lost between each shard and the target; why there is no answer, for all shards alike. */
export async function loadPath(
  plan: Plan,
  probes: readonly Probe[],
  context: Context,
): Promise<{ paths: NonNullable<ShardDrill['path']>[]; fix?: string }> {
  const clients = probes.map(({ client }) => client);
  const missed = (why: string) => probes.map(() => ({ isMeasured: false as const, why }));
  try {
    const { shards, ledger, stop } = await runLightly(plan, clients, context);
    if (!ledger.delivered) return { paths: missed(stopInWords(stop)) };
    return {
      paths: shards.map(({ result, why }) => {
        if (!result) return { isMeasured: false, why };
        const { tcp } = result.rig.shard;
        return {
          isMeasured: true,
          lostShare: tcp ? lateShare(tcp.counts) : null,
          tcp: tcp ? tcpInWords(tcp.counts) : '',
        };
      }),
    };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const [first] = error.problems;
    return { paths: missed(error.message), ...(first && { fix: first.hint }) };
  }
}
