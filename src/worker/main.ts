import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerSelf } from '../contract/shard.js';
import { talkTogether } from '../measure/causes.js';
import { slotTimes } from '../measure/paired/slots.js';
import { nowNs } from '../measure/rig/clock.js';
import { binsPerBlock, changedBins } from '../measure/samples/blocks.js';
import { MarkTable, SendLog } from '../measure/samples/mark-table.js';
import { payloadFormat, sequenceOfData } from '../measure/samples/payload.js';
import { Recorder, StampTable } from '../measure/samples/recorder.js';
import { protocolWith } from '../protocols/list.js';
import type { Clients } from '../protocols/protocol.js';
import { isPublishedByClients, publishersOf } from '../scenarios/job.js';
import { scenarioByName } from '../scenarios/list.js';
import { loginStage } from '../scenarios/rounds.js';
import { type PublisherContext, type Role, type RoleContext, rampStage } from '../scenarios/scenario.js';
import { type ClientPublishing, publishByClients } from '../scenarios/traffic/client-publishing.js';
import { dueInStages } from '../scenarios/traffic/schedule.js';
import { type StreamPlan, StreamTable } from '../scenarios/traffic/streams.js';
import { turns } from '../wire/turns.js';
import { openClients, recognised } from './clients.js';
import { knownBefore, workerUsers } from './logins.js';
import { type FromWorker, moveOut, type ToWorker, type WorkerAssignment, withReport } from './messages.js';
import { loopTickMs, SelfMeasure, startBeat } from './self.js';
import { sleep, until } from './timers.js';

const port = parentPort;
if (!port) throw new Error('worker/main is the entry of a worker thread');
const { job, ...assignment } = workerData as WorkerAssignment;
const isAudience = assignment.role === 'audience';
const scenario = scenarioByName(job.scenario)!;
const format = payloadFormat(job.runId, job.demand.payloadBytes);
if (assignment.protocolFile !== undefined) {
  const { loadJobProtocol } = await import('../flow/module/load-protocol.js');
  await loadJobProtocol(job.protocol, assignment.protocolFile);
}
const protocol = protocolWith(job.protocol, job.protocolOptions)!;
const found = recognised(protocol, scenario.needs(job.options), format);
const post = (message: FromWorker, buffers: ArrayBuffer[] = []): void => port.postMessage(message, buffers);
const self = { ramp: new SelfMeasure(), load: new SelfMeasure() };
const stopping = new AbortController();
let stageEnding = new AbortController();
const opened: Clients[] = [];
const outlets: { close(): Promise<void> }[] = [];
/** The publishing clients, if those of the protocol publish. `opening` resolves once they are open. */
let publishing: ClientPublishing | undefined;
let opening: Promise<void> | undefined;
/** Clients of the audience have the first numbers of the run. */
const publishers = publishersOf(scenario, protocol, job.options, job.load);
const range = isAudience
  ? { first: assignment.firstClient, capacity: assignment.clientCount }
  : { first: job.demand.clients + job.slice.index * publishers, capacity: publishers };
const before = await knownBefore(job);
const { login } = job.protocolOptions as { login?: string };
const logins = login === undefined ? undefined : (await import('./logins.js')).prepareLogins(job, login, before);
if (logins) outlets.push(logins);
const users = workerUsers(before, logins);
const closeOutlets = (): Promise<unknown> => Promise.all(outlets.map((outlet) => outlet.close()));

const plan = { streams: 1, streamsPerClient: 1, ...(job.options as Partial<StreamPlan>) };
const { rateStages } = job.options as { rateStages?: string };
const common: RoleContext<Record<string, unknown>> = {
  options: job.options,
  load: job.load,
  stream: job.stream,
  ...(plan.streams > 1 && {
    streams: new StreamTable(plan, {
      ...assignment,
      seed: job.seed,
      stream: job.stream,
      broadcasts: job.demand.broadcasts,
    }),
  }),
  board: new StampTable(assignment.board.size, assignment.board.buffer),
  slice: job.slice,
  seed: job.seed,
  ...(job.slots && {
    slots: { beginNs: slotTimes(job.slots, job.slots.place), slotMs: job.slots.slotsMs[job.slots.place]! },
  }),
  ...(rateStages && { dueMs: dueInStages(rateStages, assignment.board.size) }),
  nowNs,
  sleep,
  recorder: () => new Recorder(job.load.samplesCap),
  async openClients(events) {
    const clients = await openClients(job, found, range, events, users);
    opened.push(clients);
    return clients;
  },
  log: (text) => post({ type: 'log', text }),
  giveUp: (reason) => post({ type: 'giveUp', reason }),
};
const role = await (isAudience ? audience() : publisher());
const work = (): object => role.work?.() ?? role.progress();
const sentBins = new Uint32Array(binsPerBlock);
const sendFigures = (loopDelayMs: number, isSecond: boolean): void => {
  const counts = isSecond ? role.bins?.() : undefined;
  const bins = counts && { bins: changedBins(counts, sentBins) };
  self.ramp.look(work());
  self.load.look(work());
  post({ type: 'progress', figures: role.progress(), atNs: nowNs(), loopDelayMs, ...bins });
};
const beat = startBeat(assignment.startedNs, {
  beat: sendFigures,
  tick(nowMs) {
    turns.tick(loopTickMs * 1e6);
    self.ramp.tick(nowMs);
    self.load.tick(nowMs);
  },
});

