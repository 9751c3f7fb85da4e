import { z } from 'zod';
import { longestMs } from '../units/duration.js';

/** A whole number from `least` on. */
const whole = (flag: string, unit: string, least: number, fallback: number, help: string) =>
  z.number().int().min(least).default(fallback).meta({ flag, unit, help });

export const runnerOptions = z.strictObject({
  host: z.string().default('127.0.0.1').meta({
    flag: 'host',
    placeholder: 'address',
    help: 'address to listen on; other than loopback needs --token',
  }),
  port: z.number().int().min(0).max(65_535).default(8080).meta({
    flag: 'port',
    unit: 'count',
    help: 'port to listen on; 0 takes a free one',
  }),
  token: z.string().min(1).optional().meta({
    flag: 'token',
    placeholder: 'secret',
    isSecret: true,
    help: 'bearer token of every request except /health',
  }),
  allowTargets: z.array(z.string()).default(['loopback']).meta({
    flag: 'allow-target',
    placeholder: 'host',
    help: 'allowed target: host, *.suffix, address, CIDR block or loopback; repeatable',
  }),
  maxClients: whole('max-clients', 'count', 1, 1_000_000, 'most clients per job on this shard'),
  maxPublishesPerSecond: z.number().positive().default(10_000).meta({
    flag: 'max-rate',
    unit: 'rate',
    help: 'most publishes and client messages per second, over all shards',
  }),
  maxPayloadBytes: whole('max-payload', 'bytes', 1, 1_000_000, 'longest payload of a broadcast'),
  maxDurationMs: z.number().int().min(1).max(longestMs).default(3_600_000).meta({
    flag: 'max-duration',
    unit: 'duration',
    help: 'longest job',
  }),
  maxBodyBytes: whole('max-body', 'bytes', 1024, 1_000_000, 'largest request body'),
  lingerMs: z.number().int().min(0).max(3_600_000).default(25_000).meta({
    flag: 'linger',
    unit: 'duration',
    help: 'longest wait after a signal for results to be fetched',
  }),
});

export type RunnerOptions = z.output<typeof runnerOptions>;
