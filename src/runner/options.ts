import { z } from 'zod';
import { longestMs } from '../units/unit.js';

const whole = (flag: string, unit: string, fallback: number, [least, most]: [number, number?], help: string) => {
  const number = z.number().int().min(least);
  return (most === undefined ? number : number.max(most)).default(fallback).meta({ flag, unit, help });
};

export const runnerOptions = z.strictObject({
  host: z.string().default('127.0.0.1').meta({
    flag: 'host',
    placeholder: 'address',
    help: 'address to listen on; other than loopback needs --token',
  }),
  port: whole('port', 'count', 8080, [0, 65_535], 'port to listen on; 0 takes a free one'),
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
  maxClients: whole('max-clients', 'count', 1_000_000, [1], 'most clients per job on this shard'),
  maxPublishesPerSecond: z.number().positive().default(10_000).meta({
    flag: 'max-rate',
    unit: 'rate',
    help: 'most publishes and client messages per second, over all shards',
  }),
  maxPayloadBytes: whole('max-payload', 'bytes', 1_000_000, [1], 'longest payload of a broadcast'),
  maxDurationMs: whole('max-duration', 'duration', 3_600_000, [1, longestMs], 'longest job'),
  maxBodyBytes: whole('max-body', 'bytes', 64_000_000, [1024], 'largest request body; a job carries the file of users'),
  lingerMs: z.number().int().min(0).max(3_600_000).default(25_000).meta({
    flag: 'linger',
    unit: 'duration',
    help: 'longest wait after a signal for results to be fetched',
  }),
  keepMs: whole('keep', 'duration', 86_400_000, [1, longestMs], 'time for which results wait to be fetched'),
});

export type RunnerOptions = z.output<typeof runnerOptions>;
