import { readFile } from 'node:fs/promises';
import { type Flow, Left } from '../flow/api.js';
import { type GameEntry, gameFlow } from '../flow/game.js';
import { loadFlow } from '../flow/module/load-flow.js';
import { type FlowMeans, flowWorker, markerOfRun, type SharedFlow } from '../flow/parts.js';
import { FlowRole } from '../flow/role.js';
import { EngineSockets } from '../flow/sockets/engine-sockets.js';
import { WsSockets } from '../flow/sockets/ws-sockets.js';
import { isOfBundle, UncaughtErrors, type UncaughtMeans } from '../flow/user-code.js';
import { namesWebSocket, WebSocket } from '../flow/web-socket/global-web-socket.js';
import { completeAddress, upgradeTo } from '../protocols/client-options.js';
import { protocolWith } from '../protocols/list.js';
import { dialectOf } from '../protocols/socketio/packet.js';
import type { FlowHooks } from '../scenarios/flow/options.js';
import type { GameOptions } from '../scenarios/game/role.js';
import type { Role } from '../scenarios/scenario.js';
import { firstHost, sourceAddresses } from '../units/addresses.js';
import { filledUpgrade, jsonEscaped, numberOnly, withSlots } from '../units/slots.js';
import { identitiesOf } from '../units/text.js';
import { chooseEngine, createEngine, type EngineWork } from '../wire/choice.js';
import { compressionOffered } from '../wire/deflate.js';
import type { Users } from './logins.js';
import type { PlainJob } from './messages.js';

/** Lets libraries find the class of their client. Call it before modules load, as some look for it at once. */
export function provideWebSocket(): void {
  globalThis.WebSocket = WebSocket;
}

/** Takes rejections that nobody awaits. They end no other client. Returns what ends it. */
export function catchRejections(means: UncaughtMeans): () => void {
  const errors = new UncaughtErrors(means, () => undefined);
  const rejected = (error: unknown): void => errors.rejected(error);
  process.on('unhandledRejection', rejected);
  return () => void process.off('unhandledRejection', rejected);
}

/** The job of a worker, the files of its modules, and the users of its clients. */
export interface FlowJob {
  job: PlainJob;
  files: readonly string[];
  users: Users | undefined;
}

/** Makes the role that runs the modules of a job, or the scenario's own flow. Throws `FlowFault`. */
export async function flowRole(
  context: FlowMeans['context'] & ConstructorParameters<typeof FlowRole>[1],
  { job, files, users }: FlowJob,
  hooks: FlowHooks = {},
): Promise<Role> {
  const preset = presets[job.scenario];
  if (preset === undefined) provideWebSocket();
  const flows = preset
    ? [{ flow: preset(job, users), name: job.scenario, weight: 1, shared: undefined, namesWebSocket: false }]
    : await loadModules(job, files);
  const targets = job.target.wsUrls.map((url) => new URL(url));
  const { caPem, isInsecure, localAddresses, engine, tlsResume, targetCert, proxy, clientsPerHttp2 } = job.load;
  const [plain, secure] = [
    await chooseEngine(engine, false),
    await chooseEngine(engine === 'native' ? 'auto' : engine, true),
  ];
  const choiceOf = (isTls: boolean) => (isTls ? secure : plain);
  const { nowNs, clientCount, firstClient } = context;
  const hopAddresses = sourceAddresses(localAddresses, firstHost(targets[0]!, proxy), job.demand.clients);
  const way = {
    ...{ compression: compressionOffered(job.load), tlsResume, proxy, clientsPerHttp2 },
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
        : new EngineSockets({
            ...sockets,
            createEngine: (isTls, setup, sink) => createEngine(choiceOf(isTls), { ...setup, ...way }, sink),
          }),
  };
  const worker = flowWorker(means);
  if (preset === undefined)
    catchOfUsers(new UncaughtErrors(worker, (evidence) => context.giveUp({ code: 'flowStopped', evidence })));
  const engines = (): EngineWork[] =>
    worker.sockets.stats().map(({ isTls, heldUpNs: _, ...work }) => {
      const { name, why } = { why: undefined, ...choiceOf(isTls) };
      return { name, ...(why !== undefined && { why }), ...work };
    });
  return new FlowRole(worker, context, engines);
}

/** Counts what users' code throws where nobody catches it. It ends no other client. Our own errors end the worker. */
function catchOfUsers(errors: UncaughtErrors): void {
  process.on('unhandledRejection', (error) => errors.rejected(error));
  process.on('uncaughtException', (error) => {
    if (!isOfBundle(error)) throw error;
    errors.thrown(error);
  });
  process.exit = () => {
    throw new Error('process.exit: a client of a flow ends with its promise, and others live in its worker');
  };
}

/** Makes the flow of a scenario that is one of ours. */
type Preset = (job: PlainJob, users: Users | undefined) => Flow;

/** Flows of our own, by the names of their scenarios. */
export const presets: Readonly<Record<string, Preset>> = {
  game: (job, users) => gameFlow(job.options as GameOptions, entriesOf(job, users), job.load.subscribeTimeoutMs),
};

/** Returns how each client reaches a Socket.IO server. The function throws `Left` for one that can't. */
function entriesOf({ protocol: name, protocolOptions, target }: PlainJob, users: Users | undefined) {
  const protocol = protocolWith(name, protocolOptions);
  if (!protocol) throw new Error(`no protocol ${name}: a parsed job names one of the list`);
  const { namespace, auth = '' } = dialectOf(protocolOptions);
  const prefix = namespace === '/' ? '' : `${namespace},`;
  const addresses = target.wsUrls.map((url) =>
    upgradeTo(completeAddress(protocol, url, protocolOptions), protocolOptions),
  );
  return (client: number): GameEntry => {
    const failure = users?.failureOf(client);
    if (failure !== undefined) throw new Left(failure);
    const values = users?.valuesOf(client) ?? numberOnly(client);
    const { subprotocols, ...upgrade } = filledUpgrade(addresses[client % addresses.length]!, values);
    return { ...upgrade, protocols: subprotocols, prefix, hello: `40${prefix}${withSlots(auth, values, jsonEscaped)}` };
  };
}

/** Imports the modules of a job from their files, which are in the same order. Throws `FlowFault`. */
export function loadModules({ modules }: Pick<PlainJob, 'modules'>, files: readonly string[]): Promise<SharedFlow[]> {
  return Promise.all(
    modules.map(async ({ name, weight, shared }, index) => ({
      flow: await loadFlow(files[index]!, name),
      ...{ name, weight, shared },
      namesWebSocket: namesWebSocket(await readFile(files[index]!, 'utf8')),
    })),
  );
}
