import { z } from 'zod';
import { httpUrl, webSocketUrl } from '../../contract/addresses.js';
import { protocolOptions } from '../../protocols/list.js';
import { headerFault } from '../../units/headers.js';

/** A secret that a request carries in a header. */
const bearerToken = z
  .string()
  .min(1)
  .refine((token) => headerFault('authorization', token) === undefined, 'expected Latin-1 text in one line');

/** Options of every command that makes load: where it comes from and where its results go. */
export const fleetOptions = z.strictObject({
  shards: z.array(httpUrl).default([]).meta({
    flag: 'shard',
    shortEnv: 'SHARDS',
    placeholder: 'url',
    help: 'address of a bench-runner; repeatable; without one, bench-runners are started on this machine',
  }),
  localShards: z.number().int().min(1).max(64).default(1).meta({
    flag: 'local-shards',
    notBeside: 'shard',
    unit: 'count',
    help: 'bench-runner processes to start on this machine when no --shard is given',
  }),
  token: bearerToken.optional().meta({
    flag: 'token',
    placeholder: 'secret',
    isSecret: true,
    help: 'bearer token of the bench-runners',
  }),
  targetProcesses: z.number().int().min(1).max(1024).default(1).meta({
    flag: 'target-processes',
    unit: 'count',
    help: 'as how many processes to start a target of ours that can be several',
  }),
  targetSettings: z.array(z.string()).default([]).meta({
    flag: 'target-option',
    placeholder: 'key=value',
    help: 'option of a target that takes some (`ringside list targets`); repeatable',
  }),
  thresholds: z.array(z.string()).default([]).meta({
    flag: 'threshold',
    placeholder: 'promise',
    help: 'what must be kept, or the command exits with 3: delivery.p99<200ms, lost==0, delivered>=99.9%; repeatable',
  }),
  targetMemoryBytes: z.number().int().min(1).optional().meta({
    flag: 'target-memory',
    unit: 'bytes',
    help: 'memory that the target may have, for the memory wall; by default that of its machine where it is this one',
  }),
  seed: z.number().int().min(0).max(0xffff_ffff).optional().meta({
    flag: 'seed',
    unit: 'count',
    help: 'seed of every random choice that a scenario makes, kept with the result; by default a fresh one',
  }),
  resultsDir: z.string().default('results').meta({
    flag: 'results',
    placeholder: 'directory',
    help: 'where results are kept',
  }),
  trustDir: z.string().default('~/.local/state/ringside').meta({
    flag: 'trust',
    placeholder: 'directory',
    help: 'where `ringside calibrate` keeps what a machine may be trusted with',
  }),
  isJson: z.boolean().default(false).meta({
    flag: 'json',
    help: 'print exactly one JSON document on stdout, everything else on stderr',
  }),
  isMarkdown: z.boolean().default(false).meta({
    flag: 'markdown',
    help: 'print Markdown on stdout, for the comment on a pull request',
  }),
});

const targetFiles = z.array(z.string()).optional();

