import { ProblemError, problem } from '../contract/problems.js';
import { freePort } from '../targets/address.js';
import { application } from '../targets/application.js';
import { startTarget } from '../targets/process.js';
import { TargetStartError } from '../targets/start-error.js';
import { inTurn } from './in-turn.js';
import type { LiveTarget } from './start-target.js';
import { Supervised } from './supervised.js';

const host = '127.0.0.1';

/**
 * Starts an application of so many processes before a target that serves: publishes go through it, and a restart is the application's alone. Throws
 * `ProblemError`, with the target stopped, when it can't be started.
 */
export async function withApplication(target: LiveTarget, count: number): Promise<LiveTarget> {
  const nodes = await startNodes(target, count).catch(async (error: unknown) => {
    await target.stop();
    if (!(error instanceof TargetStartError)) throw error;
    throw new ProblemError([problem('targetFailed', `the application: ${error.why}`, error.hint)]);
  });
  const urlOf = (node: Supervised): string => node.running.endpoints.publishUrl;
  const [first, ...others] = nodes;
  return {
    wsUrls: target.wsUrls,
    publishUrls: [urlOf(first), ...others.map(urlOf)],
    publishHeaders: {},
    gone: Promise.race([target.gone, ...nodes.map((node) => node.gone)]),
    get sights() {
      return target.sights;
    },
    async restart(order, over) {
      const { signal, downMs } = order;
      const each = nodes.map((node) => () => node.restart(signal, { downMs, over }));
      return { nodes: nodes.length, replacedNodes: await inTurn(each, order, over) };
    },
    async describe(client) {
      const described = await target.describe(client);
      const settings = { ...described.settings, application: 'standalone', applicationNodes: nodes.length };
      return { ...described, publishUrl: urlOf(first), settings };
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await target.stop();
    },
  };
}

/** Each on a port of its own that it can have again. */
async function startNodes(target: LiveTarget, count: number): Promise<[Supervised, ...Supervised[]]> {
  const program = application(target.publishUrls[0]);
  const start = async (): Promise<Supervised> =>
    new Supervised('application', await startTarget(program, { host, port: await freePort(host) }));
  const nodes: [Supervised, ...Supervised[]] = [await start()];
  try {
    while (nodes.length < count) nodes.push(await start());
  } catch (error) {
    await Promise.all(nodes.map((node) => node.stop()));
    throw error;
  }
  return nodes;
}
