import { z } from 'zod';
import { httpUrl, webSocketUrl } from '../../contract/job.js';
import { protocolOptions } from '../../protocols/list.js';
import { headerFault } from '../../units/headers.js';

/** A flag with a value: its name, the word for its value, and its help. */
const valued = (flag: string, placeholder: string, help: string) => ({ flag, placeholder, help });

const bearerToken = z
  .string()
  .min(1)
  .refine((token) => headerFault('authorization', token) === undefined, 'expected Latin-1 text in one line');

/** Options of every command that makes load: its source, and where results go. */
export const fleetOptions = z.strictObject({
  shards: z
    .array(httpUrl)
    .default([])
    .meta({
      ...valued('shard', 'url', 'URL of a bench-runner; repeatable; by default they start here'),
      shortEnv: 'SHARDS',
    }),
  localShards: z.number().int().min(1).max(64).default(1).meta({
    flag: 'local-shards',
    notBeside: 'shard',
    unit: 'count',
    help: 'bench-runners to start on this machine, without --shard',
  }),
  token: bearerToken.optional().meta({
    ...valued('token', 'secret', 'bearer token of the bench-runners'),
    isSecret: true,
  }),
  targetProcesses: z.number().int().min(1).max(1024).default(1).meta({
    flag: 'target-processes',
    unit: 'count',
    help: 'processes of a managed target, if it supports several',
  }),
  targetSettings: z
    .array(z.string())
    .default([])
    .meta(valued('target-option', 'key=value', 'option of a managed target (`ringside list targets`); repeatable')),
  thresholds: z
    .array(z.string())
    .default([])
    .meta(valued('threshold', 'threshold', 'fail with exit 3 unless true: delivery.p99<200ms, lost==0; repeatable')),
  isStrict: z
    .boolean()
    .default(false)
    .meta({ flag: 'strict', help: 'exit with 4 if the rig may have raised any figure' }),
  targetMemoryBytes: z.number().int().min(1).optional().meta({
    flag: 'target-memory',
    unit: 'bytes',
    help: 'memory limit of the target; by default that of this machine',
  }),
  seed: z.number().int().min(0).max(0xffff_ffff).optional().meta({
    flag: 'seed',
    unit: 'count',
    help: 'seed of all random choices, kept with the result; by default new',
  }),
  resultsDir: z
    .string()
    .default('results')
    .meta(valued('results', 'directory', 'where results are kept')),
  trustDir: z
    .string()
    .default('~/.local/state/ringside')
    .meta(valued('trust', 'directory', 'where `ringside calibrate` keeps calibrations')),
  isJson: z
    .boolean()
    .default(false)
    .meta({ flag: 'json', help: 'print one JSON document on stdout, the rest on stderr' }),
  isMarkdown: z.boolean().default(false).meta({ flag: 'markdown', help: 'print Markdown, for a pull request' }),
});

const targetFiles = z.array(z.string()).optional();
const secret = { isSecret: true } as const;

export const targetOptions = z.strictObject({
  target: z
    .string()
    .optional()
    .meta({
      ...valued('target', 'name', 'target to start here, one of `ringside list targets`'),
      severalIn: 'compare',
      shortEnv: 'TARGET',
    }),
  targetUrl: webSocketUrl
    .optional()
    .meta(valued('target-url', 'url', 'URL of a running target; `{client}` in its query is the client number')),
  targetFiles: targetFiles.meta(
    valued('target-file', 'file', 'YAML file of running targets; --target picks one; repeatable'),
  ),
  protocol: z
    .string()
    .optional()
    .meta(valued('protocol', 'name', 'protocol of --target-url, one of `ringside list protocols`')),
  ...protocolOptions.shape,
  publishUrl: httpUrl.optional().meta(valued('publish-url', 'url', 'where the target accepts POST {"stream","data"}')),
  inProcessUrl: httpUrl
    .optional()
    .meta(valued('in-process-url', 'url', 'where it accepts batches: POST {"stream","ratePerSecond","data"}')),
  publishToken: bearerToken
    .optional()
    .meta({ ...valued('publish-token', 'secret', 'bearer token of publishes'), ...secret }),
  metricsUrl: httpUrl.optional().meta(valued('target-metrics', 'url', 'Prometheus metrics of the target')),
  railwayToken: bearerToken
    .optional()
    .meta({ ...valued('railway-token', 'secret', 'Railway API token, to read the metrics of its service'), ...secret }),
  railwayEnvironment: z
    .string()
    .min(1)
    .optional()
    .meta(valued('railway-environment', 'id', 'Railway environment of the target')),
  railwayService: z
    .string()
    .min(1)
    .optional()
    .meta(valued('railway-service', 'id', 'Railway service of the target')),
  statsUrl: httpUrl.optional().meta(valued('stats-url', 'url', 'where the target answers GET with its /_stats')),
  restartCommand: z
    .string()
    .min(1)
    .optional()
    .meta(valued('restart-command', 'command', 'shell command, run here, that restarts the target')),
  restartUrl: httpUrl
    .optional()
    .meta({ ...valued('restart-url', 'url', 'webhook that restarts the target with an empty POST'), ...secret }),
});

const repeat = z.number().int().min(1).max(1000);

const isProving = z.boolean().default(false).meta({
  flag: 'prove',
  help: 'repeat with twice the event loops, then shards, to find rig-limited figures',
});

export const repeatOptions = z.strictObject({
  repeat: repeat.default(1).meta({
    flag: 'repeat',
    unit: 'count',
    help: 'runs; several print the median and its 95 % interval',
  }),
  isProving,
});

export const watchOptions = z.strictObject({
  isWatched: z
    .boolean()
    .default(false)
    .meta({ flag: 'watch', help: 'show the run live on a local page, then its report' }),
  watchPort: z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .meta(valued('watch-port', 'port', 'port of the live page; 0 picks a free one')),
});

export const findOptions = z.strictObject({
  limit: z
    .string({ error: 'expected a threshold such as handshake.p99<50ms' })
    .meta(valued('limit', 'threshold', 'threshold to find, such as handshake.p99<50ms; the search starts at --rate')),
});

export const compareOptions = z.strictObject({
  targets: z
    .array(z.string())
    .default(['all'])
    .meta({
      ...valued('target', 'name', 'target to compare; repeatable; by default all of `ringside list targets`'),
      shortEnv: 'TARGET',
    }),
  targetFiles: targetFiles.meta(
    valued('target-file', 'file', 'YAML file of running targets to compare as well; repeatable'),
  ),
  repeat: repeat
    .default(3)
    .meta({ flag: 'repeat', unit: 'count', help: 'runs of each target, interleaved: A B C A B C' }),
  isProving,
});

export type FleetOptions = z.output<typeof fleetOptions>;
export type TargetOptions = z.output<typeof targetOptions>;
export type RepeatOptions = z.output<typeof repeatOptions>;
export type CompareOptions = z.output<typeof compareOptions>;
