import { WebSocket } from '../flow/global-web-socket.js';
import { type FlowMeans, flowParts, markerOfRun } from '../flow/parts.js';
import { FlowRole } from '../flow/role.js';
import { Sockets } from '../flow/sockets.js';
import type { UserTime } from '../flow/user-time.js';
import { WsSockets } from '../flow/ws-sockets.js';
import type { FlowOptions } from '../scenarios/flow/options.js';
import type { AudienceContext, Role } from '../scenarios/scenario.js';
import { sourceAddresses } from '../units/addresses.js';
import { chooseEngine, createEngine, type EngineWork } from '../wire/choice.js';
import type { PlainJob } from './messages.js';
import { loadModules } from './modules.js';

/** Lets libraries find the class of their client. Call it before modules load, as some look for it at once. */
export function provideWebSocket(): void {
  globalThis.WebSocket = WebSocket;
}

/**
 * Catches rejections that nobody awaits. They are errors of the user's code, and end no other client. Returns what ends
 * it.
 */
export function catchRejections(user: UserTime): () => void {
  const caught = (error: unknown): void =>
    user.entered(() => {
      throw error;
    });
  process.on('unhandledRejection', caught);
  return () => void process.off('unhandledRejection', caught);
}

/** Loads the modules of a job and makes the role that runs them. Throws `FlowFault` for a module that is no flow. */
export async function flowRole(
  context: AudienceContext<FlowOptions>,
  job: PlainJob,
  files: readonly string[],
): Promise<Role> {
  provideWebSocket();
  const flows = await loadModules(job, files);
  const targets = job.target.wsUrls.map((url) => new URL(url));
  const { caPem, isInsecure, localAddresses, engine } = job.load;
  const [plain, secure] = [await chooseEngine(engine, false), await chooseEngine('auto', true)];
  const choiceOf = (isTls: boolean) => (isTls ? secure : plain);
  const { nowNs } = context;
  const isLibrary = job.load.client === 'library';
  const means: FlowMeans = {
    ...{ context, flows, targets, marker: markerOfRun(job.runId) },
    reach: {
      localAddresses: sourceAddresses(localAddresses, targets[0]!.hostname, job.demand.clients),
      caPem,
      isInsecure,
    },
    sockets: (sockets) =>
      isLibrary
        ? new WsSockets(sockets, nowNs)
        : new Sockets({ ...sockets, createEngine: (isTls, setup, sink) => createEngine(choiceOf(isTls), setup, sink) }),
  };
  const parts = flowParts(means);
  catchRejections(parts.user);
  const engines = (): EngineWork[] =>
    parts.sockets.stats().map(({ isTls, heldUpNs: _, ...work }) => {
      const { name, why } = { why: undefined, ...choiceOf(isTls) };
      return { name, ...(why !== undefined && { why }), ...work };
    });
  return new FlowRole({ ...parts, context }, engines);
}