function audience(): Promise<Role> {
  const { clientCount, firstClient, marks, modules } = assignment;
  const part = { clientCount, firstClient, totalClients: job.demand.clients };
  const table = marks && { marks: new MarkTable(marks.size, marks.first, marks.buffer) };
  return scenario.audience({
    ...common,
    ...part,
    sleptNs() {
      turns.begin();
      return turns.sleptNs;
    },
    ...table,
    flow: async (options, hooks) => {
      const context = { ...common, ...part, ...table, options };
      return (await import('./flows.js')).flowRole(context, { job, files: modules, users }, hooks);
    },
  });
}

function publisher(): Promise<Role> {
  const shared = {
    ...common,
    until,
    payload: (sequence: number) => format.text(job.slice.index, sequence),
    byClients: protocol.publishesByClients,
  };
  return isPublishedByClients(scenario, protocol, job.options) ? publisherByClients(shared) : publisherOverHttp(shared);
}

type WithoutPublish = Omit<PublisherContext<Record<string, unknown>>, 'publish'>;

/** Creates a publisher that uses one client of each shard. It is open before the load begins. */
async function publisherByClients(shared: WithoutPublish): Promise<Role> {
  const way = publishByClients(shared, 1);
  publishing = way;
  outlets.push({ close: async () => way.dispose() });
  return scenario.publisher({
    ...shared,
    publish: (data, events = {}) => way.publish(sequenceOfData(data), events),
  });
}

async function publisherOverHttp(shared: WithoutPublish): Promise<Role> {
  const { HttpPublish } = await import('./publish.js');
  const http = new HttpPublish(job);
  const { inProcessUrl: url } = job.target;
  const batches = url === undefined ? undefined : (await import('./publish.js')).publishInProcess(job, url);
  outlets.push(http, ...(batches ? [batches] : []));
  return scenario.publisher({
    ...shared,
    publish: (data, events, stream) => http.publish(data, events, stream),
    ...(batches && { publishBatch: (data, ratePerSecond) => batches.publish(data, ratePerSecond) }),
    ...(http.together && { together: http.together }),
  });
}

async function stage(name: string, startAtNs: number, round: number): Promise<void> {
  const isMeasured = scenario.stages.find((each) => each.name === name)?.isMeasured;
  if (isMeasured) self.load.start(work());
  else self.load.halt(work());
  const isRamp = isAudience && name === rampStage;
  if (isRamp) self.ramp.start(work());
  stageEnding = new AbortController();
  const signal = AbortSignal.any([stopping.signal, stageEnding.signal]);
  const played = name === loginStage.name ? logins?.all(range, signal) : playedBy(name, startAtNs, signal, round);
  post({ type: 'stageBegun' });
  await played;
  if (isRamp) self.ramp.halt(work());
  sendFigures(beat.loopDelayMs(), false);
  post({ type: 'stageDone' });
}

async function playedBy(...stage: Parameters<Role['stage']>): Promise<void> {
  if (publishing) {
    opening ??= publishing.open(stage[2]);
    await opening;
  }
  await role.stage(...stage);
}

async function report(): Promise<void> {
  beat.stop();
  // Sends the same figures as the report, so that the figures over time add up to the report.
  sendFigures(beat.loopDelayMs(), true);
  self.load.halt(work());
  const userCode = role.userCode?.();
  const measured: WorkerSelf = {
    role: assignment.role,
    index: assignment.index,
    ...self.load.measured,
    ...(isAudience && { ramp: self.ramp.measured }),
    ...(userCode && { userCode }),
  };
  const reported = withReport(role.report(), logins?.report());
  const engines = [...opened.flatMap((clients) => clients.engines?.() ?? []), ...(role.engines?.() ?? [])];
  const talk = talkTogether(isAudience ? opened.map((clients) => clients.talk?.()) : []);
  role.dispose?.();
  await closeOutlets();
  const { buffers, ...moved } = moveOut(reported, { self: measured, engines, talk });
  post({ type: 'report', ...moved }, buffers);
  port?.close();
}

/** A rejection of any of these is a bug. It ends the thread, and the shard reports it to the driver. */
const ended = (error: unknown): void => {
  setImmediate(() => {
    throw error;
  });
};
port.on('message', (message: ToWorker) => {
  if (message.type === 'stage') stage(message.name, message.startAtNs, message.round).catch(ended);
  if (message.type === 'endStage') stageEnding.abort();
  if (message.type === 'gateOpened') role.gateOpened?.(message.name);
  if (message.type === 'abort') {
    stopping.abort();
    closeOutlets().catch(ended);
  }
  if (message.type === 'sends') role.learn?.(new SendLog(message.buffer, message.clock));
  if (message.type === 'report') report().catch(ended);
});
