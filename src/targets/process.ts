import { freePort, isTaken } from './address.js';
import { Child, type Exit } from './child.js';
import { Readiness } from './readiness.js';
import { TargetStartError } from './start-error.js';
import { fetchStats } from './stats.js';
import type { Endpoints, Target } from './target.js';

/** A target that serves, as a process that we started. */
export interface RunningTarget {
  target: Target;
  pid: number;
  endpoints: Endpoints;
  /** Names and versions of what runs in it. */
  versions: Record<string, string>;
  /** Settings that differ from the defaults of its library. */
  settings: Record<string, unknown>;
  /** Resolves, and never rejects, when the process is gone. */
  exited: Promise<Exit>;
  /** The last lines of its log: stderr, and stdout where the target logs there. */
  stderrTail(): string[];
  /** SIGTERM, then SIGKILL after 3 s; resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Where a target is to serve; without a port it gets a free one. `env` is added to its environment. */
export interface StartOptions {
  host: string;
  port?: number | undefined;
  env?: Record<string, string> | undefined;
}

/** Starts a target and waits until it serves, at most 15 s. Throws `TargetStartError`, with nothing left running. */
export async function startTarget(target: Target, { host, port, env = {} }: StartOptions): Promise<RunningTarget> {
  const availability = await target.availability();
  if (!availability.isAvailable)
    throw new TargetStartError(`${target.name} is not available: ${availability.why}`, availability.hint);
  // A target with stats keeps the contract of servers/README.md: it takes port 0 and says on stdout which port that became.
  const hasStats = target.endpoints({ host, port: port ?? 0 }).statsUrl !== undefined;
  if (port !== undefined) await refuseTakenPort(target, host, port);
  const wanted = port ?? (hasStats ? 0 : await freePort(host));
  const child = new Child(target.start({ host, port: wanted }), env, !hasStats);
  try {
    const readiness = new Readiness(target.name, child);
    const endpoints = target.endpoints({ host, port: hasStats ? await readiness.announcedPort() : wanted });
    await readiness.healthy(endpoints.healthUrl);
    const stats = endpoints.statsUrl === undefined ? undefined : await readiness.ownStats(endpoints.statsUrl);
    return {
      target,
      pid: child.pid!,
      endpoints,
      versions: stats?.versions ?? { [target.name]: availability.version },
      settings: { ...target.settings, ...stats?.settings },
      exited: child.exited,
      stderrTail: () => child.tail(),
      stop: async () => void (await child.stop()),
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** Not every server refuses a port that another one has: some would share it in silence. */
async function refuseTakenPort(target: Target, host: string, port: number): Promise<void> {
  if (port === 0 || !(await isTaken(host, port))) return;
  const { statsUrl } = target.endpoints({ host, port });
  const pid = statsUrl === undefined ? undefined : await pidBehind(statsUrl);
  const holder = pid === undefined ? 'another program' : `process ${pid}`;
  throw new TargetStartError(
    `${target.name} can't have port ${port} of ${host}: ${holder} listens there`,
    'Stop what listens there, or choose another port.',
  );
}

/** Undefined where whatever listens is no target with stats. */
async function pidBehind(statsUrl: string): Promise<number | undefined> {
  return fetchStats(statsUrl).then(
    ({ pid }) => pid,
    () => undefined,
  );
}
