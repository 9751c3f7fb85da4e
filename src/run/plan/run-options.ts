import { z } from 'zod';
import { under } from '../../options/option.js';
import { protocolOptions } from '../../protocols/list.js';
import { choiceOption, countOption, durationOption, optionalCount, optionalDuration } from '../../scenarios/options.js';
import { runtimes } from '../../targets/needs/list.js';
import { queryOf } from '../../targets/observe/queries.js';
import { httpUrl, webSocketUrl } from '../../units/addresses.js';
import { headerFault } from '../../units/http.js';
import { longestMs } from '../../units/unit.js';
import { sourceForms, sourceOf } from '../shards/sources/list.js';

export const valued = (flag: string, placeholder: string, help: string) => ({ flag, placeholder, help });

/** An option without a value, off by default. */
export const switchOf = (flag: string, help: string) => z.boolean().default(false).meta({ flag, help });

const bearerToken = z
  .string()
  .min(1)
  .refine((token) => headerFault('authorization', token) === undefined, 'expected Latin-1 text in one line');

/** A token that is sent as a header and never shown. */
export const secretOf = (flag: string, help: string) =>
  bearerToken.optional().meta({ ...valued(flag, 'secret', help), isSecret: true });

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

const url = httpUrl.optional();
const text = z.string().optional();
const word = z.string().min(1).optional();
const texts = z.array(z.string());
const results = 'Thresholds and results:';
const withoutShards = <S extends z.ZodType>(option: S): S =>
  option.meta({ ...option.meta(), notBeside: ['shard', 'shards-from'] });

/** Options that choose the forms of the answer: on stdout, or in files beside it. */
export const formOptions = z.strictObject({
  isJson: switchOf('json', 'print one JSON document on stdout, the rest on stderr'),
  markdownFile: word.meta(valued('markdown', 'file', 'write Markdown for a pull request; - prints it')),
  junitFile: word.meta(valued('junit', 'file', 'write JUnit XML; - prints it')),
  htmlFile: word.meta(valued('html', 'file', 'write a page that works offline')),
});

/** Options of every command that makes load: its rig, and the folders of its results. */
export const rigOptions = z.strictObject({
  ...shardOptions.shape,
  ...under('Rig:', {
    localShards: withoutShards(
      countOption('local-shards', 1, [1, 64], 'bench-runners to start on this machine, without --shard'),
    ),
    hasOwnNetwork: withoutShards(
      switchOf('own-network', 'run in a network namespace of its own, with the target (Linux)'),
    ),
    seed: optionalCount('seed', [0, 0xffff_ffff], 'seed of all random choices, kept with the result; by default new'),
    trustDir: z
      .string()
      .default('~/.local/state/ringside')
      .meta(valued('trust', 'directory', 'where `ringside calibrate` keeps calibrations')),
  }),
  ...under('Target:', {
    targetRuntime: z
      .enum(runtimes.map(({ name }) => name))
      .optional()
      .meta({ flag: 'target-runtime', help: 'runs managed targets made for Node (`ringside install --list`)' }),
    targetSettings: texts
      .default([])
      .meta(valued('target-option', 'key=value', 'option of a managed target (`ringside list targets`); repeatable')),
  }),
  targetMemoryBytes: z.number().int().min(1).optional().meta({
    flag: 'target-memory',
    unit: 'bytes',
    help: 'memory limit of the target; by default that of this machine',
  }),
  ...under(results, {
    isStrict: switchOf('strict', 'exit with 4 if the load generator may have raised any figure'),
    resultsDir: z
      .string()
      .default('results')
      .meta(valued('results', 'directory', 'where results are kept')),
    ...formOptions.shape,
  }),
});

/** Options of every command that makes single runs. */
export const fleetOptions = z.strictObject({
  ...under('Target:', {
    targetProcesses: optionalCount(
      'target-processes',
      [1, 1024],
      'processes of a managed target with several; by default its fewest',
    ),
  }),
  ...under(results, {
    thresholds: texts
      .default([])
      .meta(valued('threshold', 'threshold', 'fail with exit 3 unless true: delivery.p99<200ms, lost==0; repeatable')),
  }),
  ...under('Target:', {
    series: z
      .array(z.string().refine((text) => queryOf(text) !== undefined, 'expected NAME=QUERY, such as heap=go_threads'))
      .refine(
        (texts) => new Set(texts.map((text) => text.split('=')[0])).size === texts.length,
        'expected each name once',
      )
      .default([])
      .meta(valued('series', 'name=query', 'PromQL to ask of --target-metrics each second, by name; repeatable')),
  }),
  ...rigOptions.shape,
});

const targetFiles = texts.optional();

