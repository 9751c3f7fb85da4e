import { parentPort, workerData } from 'node:worker_threads';
import type { JobRequest } from '../contract/job.js';
import type { WorkerSelf } from '../contract/shard.js';
import { nowNs } from '../measure/rig/clock.js';
import { tellChanged } from '../measure/samples/bins.js';
import { binsPerBlock } from '../measure/samples/blocks.js';
import { Board } from '../measure/samples/board.js';
import { payloadFormat } from '../measure/samples/payload.js';
import { createRecorder } from '../measure/samples/recorder.js';
import { encodeSamples } from '../measure/samples/sample-body.js';
import { resolveJob } from '../scenarios/job.js';
import { loadScenario } from '../scenarios/load.js';
import { type Role, type RoleContext, rampStage } from '../scenarios/scenario.js';
import { Beat } from './beat.js';
import { openClients } from './clients.js';
import type { FromWorker, ToWorker, WorkerAssignment } from './messages.js';
import { HttpPublish } from './publish.js';
import { InProcessPublish } from './publish-in-process.js';
import { SelfMeasure } from './self.js';
import { sleep, until } from './timers.js';

const port = parentPort;
if (!port) throw new Error('worker/main is the entry of a worker thread');
const assignment = workerData as WorkerAssignment;
const scenario = await loadScenario((assignment.job as JobRequest).scenario);
const job = resolveJob(assignment.job, () => scenario);
const format = payloadFormat(job.runId, job.demand.payloadBytes);
const post = (message: FromWorker): void => port.postMessage(message);
const self = { ramp: new SelfMeasure(), load: new SelfMeasure() };
const stopping = new AbortController();
let http: HttpPublish | undefined;
let inProcess: InProcessPublish | undefined;

const common: RoleContext<Record<string, unknown>> = {
  options: job.options,
  load: job.load,
  stream: job.stream,
  board: new Board(assignment.board.size, assignment.board.buffer),
  slice: job.slice,
  seed: job.seed,
  nowNs,
  sleep,
  recorder: () => createRecorder(job.load.samplesCap),
  openClients: (events) =>
    openClients(
      job,
      format,
      assignment.role === 'audience'
        ? { first: assignment.firstClient, capacity: assignment.clientCount }
        : { first: job.demand.clients + job.slice.index * job.load.maxInFlight, capacity: job.load.maxInFlight },
      events,
    ),
  log: (text) => post({ type: 'log', text }),
  giveUp: (reason) => post({ type: 'giveUp', reason }),
};
const role = assignment.role === 'audience' ? audience() : publisher();
const work = (): object => role.work?.() ?? role.progress();
const toldBins = new Uint32Array(binsPerBlock);
const tell = (loopDelayMs: number, isSecond: boolean): void => {
  const counts = isSecond ? role.bins?.() : undefined;
  const bins = counts && { bins: tellChanged(counts, toldBins) };
  self.ramp.look(work());
  self.load.look(work());
  post({ type: 'progress', figures: role.progress(), atNs: nowNs(), loopDelayMs, ...bins });
};
const beat = new Beat(assignment.startedNs, {
  beat: tell,
  tick(nowMs) {
    self.ramp.tick(nowMs);
    self.load.tick(nowMs);
  },
});

function audience(): Role {
  return scenario.audience({
    ...common,
    clientCount: assignment.clientCount,
    totalClients: job.demand.clients,
    firstClient: assignment.firstClient,
  });
}

function publisher(): Role {
  const publish = new HttpPublish(job);
  http = publish;
  const { inProcessUrl } = job.target;
  const batches = inProcessUrl === undefined ? undefined : new InProcessPublish(job, inProcessUrl);
  inProcess = batches;
  return scenario.publisher({
    ...common,
    until,
    publish: (data, sent, took) => publish.publish(data, sent, took),
    ...(batches && { publishBatch: (data, ratePerSecond) => batches.publish(data, ratePerSecond) }),
    payload: (sequence) => format.text(job.slice.index, sequence),
  });
}

async function stage(name: string, startAtNs: number, round: number): Promise<void> {
  const isMeasured = scenario.stages.find((each) => each.name === name)?.isMeasured;
  if (isMeasured) self.load.start(work());
  else self.load.halt(work());
  const isRamp = name === rampStage && assignment.role === 'audience';
  if (isRamp) self.ramp.start(work());
  await role.stage(name, startAtNs, stopping.signal, round);
  if (isRamp) self.ramp.halt(work());
  tell(beat.loopDelayMs, false);
  post({ type: 'stageDone', name });
}

async function report(): Promise<void> {
  beat.stop();
  // What is told last is what is reported: the figures over time add up to it.
  tell(beat.loopDelayMs, true);
  self.load.halt(work());
  const measured: WorkerSelf = {
    role: assignment.role,
    index: assignment.index,
    ...self.load.measured,
    ...(assignment.role === 'audience' && { ramp: self.ramp.measured }),
  };
  const { samples, ...rest } = role.report();
  role.dispose?.();
  await Promise.all([http?.close(), inProcess?.close()]);
  const bodies: Record<string, Uint8Array> = {};
  for (const [metric, recorded] of Object.entries(samples)) bodies[metric] = await encodeSamples(recorded);
  post({ type: 'report', report: { ...rest, samples: bodies, self: measured } });
  port?.close();
}

// A rejection of any of these is a fault of ours: it ends the thread, and the shard tells the driver.
port.on('message', (message: ToWorker) => {
  if (message.type === 'stage') void stage(message.name, message.startAtNs, message.round);
  if (message.type === 'abort') {
    stopping.abort();
    void http?.close();
    void inProcess?.close();
  }
  if (message.type === 'report') void report();
});
