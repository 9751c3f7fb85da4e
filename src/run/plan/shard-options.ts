import { z } from 'zod';
import { under } from '../../options/option.js';
import { durationOption, optionalCount, optionalDuration } from '../../scenarios/options.js';
import { longestMs } from '../../units/unit.js';
import { sourceForms, sourceOf } from '../shards/sources/list.js';
import { secretOf, valued } from './option-kinds.js';

const shardUrl = z.url({
  protocol: /^(dns\+)?https?$/,
  error: 'expected an http://, https://, dns+http:// or dns+https:// address',
});

const file = z.string().min(1).optional();

const which = under('Rig:', {
  shards: z
    .array(shardUrl)
    .default([])
    .meta({
      ...valued('shard', 'url', 'URL of a bench-runner; repeatable; dns+http:// takes every address of a name'),
      shortEnv: 'SHARDS',
    }),
  shardsFrom: z
    .string()
    .refine((text) => sourceOf(text) !== undefined, `expected one of ${sourceForms.join(', ')}`)
    .optional()
    .meta({
      ...valued('shards-from', 'source', `where to look for bench-runners: ${sourceForms.join(', ')}`),
      notBeside: 'shard',
    }),
  waitShards: optionalCount('wait-shards', [1, 1000], 'wait until this many bench-runners are ready'),
  waitShardsMs: durationOption('for', 60_000, [1, longestMs], 'longest wait for --wait-shards'),
});

const waiting = under('Rig:', {
  waitMs: optionalDuration('wait', [1, longestMs], 'wait this long for bench-runners that another run holds'),
});

const access = under('Rig:', {
  token: secretOf('token', 'bearer token of the bench-runners'),
  shardCert: file.meta(valued('shard-cert', 'file', 'PEM certificate to show to bench-runners that ask for one')),
  shardKey: file.meta(valued('shard-key', 'file', 'PEM file with the private key of --shard-cert')),
});

/** Options that select the bench-runners of a command, and its wait for them. */
export const shardOptions = z.strictObject({ ...which, ...waiting, ...access });

export type ShardOptions = z.output<typeof shardOptions>;

/** Options of a command that only queries bench-runners, even those held by another driver. */
export const askedShardOptions = z.strictObject({ ...which, ...access });

/** Returns true if the user names the bench-runners to use, so that none start here. */
export function areShardsGiven({ shards, shardsFrom }: Pick<ShardOptions, 'shards' | 'shardsFrom'>): boolean {
  return shards.length > 0 || shardsFrom !== undefined;
}
