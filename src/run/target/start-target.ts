import { ProblemError, problem } from '../../contract/problems.js';
import { withoutSecretValues } from '../../options/option.js';
import { protocolOptions } from '../../protocols/list.js';
import { freePort } from '../../targets/launch/address.js';
import { type StartOptions, startTarget } from '../../targets/launch/process.js';
import { TargetStartError } from '../../targets/launch/start-error.js';
import { fetchStats, furtherProcesses, replaceProcess } from '../../targets/launch/stats.js';
import { withoutSecrets } from '../../units/urls.js';
import { withApplication } from './application-processes.js';
import { inTurn } from './in-turn.js';
import type { LiveTarget } from './live-target.js';
import type { PlannedTarget } from './planned-target.js';
import { restartBrought } from './restart-brought.js';
import type { Redeployment, RestartOrder } from './restart-options.js';
import { Supervised } from './supervised.js';

const host = '127.0.0.1';

/** Starts a target of ours, with an application before it where that is to be redeployed, or takes one that runs already. Throws `ProblemError` when it can't be started here. */
export async function startPlanned(
  planned: PlannedTarget,
  { processes, redeployment }: { processes: number; redeployment: Redeployment | undefined },
): Promise<LiveTarget> {
  if (!planned.isOurs) return takeBrought(planned);
  const { options } = planned;
  if (!redeployment) return startOurs(planned, { host, processes, options });
  const { application, applicationProcesses, isRolling, downMs } = redeployment;
  if (application === 'standalone') {
    return withApplication(await startOurs(planned, { host, processes, options }), applicationProcesses);
  }
  const isReviving = isRolling && processes > 1;
  // Of a server that chose its port itself, connections in TIME_WAIT can keep the next one from it: not every library asks for SO_REUSEADDR then.
  const [port, ...furtherPorts] = await freePorts(isReviving ? processes + 1 : processes);
  return startOurs(planned, {
    ...{ host, port, furtherPorts, processes, options },
    ...(isReviving && { reviveAfterMs: downMs }),
  });
}

/** One after the other, or one could be named twice. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(host));
  return [...ports];
}

async function startOurs(
  planned: Extract<PlannedTarget, { isOurs: true }>,
  options: StartOptions,
): Promise<LiveTarget> {
  const { processes = 1, reviveAfterMs } = options;
  const available = await planned.target.availability();
  if (!available.isAvailable) {
    throw new ProblemError([problem('targetUnavailable', `${planned.name}: ${available.why}`, available.hint)]);
  }
  const running = await startTarget(planned.target, options).catch((error: unknown) => {
    if (!(error instanceof TargetStartError)) throw error;
    throw new ProblemError([problem('targetFailed', `${planned.name}: ${error.why}`, error.hint)]);
  });
  const supervised = new Supervised('target', running);
  const { endpoints } = running;
  /** Each further process is ended by itself; the first, which holds no clients, has it revived. */
  const replaceEach = async (order: RestartOrder, over: AbortSignal): Promise<number> => {
    const { statsUrl } = endpoints;
    if (statsUrl === undefined) throw new Error('it has no stats that name its processes');
    const each = (await furtherProcesses(statsUrl)).map((process) => async () => {
      await replaceProcess(statsUrl, process, { ...order, over });
      return 1;
    });
    return inTurn(each, order, over);
  };
  return {
    wsUrls: endpoints.wsUrls,
    publishUrls: [endpoints.publishUrl],
    inProcessUrl: endpoints.inProcessUrl,
    publishHeaders: {},
    get sights() {
      return { pid: supervised.running.pid, statsUrl: endpoints.statsUrl, metricsUrl: endpoints.metricsUrl };
    },
    gone: supervised.gone,
    async restart(order, over) {
      const { signal, downMs } = order;
      const isEach = reviveAfterMs !== undefined && order.isRolling;
      const replaced = isEach ? await replaceEach(order, over) : await supervised.restart(signal, { downMs, over });
      return { replacedTargets: replaced };
    },
    describe: async (client) => {
      const { versions, settings } = supervised.running;
      return {
        name: planned.name,
        protocol: planned.protocol,
        client,
        wsUrl: endpoints.wsUrl,
        publishUrl: endpoints.publishUrl,
        isOurs: true,
        versions,
        settings: processes > 1 ? { ...settings, processes } : settings,
      };
    },
    stop: () => supervised.stop(),
  };
}

function takeBrought(planned: Extract<PlannedTarget, { isOurs: false }>): LiveTarget {
  const { name, protocol, protocolOptions: ofProtocol, wsUrl, publishUrl, inProcessUrl } = planned;
  const { publishHeaders, statsUrl, metricsUrl, railway, restart } = planned;
  return {
    wsUrls: [wsUrl],
    publishUrls: [publishUrl],
    inProcessUrl,
    publishHeaders,
    gone: new Promise<string>(() => undefined),
    sights: { statsUrl, metricsUrl, railway },
    async restart(_order, over) {
      if (!restart) throw new Error('nobody said how to restart it');
      await restartBrought(restart, over);
      return {};
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
        settings: { ...stats?.settings, ...withoutSecretValues(protocolOptions, ofProtocol) },
      };
    },
    stop: async () => undefined,
  };
}
