import { z } from 'zod';
import { webSocketUrl } from '../units/addresses.js';
import { namespaceTcp } from './shard.js';

const time = z.number().min(0);

/**
 * Describes `GET /vitals`: growing counts of a bench-runner's machine, and its CPU quota. Null if the system does not
 * provide them.
 */
export const vitals = z.strictObject({
  atMs: time,
  /** Ticks of all cores since the boot. */
  cores: z.strictObject({ busy: time, idle: time, stolen: time }).nullable(),
  /** CPU time of its process. */
  ownCpuMs: time,
  /** Maximum cores of its control group. Null without a quota. */
  quotaCores: z.number().positive().nullable(),
  /** Names the control group of that quota on its machine. Bench-runners in one group share it. */
  quotaGroup: z.string().max(64).nullable(),
  /** Time that its control group had to stand still. */
  throttledMs: time.nullable(),
  /** Time that the main thread was ready to run but had no core. */
  coreWaitMs: time.nullable(),
  tcp: namespaceTcp.nullable(),
});

export type Vitals = z.output<typeof vitals>;

/** Maximum bytes of one `GET /bytes/:count`. */
export const mostBytes = 1_048_576;

export const bytesParams = z.strictObject({ count: z.coerce.number().int().min(1).max(mostBytes) });

/** Describes `POST /metronome`: the target of known behaviour that the bench-runner started on its own loopback. */
export const ownMetronome = z.strictObject({ wsUrl: webSocketUrl, publishUrl: z.url({ protocol: /^http$/ }) });

export type OwnMetronome = z.output<typeof ownMetronome>;

/** Lifetime of a metronome that no request ends. */
export const metronomeLivesMs = 60_000;
