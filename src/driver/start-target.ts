import { ProblemError, problem } from '../contract/problems.js';
import type { RunResult } from '../contract/result.js';
import { startTarget } from '../targets/process.js';
import { TargetStartError } from '../targets/start-error.js';
import { fetchStats } from '../targets/stats.js';
import { withoutSecrets } from '../units/urls.js';
import type { Sights } from './observe.js';
import type { PlannedTarget } from './plan.js';

/** A target that serves: ours until `stop`, or somebody's. */
export interface LiveTarget {
  wsUrls: readonly string[];
  publishUrl: string;
  publishHeaders: Record<string, string>;
  /** Resolves with how it went when a target that we started ends by itself; never for somebody's. */
  gone: Promise<string>;
  sights: Sights;
  /** As the result names it. */
  describe(client: string): Promise<RunResult['target']>;
  stop(): Promise<void>;
}

/** Starts a target of ours, or takes one that runs already. Throws `ProblemError` when it can't be started here. */
export async function startPlanned(planned: PlannedTarget, processes: number): Promise<LiveTarget> {
  return planned.isOurs ? startOurs(planned, processes) : takeBrought(planned);
}

async function startOurs(planned: Extract<PlannedTarget, { isOurs: true }>, processes: number): Promise<LiveTarget> {
  const available = await planned.target.availability();
  if (!available.isAvailable) {
    throw new ProblemError([problem('targetUnavailable', `${planned.name}: ${available.why}`, available.hint)]);
  }
  const running = await startTarget(planned.target, { host: '127.0.0.1', processes, options: planned.options }).catch(
    (error: unknown) => {
      if (!(error instanceof TargetStartError)) throw error;
      throw new ProblemError([problem('targetFailed', `${planned.name}: ${error.why}`, error.hint)]);
    },
  );
  let isStopping = false;
  const { endpoints } = running;
  return {
    wsUrls: endpoints.wsUrls,
    publishUrl: endpoints.publishUrl,
    publishHeaders: {},
    sights: { pid: running.pid, statsUrl: endpoints.statsUrl, metricsUrl: endpoints.metricsUrl },
    gone: running.exited.then(({ code, signal }) => {
      // Our own stop is no event of the run; the promise then stays open for good.
      if (isStopping) return new Promise<string>(() => undefined);
      return `the target process ${running.pid} ended by itself (${signal ? `signal ${signal}` : `exit code ${code}`})`;
    }),
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
      isStopping = true;
      await running.stop();
    },
  };
}

function takeBrought(planned: Extract<PlannedTarget, { isOurs: false }>): LiveTarget {
  const { name, protocol, wsUrl, publishUrl, publishHeaders, statsUrl, metricsUrl, railway } = planned;
  return {
    wsUrls: [wsUrl],
    publishUrl,
    publishHeaders,
    gone: new Promise<string>(() => undefined),
    sights: { statsUrl, metricsUrl, railway },
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
