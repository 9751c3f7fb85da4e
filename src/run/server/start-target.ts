import { problemError } from '../../contract/problems.js';
import { withoutSecretValues } from '../../options/option.js';
import { protocolOptions } from '../../protocols/list.js';
import type { RunResult } from '../../results/result.js';
import { type RunningTarget, type StartOptions, startTarget } from '../../targets/launch/process.js';
import { freePort, TargetStartError } from '../../targets/launch/readiness.js';
import { fetchStats, furtherProcesses, replaceProcess } from '../../targets/launch/stats.js';
import { application } from '../../targets/list.js';
import { fewestProcesses } from '../../targets/target.js';
import { withoutSecrets } from '../../units/addresses.js';
import { moduleOfProtocol } from '../flow/read-protocols.js';
import type { PlannedTarget } from './planned.js';
import { inTurn, type Redeployment, type Restartable, type RestartOrder, restartExternal } from './restart.js';
import { Supervised } from './supervised.js';

type DescribedTarget = RunResult['target'];

/** A running target: a managed one until `stop`, or an external one. */
export interface LiveTarget extends Restartable {
  wsUrls: readonly string[];
  /** Addresses at which the target, or the application in front of it, accepts publishes. */
  publishUrls: readonly [string, ...string[]];
  inProcessUrl?: string | undefined;
  publishHeaders: Record<string, string>;
  /** Resolves with the reason when a managed target ends outside a restart; otherwise never. */
  gone: Promise<string>;
  describe(client: string): Promise<DescribedTarget>;
  stop(): Promise<void>;
}

const host = '127.0.0.1';

interface StartWays {
  processes?: number;
  redeployment: Redeployment | undefined;
  /** Version of a managed target, from `availableVersion`; read anew if undefined. */
  version?: string | undefined;
}

/** Returns the version of a managed target. Throws `ProblemError` if it is not available. */
export async function availableVersion(planned: PlannedTarget): Promise<string | undefined> {
  if (!planned.isOurs) return undefined;
  const available = await planned.target.availability();
  if (available.isAvailable) return available.version;
  throw problemError('targetUnavailable', `${planned.name}: ${available.why}`, available.hint);
}

/** Starts a managed target, or connects to an external one. Throws `ProblemError`. */
export async function startPlanned(planned: PlannedTarget, ways: StartWays): Promise<LiveTarget> {
  if (!planned.isOurs) return takeExternal(planned);
  const { processes = fewestProcesses(planned.target), redeployment } = ways;
  const version = ways.version ?? (await availableVersion(planned));
  const common = { host, processes, options: planned.options, version };
  if (!redeployment) return startManaged(planned, common);
  const { application, applicationProcesses, isRolling, downMs } = redeployment;
  if (application === 'standalone') return withApplication(await startManaged(planned, common), applicationProcesses);
  const isReviving = isRolling && processes > 1;
  // Connections in TIME_WAIT can block a port that a server chose itself. Not every library sets SO_REUSEADDR then.
  const ports = new Set<number>();
  while (ports.size < (isReviving ? processes + 1 : processes)) ports.add(await freePort(host));
  const [port, ...furtherPorts] = ports;
  return startManaged(planned, { ...common, port, furtherPorts, ...(isReviving && { reviveAfterMs: downMs }) });
}

/** Rejects with a `ProblemError` if the start fails. */
async function started(name: string, starting: Promise<RunningTarget>): Promise<RunningTarget> {
  return starting.catch((error: unknown) => {
    if (!(error instanceof TargetStartError)) throw error;
    throw problemError('targetFailed', `${name}: ${error.why}`, error.hint);
  });
}

