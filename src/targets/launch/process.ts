import { setTimeout as delay } from 'node:timers/promises';
import { type Endpoints, fewestProcesses, type StartSettings, type Target, type TargetStats } from '../target.js';
import { Child, type Exit } from './child.js';
import { freePort, isPortTaken, Readiness, TargetStartError } from './readiness.js';
import { fetchStats } from './stats.js';

/** Longest wait for a start. A process that ends is noticed at once, so only one that hangs takes this long. */
const servesWithinMs = 60_000;
/** Further wait per process, as processes of a target start a few at a time. */
const furtherWithinMs = 2_000;

/** A managed target that serves. */
export interface RunningTarget {
  target: Target;
  /** Pid of the first process. */
  pid: number;
  /** Every process that serves clients, in the order of `endpoints.wsUrls`. */
  pids: number[];
  endpoints: Endpoints;
  versions: Record<string, string>;
  settings: Record<string, unknown>;
  /** Resolves, and never rejects, when the first process is gone. The first process ends if another one dies. */
  exited: Promise<Exit>;
  stderrTail(): string[];
  /** Sends SIGTERM to the first, which ends the others, and SIGKILL to all after 3 s. */
  stop(): Promise<void>;
  /** Ends the target and starts it on the same ports. SIGKILL ends all processes at once. Throws `TargetStartError`. */
  restart(signal: 'SIGTERM' | 'SIGKILL', away?: Away): Promise<RunningTarget>;
}

/** Describes how long a target stays down before its next start, 0 by default. `over` cuts that short. */
export interface Away {
  downMs?: number;
  over?: AbortSignal;
}

/** Options of a start. `reviveAfterMs` adds a first process, which holds no clients and revives the others. */
export interface StartOptions extends StartSettings {
  host: string;
  port?: number | undefined;
  env?: Record<string, string> | undefined;
  /** Version from its availability, if that was determined before. */
  version?: string | undefined;
}

/**
 * Starts a target if it is available, and waits until it serves: at most 60 s, and 2 s more for each further process.
 * Throws `TargetStartError`, with nothing left running.
 */
export async function startTarget(target: Target, options: StartOptions): Promise<RunningTarget> {
  const { version: known, ...given } = options;
  const { host, port, processes = fewestProcesses(target) } = given;
  refuseProcesses(target, processes);
  const version = known ?? (await availableVersion(target));
  if (port !== undefined) await refuseTakenPort(target, host, port);
  return launch(target, given, version);
}

async function availableVersion(target: Target): Promise<string> {
  const availability = await target.availability();
  if (availability.isAvailable) return availability.version;
  throw new TargetStartError('notAvailable', `${target.name} is not available: ${availability.why}`, availability.hint);
}

async function launch(
  target: Target,
  startOptions: Omit<StartOptions, 'version'>,
  version: string,
): Promise<RunningTarget> {
  const { host, port, env = {}, ...given } = startOptions;
  const { processes = fewestProcesses(target) } = given;
  const isReviving = given.reviveAfterMs !== undefined;
  const all = isReviving ? processes + 1 : processes;
  // A target of ours with stats keeps the contract of servers/README.md: it takes port 0 and prints the port that it
  // got.
  const isOfContract = !target.isBrought && target.endpoints({ host, port: port ?? 0 }).statsUrl !== undefined;
  const wanted = port ?? (isOfContract ? 0 : await freePort(host));
  const settings = { ...given, processes: all };
  const child = new Child(target.start({ host, port: wanted }, settings), env, !isOfContract);
  try {
    const readiness = new Readiness(target.name, child, servesWithinMs + (all - 1) * furtherWithinMs);
    const ports: [number, ...number[]] = isOfContract
      ? await readiness.announcedPorts(portCount(target, all))
      : [wanted];
    const endpoints = target.endpoints({ host, port: ports[0], ports: isReviving ? ports.slice(1) : ports });
    await readiness.healthy(endpoints.healthUrl);
    const stats = isOfContract
      ? await readiness.ownStats(endpoints.statsUrl!, ports, target.ports)
      : await foreignStats(endpoints);
    return {
      target,
      pid: child.pid!,
      pids: stats?.processes?.map(({ pid }) => pid).slice(isReviving ? 1 : 0) ?? [child.pid!],
      endpoints,
      versions: stats?.versions ?? (version === '' ? {} : { [target.name]: version }),
      settings: { ...target.settings, ...stats?.settings },
      exited: child.exited,
      stderrTail: () => child.tail(),
      stop: async () => void (await child.stop()),
      async restart(signal, { downMs = 0, over } = {}) {
        // The number of its process group stays taken until it is reaped.
        if (signal === 'SIGKILL' && !child.isGone) child.signal('SIGKILL');
        await child.stop();
        if (downMs > 0) await delay(downMs, undefined, over && { signal: over }).catch(() => undefined);
        return launch(target, { ...startOptions, port: ports[0], furtherPorts: ports.slice(1) }, version);
      },
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

function portCount({ ports }: Target, processes: number): number {
  if (ports === 'split') return 2;
  return ports === 'shared' ? 1 : processes;
}

/** Returns the stats of a server without the contract, if it has any. Its observation says why there are none. */
async function foreignStats({ statsUrl }: Endpoints): Promise<TargetStats | undefined> {
  return statsUrl === undefined ? undefined : fetchStats(statsUrl).catch(() => undefined);
}

function refuseProcesses(target: Target, processes: number): void {
  const { name, maxProcesses } = target;
  const fewest = fewestProcesses(target);
  if (Number.isInteger(processes) && processes >= fewest && processes <= maxProcesses) return;
  const most = maxProcesses === 1 ? 'one process' : `${fewest} to ${maxProcesses} processes`;
  throw new TargetStartError(
    'wrongProcesses',
    `${name} runs as ${most}, not as ${processes}`,
    `Ask for ${most}, or choose another target.`,
  );
}

/** Throws if the port is taken. Not every server refuses such a port: some would silently share it. */
async function refuseTakenPort(target: Target, host: string, port: number): Promise<void> {
  if (port === 0 || !(await isPortTaken(host, port))) return;
  const { statsUrl } = target.endpoints({ host, port });
  // The listening program may have no stats.
  const stats = statsUrl === undefined ? undefined : await fetchStats(statsUrl).catch(() => undefined);
  const holder = stats === undefined ? 'another program' : `process ${stats.pid}`;
  throw new TargetStartError(
    'portTaken',
    `${target.name} can't have port ${port} of ${host}: ${holder} listens there`,
    'Stop what listens there, or choose another port.',
  );
}
