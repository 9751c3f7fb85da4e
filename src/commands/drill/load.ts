import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnMetronome } from '../../contract/drill.js';
import { type Problem, ProblemError } from '../../contract/problems.js';
import { stopInWords } from '../../contract/stop-reasons.js';
import { lateShare, segmentsLost, tcpInWords } from '../../measure/tcp.js';
import type { RunResult } from '../../results/result.js';
import { type Plan, planRun, readOptions } from '../../run/plan/plan.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { type RunContext, run } from '../../run/run.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { scenarioByName } from '../../scenarios/list.js';
import { loadOptions } from '../../scenarios/load-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { Call } from '../command.js';
import type { Sharing } from './capacity.js';
import { type LoopLoad, loopLoadOf, worstLoad } from './cost.js';
import { pathOptions } from './options.js';
import { lostAfterMs, type Probe } from './probe.js';
import type { ShardDrill } from './schema.js';

const latency = scenarioByName('latency') as Scenario;
/**
 * Load of all shards of a machine together. It is enough to measure the cost of a delivery, and uses half of a core at
 * most.
 */
const loopLoad = { subscribers: 200, broadcasts: 100, ratePerSecond: 50, warmUp: 10 };
const leastSubscribers = 10;
/** A second try is made because something may disturb the first. */
const loopTries = 2;
/** Enough for each shard to see one lost segment in a hundred. */
const pathLoad = { broadcasts: 50, ratePerSecond: 10 };
const pathSubscribers = 10;
/** Limit for many shards together, which any target can take. */
const mostPathSubscribers = 100;

type Context = Pick<RunContext, 'interrupt' | 'childDescriptors'>;

/** Runs a plan and drops its result files. */
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

/**
 * Loads a metronome on the shard's own loopback. `sharing` counts the shards of its machine that do the same at once.
 */
export async function loadLoop(
  probe: Probe,
  metronome: OwnMetronome,
  { engine, sharing }: { engine: Plan['load']['engine']; sharing: Sharing },
  context: Context,
): Promise<LoopLoad> {
  const { client, info } = probe;
  const cores = Math.min(1 / sharing.machine, (probe.vitals.quiet?.quotaCores ?? 1) / sharing.quota);
  const wanted = Math.max(leastSubscribers, Math.floor(loopLoad.subscribers * cores));
  const subscribers = Math.min(wanted, info.limits.clients);
  const plan: Plan = {
    scenario: latency,
    options: latency.options.parse({ ...loopLoad, subscribers }),
    load: loadOptions.parse({ engine, workers: 1, leaseMs: lostAfterMs }),
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
  const loads: LoopLoad[] = [];
  for (let i = 0; i < loopTries && !context.interrupt.aborted; i++) {
    const result = await runLightly(plan, [client], context);
    const { stop } = result;
    if (stop.code === 'shardLost') probe.lost ??= stopInWords(stop);
    loads.push(loopLoadOf(result, loopLoad.warmUp));
    if (stop.code !== 'completed') break;
  }
  return worstLoad(loads);
}

/** Plans a few deliveries of the user's target. Throws `ProblemError` with everything that is wrong with the target. */
export function planPath(call: Call, engine: Plan['load']['engine']): Plan {
  const read = readOptions(pathOptions, call);
  const ofDrill = { ...pathLoad, engine, leaseMs: lostAfterMs, subscribers: pathSubscribers };
  return planRun(latency, { ...read, values: { ...read.values, ...ofDrill } });
}

/**
 * Measures the TCP losses between each shard and the target, or returns why they are unknown. Null for a shard if the
 * problem is with other shards.
 */
export async function loadPath(
  plan: Plan,
  probes: readonly Probe[],
  context: Context,
): Promise<{ paths: ShardDrill['path'][]; fix?: string }> {
  const clients = probes.map(({ client }) => client);
  const missed = (why: string) => probes.map(() => ({ isMeasured: false as const, why }));
  try {
    const k = probes.length;
    const subscribers = Math.max(k, Math.min(k * pathSubscribers, mostPathSubscribers));
    const options = latency.options.parse({ ...plan.options, subscribers });
    const { shards, ledger, stop } = await runLightly({ ...plan, options }, clients, context);
    if (!ledger.delivered) return { paths: missed(stopInWords(stop)) };
    return {
      paths: shards.map(({ result, why }) => {
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
      }),
    };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const [first] = error.problems;
    const own = clients.map(({ url }) => messagesOf(error.problems, url));
    const isOfAll = own.every((messages) => messages.length === 0);
    const paths = own.map((messages) =>
      messages.length > 0 ? { isMeasured: false as const, why: messages[0]! } : null,
    );
    return { paths: isOfAll ? missed(error.message) : paths, ...(first && { fix: first.hint }) };
  }
}

/** Returns the messages of problems about one shard, without its URL. */
export function messagesOf(problems: readonly Problem[], url: string): string[] {
  const start = `${url}: `;
  return problems.flatMap(({ message }) => (message.startsWith(start) ? [message.slice(start.length)] : []));
}
