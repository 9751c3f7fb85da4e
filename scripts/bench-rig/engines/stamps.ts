import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { quantileSorted } from 'simple-statistics';
import type { JobRequest } from '../../../src/contract/job.js';
import { onPath } from '../../../src/targets/launch/on-path.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import type { Bench, BenchContext, Bound, Finding } from '../bench.js';
import { audienceJob } from '../processes/audience.js';
import { MeasuredProcess } from '../processes/child.js';
import type { SenderCommands } from '../processes/sender-child.js';
import type { Stamp, StampsCommands } from '../processes/stamps-child.js';
import { Program } from '../readers/program.js';
import { type EngineName, engineLack, loadOf, wireEngines } from '../readers/reader.js';
import { sideNames } from './readers.js';

/** Describes the errors of stamps against the times of the `send()` calls, in milliseconds. */
export interface StampErrors {
  /** Distance of exact stamps from their `send()` call, or of all stamps of a reader without exact ones. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  exact: number;
  of: number;
  /** Counts the intervals that do not reach the `send()` call. */
  missed: number;
}

/** Two processes read the origin of their clocks with a difference of some hundred nanoseconds. */
const clocksApartNs = 1000;

/** Compares stamps with the times before and after each `send()`, in turn, by sequence number. */
export function stampErrors(stamps: readonly Stamp[], sendNs: readonly number[]): StampErrors {
  const errorOf = ({ sequence, receivedAtNs }: Stamp): number => {
    const [beforeNs, afterNs] = [sendNs[2 * sequence] as number, sendNs[2 * sequence + 1] as number];
    return Math.max(0, receivedAtNs - afterNs, beforeNs - receivedAtNs) / 1e6;
  };
  const isMissed = ({ sequence, notBeforeNs, receivedAtNs }: Stamp): boolean =>
    notBeforeNs > (sendNs[2 * sequence + 1] as number) + clocksApartNs ||
    receivedAtNs < (sendNs[2 * sequence] as number) - clocksApartNs;
  const exact = stamps.filter(({ notBeforeNs, receivedAtNs }) => notBeforeNs === receivedAtNs);
  const errors = (exact.length > 0 ? exact : stamps).map(errorOf).sort((a, b) => a - b);
  const at = (share: number): number => (errors.length === 0 ? Number.NaN : quantileSorted(errors, share));
  return {
    ...{ p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) },
    exact: exact.length,
    of: stamps.length,
    missed: stamps.filter(isMissed).length,
  };
}

const clients = 500;
const everyMs = 1;
const frames = { full: 10_000, quick: 1000 };
const payloadBytes = 200;
const block = { blockMs: 50, everyMs: 200 };
const milliseconds = (ms: number): string => `${ms.toFixed(3)} ms`;

/** Holds the disturbances during the reading of the stamps. */
const troubles = {
  blocked: `JS loop blocked ${block.blockMs} of ${block.everyMs} ms`,
  competitor: 'a competitor on the core',
} as const;

type Trouble = keyof typeof troubles;

interface Bounds {
  error: Bound;
  missed: Bound;
}

const bounds: Record<Trouble, Bounds> = {
  blocked: boundsWith(troubles.blocked),
  competitor: boundsWith(troubles.competitor),
};

function boundsWith(trouble: string): Bounds {
  return {
    error: { what: `p99 error of exact stamps, ${trouble}`, atMost: 0.1, print: milliseconds },
    missed: { what: `intervals without the truth, ${trouble}`, atMost: 0, print: String },
  };
}

/**
 * Compares the stamps of both engines with the times of a server's `send()` calls, while JavaScript or the core is
 * busy.
 */
export const engineStamps: Bench = {
  name: 'engine-stamps',
  bounds: Object.values(bounds).flatMap(({ error, missed }) => [error, missed]),
  async run(context) {
    const findings: Finding[] = [];
    for (const trouble of Object.keys(troubles) as Trouble[]) {
      const { error, missed } = bounds[trouble];
      for (const engine of wireEngines) {
        const lack = (await engineLack(engine)) ?? lackOfTrouble(trouble);
        if (lack !== undefined) {
          if (engine === 'native') findings.push({ bound: error, lack }, { bound: missed, lack });
          continue;
        }
        const errors = await measure(engine, trouble, context);
        const detail = inWords(errors);
        context.say(`  ${sideNames[engine]}, ${troubles[trouble]}: p99 ${milliseconds(errors.p99Ms)}, ${detail}`);
        if (engine === 'native') {
          const value = errors.exact > 0 ? errors.p99Ms : Number.NaN;
          findings.push({ bound: error, value, detail }, { bound: missed, value: errors.missed, detail: '' });
        } else findings.push({ what: `  ${sideNames[engine]}`, measured: milliseconds(errors.p99Ms), detail });
      }
    }
    return findings;
  },
};

function inWords({ p50Ms, maxMs, exact, of, missed }: StampErrors): string {
  const errors = `p50 ${milliseconds(p50Ms)}, max ${milliseconds(maxMs)}`;
  return `${errors}; ${exact} of ${of} exact, ${missed} intervals without the truth`;
}

/** Returns the reason why a disturbance can't be made on this machine. */
function lackOfTrouble(trouble: Trouble): string | undefined {
  if (trouble === 'blocked') return undefined;
  if (availableParallelism() < 2) return 'needs two cores: the sender has the other one';
  return onPath('taskset') === undefined ? 'needs taskset: apt-get install util-linux' : undefined;
}

async function measure(engine: EngineName, trouble: Trouble, { isQuick, signal }: BenchContext): Promise<StampErrors> {
  const sender = new MeasuredProcess<SenderCommands>('bench-rig/processes/sender-child.js', signal);
  const reader = new MeasuredProcess<StampsCommands>('bench-rig/processes/stamps-child.js', signal);
  let competitor: Program | undefined;
  try {
    const job = jobAt(await sender.ask('port'), engine);
    await reader.ask('open', job);
    if (trouble === 'blocked') await reader.ask('block', block);
    else competitor = await compete(reader.pid, signal);
    const count = isQuick ? frames.quick : frames.full;
    const sendNs = await sender.ask('send', { runId: job.runId, payloadBytes, frames: count, everyMs });
    const stamps = await reader.ask('stamps', count);
    if (stamps.length !== count) throw new Error(`${stamps.length} of ${count} frames came`);
    return stampErrors(stamps, sendNs);
  } finally {
    await competitor?.stop('SIGTERM');
    await reader.stop();
    await sender.stop();
  }
}

/** Returns the job for a server that is no target and only sends. */
function jobAt(port: number, engine: EngineName): JobRequest {
  const address = { host: '127.0.0.1', port };
  const target = targetByName('ws')!;
  const server: Pick<RunningTarget, 'target' | 'endpoints'> = { target, endpoints: target.endpoints(address) };
  return { ...audienceJob(server, 'wire', clients), load: loadOf(engine) };
}

/** Pins all threads of a process to the last core, together with a program that never rests. */
async function compete(pid: number, signal: AbortSignal): Promise<Program> {
  const core = String(availableParallelism() - 1);
  await promisify(execFile)('taskset', ['--all-tasks', '--pid', '--cpu-list', core, String(pid)]);
  const endless = 'while :; do :; done';
  return new Program('competitor', ['taskset', '--cpu-list', core, 'sh', '-c', endless], signal);
}