/** Options that locate a server of the user. */
export const addressOptions = z.strictObject({
  ...under('Target:', {
    targetUrl: webSocketUrl
      .optional()
      .meta(valued('target-url', 'url', 'running target’s URL; `{client}` in it is the client’s number')),
    protocol: text.meta(
      valued('protocol', 'name', 'protocol of --target-url: of `ringside list protocols`, or your file'),
    ),
    publishUrl: url.meta(valued('publish-url', 'url', 'where the target accepts POST {"stream","data"}')),
  }),
  ...protocolOptions.shape,
  inProcessUrl: url.meta(
    valued('in-process-url', 'url', 'where it accepts batches: POST {"stream","ratePerSecond","data"}'),
  ),
  publishToken: secretOf('publish-token', 'bearer token of publishes'),
  metricsUrl: url.meta(valued('target-metrics', 'url', 'metrics page of the target, or its Prometheus server')),
  statsUrl: url.meta(valued('stats-url', 'url', 'where the target answers GET with its /_stats')),
  restartCommand: word.meta(valued('restart-command', 'command', 'shell command, run here, that restarts the target')),
  restartUrl: url.meta({
    ...valued('restart-url', 'url', 'webhook that restarts the target with an empty POST'),
    isSecret: true,
  }),
});

export const targetOptions = z.strictObject({
  ...under('Target:', {
    target: text.meta({
      ...valued('target', 'name', 'target to start here, one of `ringside list targets`'),
      severalIn: 'compare',
      shortEnv: 'TARGET',
    }),
    targetFiles: targetFiles.meta(
      valued('target-file', 'file', 'YAML file of your servers; --target picks one; repeatable'),
    ),
  }),
  ...addressOptions.shape,
});

const isProving = switchOf('prove', 'repeat with twice the event loops, then shards, to find limited figures');

export const repeatOptions = z.strictObject(
  under(results, {
    repeat: countOption('repeat', 1, [1, 1000], 'runs; several print the median and its 95 % interval'),
    isProving,
    until: text.meta(valued('until', 'figure', 'end the run once this is known so well: delivery.p99 ±10%')),
  }),
);

export const watchOptions = z.strictObject(
  under('Watch page:', {
    isWatched: switchOf('watch', 'show the run live on a local page, then its report'),
    watchPort: z.number().int().min(0).max(65_535).default(0).meta({
      flag: 'watch-port',
      placeholder: 'port',
      help: 'port of the live page; 0 picks a free one',
    }),
    otlpUrl: httpUrl
      .optional()
      .meta(valued('otlp', 'url', 'send figures to this OpenTelemetry collector while the run goes on')),
  }),
);

export const leaveOptions = z.strictObject({
  ...under(results, { isLeft: switchOf('leave', 'leave the result on the shards, for `ringside attach`') }),
  runId: z
    .string()
    .regex(/^[0-9a-f]{8}$/, 'expected eight hex digits')
    .optional()
    .meta(valued('run-id', 'id', 'id of the run: eight hex digits; by default new')),
});

export const findOptions = z.strictObject({
  ...under(results, {
    limit: z
      .string({ error: 'expected a threshold such as handshake.p99<50ms' })
      .meta(valued('limit', 'threshold', 'threshold to find, such as handshake.p99<50ms; the search starts at --rate')),
    repeat: countOption('repeat', 3, [1, 20], 'runs that must agree at each end of the answer'),
    until: text.meta(valued('until', 'limit', 'end the search where a --series passes this: heap.max>2gb')),
  }),
  durationMs: durationOption(
    'duration',
    5000,
    [500, 3_600_000],
    'shortest load of each run; longer where the figure needs more samples',
  ),
});

export const compareOptions = z.strictObject({
  ...under('Target:', {
    targets: texts.default(['all']).meta({
      ...valued('target', 'name', 'target to compare; repeatable; by default all of `ringside list targets`'),
      shortEnv: 'TARGET',
    }),
    targetFiles: targetFiles.meta(
      valued('target-file', 'file', 'YAML file of your servers to compare as well; repeatable'),
    ),
  }),
  ...addressOptions.shape,
  ...under(results, {
    repeat: countOption('repeat', 3, [1, 1000], 'runs of each target, in turn: A B C A B C'),
    isProving,
  }),
  axis: z
    .enum(['compression'])
    .optional()
    .meta({ flag: 'axis', help: 'measures each target with this and without, side by side' }),
  resume: word.meta(valued('resume', 'directory', 'continue the comparison in this directory')),
});

/** Designs of `compare`. Most options of one design are refused with the other. */
const designs = ['paired', 'runs'] as const;

export const pairedOptions = z.strictObject({
  design: choiceOption('design', designs, 'paired', 'all targets at once in turn, or whole runs one after another'),
  starts: countOption('starts', 8, [3, 64], 'fresh starts of all processes at most, as the budget allows (paired)'),
  rounds: countOption('rounds', 60, [12, 200], 'rounds of each start at most, as the budget allows (paired)'),
  slotMs: z.number().min(1).max(60_000).optional().meta({
    flag: 'slot',
    unit: 'duration',
    help: 'time of a target in a round; grows if needed (paired)',
  }),
  equalWithin: z.number().gt(0).max(0.5).default(0.05).meta({
    flag: 'equal',
    unit: 'share',
    help: 'targets count as equal within this difference (paired)',
  }),
  budgetMs: optionalDuration(
    'budget',
    [10_000, 3_600_000],
    'no start ends later; default: 90s, or what five starts take (paired)',
  ),
});

export type PairedOptions = z.output<typeof pairedOptions>;
export type FleetOptions = z.output<typeof fleetOptions>;
export type TargetOptions = z.output<typeof targetOptions>;
export type RepeatOptions = z.output<typeof repeatOptions>;
export type CompareOptions = z.output<typeof compareOptions>;
