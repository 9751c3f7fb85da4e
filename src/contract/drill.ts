import { z } from 'zod';
import { webSocketUrl } from './job.js';
import { namespaceTcp } from './shard.js';

const time = z.number().min(0);

/** `GET /vitals`: what grows on a bench-runner's machine, and its CPU quota; null where the system does not say. */
export const vitals = z.strictObject({
  atMs: time,
  /** Ticks of all cores since the boot. */
  cores: z.strictObject({ busy: time, idle: time, stolen: time }).nullable(),
  /** CPU time of its process. */
  ownCpuMs: time,
  /** Cores that its control group may use at most; null without a quota. */
  quotaCores: z.number().positive().nullable(),
  /** Names the control group of that quota on its machine: bench-runners in one group share it. */
  quotaGroup: z.string().max(64).nullable(),
  /** For how long its control group had to stand still. */
  throttledMs: time.nullable(),
  /** How long the main thread was ready to run but had no core. */
  coreWaitMs: time.nullable(),
  tcp: namespaceTcp.nullable(),
});

export type Vitals = z.output<typeof vitals>;

/** The most bytes of one `GET /bytes/:count`. */
export const mostBytes = 1_048_576;

export const bytesParams = z.strictObject({ count: z.coerce.number().int().min(1).max(mostBytes) });

/** `POST /metronome`: the target of known behaviour that the bench-runner has started on its own loopback. */
export const ownMetronome = z.strictObject({ wsUrl: webSocketUrl, publishUrl: z.url({ protocol: /^http$/ }) });

export type OwnMetronome = z.output<typeof ownMetronome>;

/** A metronome that nobody ends lives so long. */
export const metronomeLivesMs = 60_000;