/** Options of `run`: the one target. */
export const targetOptions = z.strictObject({
  target: z.string().optional().meta({
    flag: 'target',
    severalIn: 'compare',
    shortEnv: 'TARGET',
    placeholder: 'name',
    help: 'target to start on this machine, one of `ringside list targets`',
  }),
  targetUrl: webSocketUrl.optional().meta({
    flag: 'target-url',
    placeholder: 'url',
    help: 'ws:// or wss:// address of a target that runs already; `{client}` in its query is the number of the client in the run, from 0',
  }),
  targetFiles: targetFiles.meta({
    flag: 'target-file',
    placeholder: 'file',
    help: 'YAML file of targets that run already, in place of --target-url and what goes with it: --target names one of them, if there are several; repeatable',
  }),
  protocol: z.string().optional().meta({
    flag: 'protocol',
    placeholder: 'name',
    help: 'protocol that the target at --target-url speaks, one of `ringside list protocols`',
  }),
  ...protocolOptions.shape,
  publishUrl: httpUrl.optional().meta({
    flag: 'publish-url',
    placeholder: 'url',
    help: 'where the target at --target-url takes POST {"stream","data"}',
  }),
  inProcessUrl: httpUrl.optional().meta({
    flag: 'in-process-url',
    placeholder: 'url',
    help: 'where the target at --target-url takes POST {"stream","ratePerSecond","data"}, a batch that it publishes by itself',
  }),
  publishToken: bearerToken.optional().meta({
    flag: 'publish-token',
    placeholder: 'secret',
    isSecret: true,
    help: 'bearer token that publishes carry',
  }),
  metricsUrl: httpUrl.optional().meta({
    flag: 'target-metrics',
    placeholder: 'url',
    help: 'where the target at --target-url answers GET with Prometheus metrics',
  }),
  railwayToken: bearerToken.optional().meta({
    flag: 'railway-token',
    placeholder: 'secret',
    isSecret: true,
    help: 'Railway API token, to read the metrics of the target’s service there',
  }),
  railwayEnvironment: z.string().min(1).optional().meta({
    flag: 'railway-environment',
    placeholder: 'id',
    help: 'Railway environment of the target',
  }),
  railwayService: z.string().min(1).optional().meta({
    flag: 'railway-service',
    placeholder: 'id',
    help: 'Railway service of the target',
  }),
  statsUrl: httpUrl.optional().meta({
    flag: 'stats-url',
    placeholder: 'url',
    help: 'where the target at --target-url answers GET with its /_stats',
  }),
  restartCommand: z.string().min(1).optional().meta({
    flag: 'restart-command',
    placeholder: 'command',
    help: 'shell command, run beside the driver, that restarts the target at --target-url where a scenario asks for it; what it writes goes to stderr',
  }),
  restartUrl: httpUrl.optional().meta({
    flag: 'restart-url',
    placeholder: 'url',
    isSecret: true,
    help: 'webhook that restarts the target at --target-url by an empty POST, in place of --restart-command',
  }),
});

const repeat = z.number().int().min(1).max(1000);

const isProving = z.boolean().default(false).meta({
  flag: 'prove',
  help: 'run the same load with twice the event loops, then twice the shards, three times each at least: what moves was the rig’s',
});

/** How often `run` runs, and on which rigs. */
export const repeatOptions = z.strictObject({
  repeat: repeat.default(1).meta({
    flag: 'repeat',
    unit: 'count',
    help: 'runs; of several, the median of every headline figure and its 95 % interval is printed',
  }),
  isProving,
});

/** Whether `run` is watched on a page. */
export const watchOptions = z.strictObject({
  isWatched: z.boolean().default(false).meta({
    flag: 'watch',
    help: 'show the run while it goes on a page of this machine’s loopback, which becomes its report',
  }),
  watchPort: z.number().int().min(0).max(65_535).default(0).meta({
    flag: 'watch-port',
    placeholder: 'port',
    help: 'port of that page; 0 takes any free one',
  }),
});

/** What `find` alone takes. */
export const findOptions = z.strictObject({
  limit: z.string({ error: 'expected a promise such as handshake.p99<50ms' }).meta({
    flag: 'limit',
    placeholder: 'promise',
    help: 'what must be kept, such as handshake.p99<50ms; the search starts at --rate',
  }),
});

/** Options of `compare`. */
export const compareOptions = z.strictObject({
  targets: z.array(z.string()).default(['all']).meta({
    flag: 'target',
    shortEnv: 'TARGET',
    placeholder: 'name',
    help: 'target to compare; repeatable; by default every server under test of `ringside list targets`',
  }),
  targetFiles: targetFiles.meta({
    flag: 'target-file',
    placeholder: 'file',
    help: 'YAML file of targets that run already, compared beside those of --target, or alone where none is given; repeatable',
  }),
  repeat: repeat.default(3).meta({
    flag: 'repeat',
    unit: 'count',
    help: 'runs of each target, interleaved: A B C A B C',
  }),
  isProving,
});

export type FleetOptions = z.output<typeof fleetOptions>;
export type TargetOptions = z.output<typeof targetOptions>;
export type RepeatOptions = z.output<typeof repeatOptions>;
export type WatchOptions = z.output<typeof watchOptions>;
export type CompareOptions = z.output<typeof compareOptions>;
