import { z } from 'zod';
import { defaultMaxRawSamples } from '../measure/samples/recorder.js';

/** How clients of either kind are made; the kinds of `--client`. */
export const clientKinds = ['wire', 'library'] as const;

const clientsPerLoop = 250;

/** One event loop for every two cores, the others being the target's and the publisher's, and none with fewer than 250 clients to hold. */
export function defaultWorkers(clients: number, cores: number): number {
  return Math.max(1, Math.min(Math.floor(cores / 2), Math.ceil(clients / clientsPerLoop)));
}

/** How the load is made, whatever the scenario: options of every `run` and part of every job. */
export const loadOptions = z.strictObject({
  client: z.enum(clientKinds).default('wire').meta({
    flag: 'client',
    help: 'lean wire clients, or the protocol’s real library, its own reconnection off',
  }),
  workers: z.number().int().min(1).max(256).optional().meta({
    flag: 'workers',
    unit: 'count',
    help: 'event loops per shard that hold subscribers; by default one for every two cores, at most one for 250 subscribers',
  }),
  connectTimeoutMs: z.number().int().min(1).max(600_000).default(10_000).meta({
    flag: 'connect-timeout',
    unit: 'duration',
    help: 'time for TCP, TLS and the upgrade of one client',
  }),
  subscribeTimeoutMs: z.number().int().min(1).max(600_000).default(10_000).meta({
    flag: 'subscribe-timeout',
    unit: 'duration',
    help: 'time from the open WebSocket to the confirmed subscription',
  }),
  publishTimeoutMs: z.number().int().min(1).max(600_000).default(10_000).meta({
    flag: 'publish-timeout',
    unit: 'duration',
    help: 'time for the answer to one publish; without one it counts as failed',
  }),
  maxInFlight: z.number().int().min(1).max(4096).default(64).meta({
    flag: 'max-in-flight',
    unit: 'count',
    help: 'publishes of one shard that may await their answer at once; what is due beyond them waits and counts as late',
  }),
  localAddresses: z.array(z.string()).default([]).meta({
    flag: 'local-address',
    placeholder: 'address',
    help: 'source address or range (127.0.0.2-127.0.0.9) to connect from; repeatable; on loopback eight or more are used by default',
  }),
  caPem: z.string().optional().meta({
    flag: 'ca',
    placeholder: 'file',
    help: 'PEM file of certificate authorities to trust beside the system’s',
  }),
  isInsecure: z.boolean().default(false).meta({
    flag: 'insecure',
    help: 'accept any TLS certificate of the target',
  }),
  leaseMs: z.number().int().min(1000).max(600_000).default(30_000).meta({
    flag: 'lease',
    unit: 'duration',
    help: 'longest silence between driver and shard that a run survives',
  }),
  samplesCap: z.number().int().min(1000).max(200_000_000).default(defaultMaxRawSamples).meta({
    flag: 'samples-cap',
    unit: 'count',
    help: 'raw samples that one worker keeps per metric; above it sends a histogram of three digits, and the result says so',
  }),
});

export type LoadOptions = z.output<typeof loadOptions>;