async function startManaged(
  planned: Extract<PlannedTarget, { isOurs: true }>,
  options: StartOptions,
): Promise<LiveTarget> {
  const { processes = 1, reviveAfterMs } = options;
  const supervised = new Supervised('target', await started(planned.name, startTarget(planned.target, options)));
  const { endpoints } = supervised.running;
  const { wsUrl, wsUrls, publishUrl, inProcessUrl, statsUrl } = endpoints;
  const metricsUrl = planned.metricsUrl ?? endpoints.metricsUrl;
  const shown = planned.target.isBrought ? withoutSecrets : (url: string): string => url;
  /** The first process holds no clients and starts each further process again. */
  const replaceEach = async (order: RestartOrder, over: AbortSignal): Promise<number> => {
    if (statsUrl === undefined) throw new Error('its stats do not name its processes');
    const each = (await furtherProcesses(statsUrl)).map((process) => async () => {
      await replaceProcess(statsUrl, process, { ...order, over });
      return 1;
    });
    return inTurn(each, order, over);
  };
  return {
    wsUrls,
    publishUrls: [publishUrl],
    inProcessUrl,
    publishHeaders: planned.publishHeaders ?? {},
    get sights() {
      return { pid: supervised.running.pid, statsUrl, metricsUrl };
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
      const all = { ...settings, ...(processes > 1 && { processes }) };
      return described(planned, {
        client,
        wsUrl: shown(wsUrl),
        publishUrl: shown(publishUrl),
        versions,
        settings: all,
      });
    },
    stop: () => supervised.stop(),
  };
}

function takeExternal(planned: Extract<PlannedTarget, { isOurs: false }>): LiveTarget {
  const { wsUrl, publishUrl, inProcessUrl, publishHeaders, statsUrl, metricsUrl, restart } = planned;
  return {
    wsUrls: [wsUrl],
    publishUrls: [publishUrl],
    inProcessUrl,
    publishHeaders,
    gone: new Promise<string>(() => undefined),
    sights: { statsUrl, metricsUrl },
    async restart(_order, over) {
      if (!restart) throw new Error('it has no restart command and no webhook');
      await restartExternal(restart, over);
      return {};
    },
    describe: async (client) => {
      // If stats can't be read, the observation's series give the reason and the run continues.
      const stats = statsUrl === undefined ? undefined : await fetchStats(statsUrl).catch(() => undefined);
      const urls = { wsUrl: withoutSecrets(wsUrl), publishUrl: withoutSecrets(publishUrl) };
      return described(planned, { client, ...urls, versions: stats?.versions ?? {}, settings: stats?.settings ?? {} });
    },
    stop: async () => undefined,
  };
}

function described(
  { name, protocol, isOurs, protocolOptions: values = {} }: PlannedTarget,
  { versions, settings, ...more }: Omit<DescribedTarget, 'name' | 'protocol' | 'isOurs'>,
): DescribedTarget {
  const module = moduleOfProtocol(protocol);
  return {
    ...{ name, protocol, isOurs, ...more },
    versions: { ...versions, ...(module && { [module.name]: module.digest.slice(0, 16) }) },
    settings: { ...settings, ...withoutSecretValues(protocolOptions, values) },
  };
}

/** Starts an application of `count` processes in front of a target, which it stops on failure. */
async function withApplication(target: LiveTarget, count: number): Promise<LiveTarget> {
  const processes = await startProcesses(target, count).catch(async (error: unknown) => {
    await target.stop();
    throw error;
  });
  // Publishes are forwarded unchanged. They may be signed for the path of the target.
  const { pathname } = new URL(target.publishUrls[0]);
  const urlOf = (each: Supervised): string => new URL(pathname, each.running.endpoints.publishUrl).href;
  const [first, ...others] = processes;
  return {
    wsUrls: target.wsUrls,
    publishUrls: [urlOf(first), ...others.map(urlOf)],
    publishHeaders: {},
    gone: Promise.race([target.gone, ...processes.map((each) => each.gone)]),
    get sights() {
      return target.sights;
    },
    async restart(order, over) {
      const { signal, downMs } = order;
      const each = processes.map((each) => () => each.restart(signal, { downMs, over }));
      return { applicationProcesses: processes.length, replacedProcesses: await inTurn(each, order, over) };
    },
    async describe(client) {
      const described = await target.describe(client);
      const settings = { ...described.settings, application: 'standalone', applicationProcesses: processes.length };
      return { ...described, publishUrl: urlOf(first), settings };
    },
    async stop() {
      await Promise.all(processes.map((each) => each.stop()));
      await target.stop();
    },
  };
}

async function startProcesses(target: LiveTarget, count: number): Promise<[Supervised, ...Supervised[]]> {
  const program = application(target.publishUrls[0]);
  const start = async (): Promise<Supervised> =>
    new Supervised(
      'application',
      await started('the application', startTarget(program, { host, port: await freePort(host) })),
    );
  const processes: [Supervised, ...Supervised[]] = [await start()];
  try {
    while (processes.length < count) processes.push(await start());
  } catch (error) {
    await Promise.all(processes.map((each) => each.stop()));
    throw error;
  }
  return processes;
}
