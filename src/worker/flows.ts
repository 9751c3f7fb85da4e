import { Left } from '../flow/api.js';
import { endedCause } from '../flow/client/waits.js';
import { isOfBundle } from '../flow/module/line.js';
import { UncaughtErrors } from '../flow/module/uncaught-errors.js';
import { type FlowContext, type FlowMeans, flowParts, markerOfRun } from '../flow/parts.js';
import { type FlowParts, FlowRole } from '../flow/role.js';
import { Sockets } from '../flow/sockets/sockets.js';
import { WsSockets } from '../flow/sockets/ws-sockets.js';
import type { UserTime } from '../flow/user-time.js';
import { WebSocket } from '../flow/web-socket/global-web-socket.js';
import type { FlowHooks } from '../scenarios/flow/hooks.js';
import type { Role } from '../scenarios/scenario.js';
import { firstHost, sourceAddresses } from '../units/addresses.js';
import { identitiesOf } from '../units/text.js';
import { chooseEngine, createEngine, type EngineWork } from '../wire/choice.js';
import { compressionOffered } from '../wire/deflate.js';
import type { Users } from './logins.js';
import type { PlainJob } from './messages.js';
import { loadModules } from './modules.js';
import { presets } from './presets.js';

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

/** The job of a worker, the files of its modules, and the users of its clients. */
export interface FlowJob {
  job: PlainJob;
  files: readonly string[];
  users: Users | undefined;
}

/**
 * Makes the role that runs the modules of a job, or the flow that Ringside has for its scenario. Throws `FlowFault` for
 * a module that is no flow.
 */
export async function flowRole(
  context: FlowContext & FlowParts['context'],
  { job, files, users }: FlowJob,
  hooks: FlowHooks = {},
): Promise<Role> {
  const preset = presets[job.scenario];
  if (preset === undefined) provideWebSocket();
  const flows = preset
    ? [{ flow: preset(job, users), name: job.scenario, weight: 1, shared: undefined, namesWebSocket: false }]
    : await loadModules(job, files);
  const targets = job.target.wsUrls.map((url) => new URL(url));
  const { caPem, isInsecure, localAddresses, engine, tlsResume, targetCert, proxy } = job.load;
  const [plain, secure] = [
    await chooseEngine(engine, false),
    await chooseEngine(engine === 'native' ? 'auto' : engine, true),
  ];
  const choiceOf = (isTls: boolean) => (isTls ? secure : plain);
  const { nowNs, clientCount, firstClient } = context;
  const hopAddresses = sourceAddresses(localAddresses, firstHost(targets[0]!, proxy), job.demand.clients);
  const way = {
    ...{ compression: compressionOffered(job.load), tlsResume, proxy },
    identities: identitiesOf(targetCert, clientCount, (client) => firstClient + client),
    ...(proxy !== undefined && { localAddresses: hopAddresses }),
  };
  const isLibrary = job.load.client === 'library';
  const means: FlowMeans = {
    ...{ context, flows, hooks, targets, marker: markerOfRun(job.runId) },
    reach: {
      localAddresses: sourceAddresses(localAddresses, targets[0]!.hostname, job.demand.clients),
      ...{ caPem, isInsecure, targetCert },
    },
    sockets: (sockets) =>
      isLibrary
        ? new WsSockets(sockets, nowNs)
        : new Sockets({
            ...sockets,
            createEngine: (isTls, setup, sink) => createEngine(choiceOf(isTls), { ...setup, ...way }, sink),
          }),
  };
  const parts = { ...flowParts(means), context };
  if (preset === undefined) catchOfUsers(parts);
  const engines = (): EngineWork[] =>
    parts.sockets.stats().map(({ isTls, heldUpNs: _, ...work }) => {
      const { name, why } = { why: undefined, ...choiceOf(isTls) };
      return { name, ...(why !== undefined && { why }), ...work };
    });
  return new FlowRole(parts, engines);
}

/** Counts what users' code throws where nobody catches it. It ends no other client. Our own errors end the worker. */
function catchOfUsers({ context, over, user }: FlowParts): void {
  const caught = (error: unknown): void => {
    user.entered(() => {
      throw error;
    });
  };
  const errors = new UncaughtErrors(context.nowNs, caught, (evidence) =>
    context.giveUp({ code: 'flowStopped', evidence }),
  );
  process.on('unhandledRejection', (error) => {
    // The end of the run ends every wait, those that nobody awaits, too.
    if (!(over.signal.aborted && error instanceof Left && error.cause === endedCause)) errors.take(error);
  });
  process.on('uncaughtException', (error) => {
    if (!isOfBundle(error)) throw error;
    errors.take(error);
  });
  process.exit = () => {
    throw new Error('process.exit: a client of a flow ends with its promise, and others live in its worker');
  };
}
