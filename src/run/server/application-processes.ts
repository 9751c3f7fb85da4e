import { ProblemError, problem } from '../../contract/problems.js';
import { startTarget } from '../../targets/launch/process.js';
import { freePort } from '../../targets/launch/readiness.js';
import { TargetStartError } from '../../targets/launch/start-error.js';
import { application } from '../../targets/list.js';
import { inTurn, type LiveTarget } from './live-target.js';
import { Supervised } from './supervised.js';

const host = '127.0.0.1';

/** Starts an application of `count` processes in front of a target, which it stops on failure. */
export async function withApplication(target: LiveTarget, count: number): Promise<LiveTarget> {
  const processes = await startProcesses(target, count).catch(async (error: unknown) => {
    await target.stop();
    if (!(error instanceof TargetStartError)) throw error;
    throw new ProblemError([problem('targetFailed', `the application: ${error.why}`, error.hint)]);
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
    new Supervised('application', await startTarget(program, { host, port: await freePort(host) }));
  const processes: [Supervised, ...Supervised[]] = [await start()];
  try {
    while (processes.length < count) processes.push(await start());
  } catch (error) {
    await Promise.all(processes.map((each) => each.stop()));
    throw error;
  }
  return processes;
}
