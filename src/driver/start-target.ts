import { ProblemError, problem } from '../contract/problems.js';
import type { RunResult } from '../contract/result.js';
import { freePort } from '../targets/address.js';
import { type RunningTarget, type StartOptions, startTarget } from '../targets/process.js';
import { TargetStartError } from '../targets/start-error.js';
import { fetchStats } from '../targets/stats.js';
import { withoutSecrets } from '../units/urls.js';
import type { Sights } from './observe.js';
import type { PlannedTarget } from './plan.js';
import { restartBrought } from './restart-brought.js';

const host = '127.0.0.1';

/** A target that serves: ours until `stop`, or somebody's. */
export interface LiveTarget {
  wsUrls: readonly string[];
  publishUrl: string;
  publishHeaders: Record<string, string>;
  /** Resolves with how it went when a target that we started ends by itself, and in no restart; never for somebody's. */
  gone: Promise<string>;
  /** After a restart, those of the new process. */
  readonly sights: Sights;
  /**
   * Ends the target, ours by that signal, and has it serve again at the same addresses. Rejects with an Error that says why it does not; `over` ends
   * what still goes on beside us when the run does.
   */
  restart(signal: 'SIGTERM' | 'SIGKILL', over: AbortSignal): Promise<void>;
  /** As the result names it. */
  describe(client: string): Promise<RunResult['target']>;
  stop(): Promise<void>;
}

/** Starts a target of ours, or takes one that runs already. Throws `ProblemError` when it can't be started here. */
export async function startPlanned(
  planned: PlannedTarget,
  { processes, isToBeRestarted }: { processes: number; isToBeRestarted: boolean },
): Promise<LiveTarget> {
  if (!planned.isOurs) return takeBrought(planned);
  // Of a server that chose its port itself, connections in TIME_WAIT can keep the next one from it: not every library asks for SO_REUSEADDR then.
  const port = isToBeRestarted ? await freePort(host) : undefined;
  return startOurs(planned, { host, port, processes, options: planned.options });
}

async function startOurs(
  planned: Extract<PlannedTarget, { isOurs: true }>,
  options: StartOptions,
): Promise<LiveTarget> {
  const { processes = 1 } = options;
  const available = await planned.target.availability();
  if (!available.isAvailable) {
    throw new ProblemError([problem('targetUnavailable', `${planned.name}: ${available.why}`, available.hint)]);
  }
  let running = await startTarget(planned.target, options).catch((error: unknown) => {
    if (!(error instanceof TargetStartError)) throw error;
    throw new ProblemError([problem('targetFailed', `${planned.name}: ${error.why}`, error.hint)]);
  });
  let isEnding = false;
  let restarting: Promise<void> = Promise.resolve();
  let tellGone: (how: string) => void = () => undefined;
  const gone = new Promise<string>((resolve) => {
    tellGone = resolve;
  });
  const look = ({ pid, exited }: RunningTarget): void => {
    void exited.then(({ code, signal }) => {
      // Our own stop and restart are no events of the run.
      if (isEnding) return;
      tellGone(`the target process ${pid} ended by itself (${signal ? `signal ${signal}` : `exit code ${code}`})`);
    });
  };
  look(running);
  const restart = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    isEnding = true;
    running = await running.restart(signal);
    isEnding = false;
    look(running);
  };
  const { endpoints } = running;
  return {
    wsUrls: endpoints.wsUrls,
    publishUrl: endpoints.publishUrl,
    publishHeaders: {},
    get sights() {
      return { pid: running.pid, statsUrl: endpoints.statsUrl, metricsUrl: endpoints.metricsUrl };
    },
    gone,
    restart(signal) {
      const restarted = restart(signal);
      restarting = restarted.catch(() => undefined);
      return restarted;
    },
    describe: async (client) => ({
      name: planned.name,
      protocol: planned.protocol,
      client,
      wsUrl: endpoints.wsUrl,
      publishUrl: endpoints.publishUrl,
      isOurs: true,
      versions: running.versions,
      settings: processes > 1 ? { ...running.settings, processes } : running.settings,
    }),
    stop: async () => {
      isEnding = true;
      // A restart that is under way brings a process that must be stopped, too.
      await restarting;
      isEnding = true;
      await running.stop();
    },
  };
}

function takeBrought(planned: Extract<PlannedTarget, { isOurs: false }>): LiveTarget {
  const { name, protocol, wsUrl, publishUrl, publishHeaders, statsUrl, metricsUrl, railway, restart } = planned;
  return {
    wsUrls: [wsUrl],
    publishUrl,
    publishHeaders,
    gone: new Promise<string>(() => undefined),
    sights: { statsUrl, metricsUrl, railway },
    async restart(_signal, over) {
      if (!restart) throw new Error('nobody said how to restart it');
      await restartBrought(restart, over);
    },
    describe: async (client) => {
      // What can't be read here is told by the observation's series; the run is not lost for it.
      const stats = statsUrl === undefined ? undefined : await fetchStats(statsUrl).catch(() => undefined);
      return {
        name,
        protocol,
        client,
        wsUrl: withoutSecrets(wsUrl),
        publishUrl: withoutSecrets(publishUrl),
        isOurs: false,
        versions: stats?.versions ?? {},
        settings: stats?.settings ?? {},
      };
    },
    stop: async () => undefined,
  };
}
