import { z } from 'zod';
import { httpUrl, webSocketUrl } from '../units/addresses.js';
import { headerFault } from '../units/http.js';
import { isMap } from '../units/text.js';
import {
  ourName,
  outside,
  outsideSentence,
  outsideSettings,
  outsideVersions,
  type Problem,
  problem,
} from './problems.js';
import { jobStatus } from './shard.js';

/** Largest module that a bench-runner takes. Rows of data files are a part of it. */
export const mostModuleBytes = 16 * 2 ** 20;

export const moduleDigest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 of 64 hex digits');

/** Names a module of a job. `PUT /modules/:digest` sends the module itself, before the job. */
export const jobModule = z.strictObject({
  digest: moduleDigest,
  name: z.string().min(1).max(256),
  /** Its share of the clients, relative to the other modules. */
  weight: z.number().int().min(1).max(1_000_000),
  /** Result of the flow's `setup`. It may hold secrets. */
  shared: z.json().optional(),
});

export type JobModule = z.output<typeof jobModule>;

/** Describes a module in results: never with rows of its data, or what its `setup` returned. */
export const describedModule = z.strictObject({
  name: outside,
  digest: moduleDigest,
  weight: jobModule.shape.weight,
  metrics: z.record(ourName, outsideSentence),
});

export type DescribedModule = z.output<typeof describedModule>;

/** Begins the names of the variables that a user's module sees in a worker. */
export const moduleVariable = 'RINGSIDE_FLOW_';
/** Variables that Node, packages or our tests need in every worker. */
const neededVariables = ['NODE_ENV', 'NODE_OPTIONS', 'TEST_ADDON'];

/** Returns what the modules of a user may see of an environment, which holds secrets of others. */
export function moduleEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const isSeen = (name: string): boolean => name.startsWith(moduleVariable) || neededVariables.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isSeen(name)));
}

/** Header with a driver's name. A shard takes orders about a run from one driver at a time. */
export const driverHeader = 'ringside-driver';

/** Name of a driver, as shown to others that find a shard taken. It travels in a header, too. */
export const driverName = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'expected a name of printable ASCII characters');

/** Describes a target in results. No value in it is secret. */
export const describedTarget = z.strictObject({
  name: outside,
  protocol: outside,
  client: outside,
  wsUrl: outsideSentence,
  publishUrl: outsideSentence,
  isOurs: z.boolean(),
  versions: outsideVersions,
  settings: outsideSettings,
});

/** Holds what another driver needs to judge and keep a run. It is posted with the job. */
const runPlan = z.strictObject({
  startedAt: z.iso.datetime(),
  target: describedTarget.extend({
    wsUrl: outsideSentence.pipe(webSocketUrl),
    publishUrl: outsideSentence.pipe(httpUrl),
  }),
  /** Addresses where the target reports on itself. Addresses that hold a secret stay with the first driver. */
  sights: z.strictObject({ statsUrl: httpUrl.optional(), metricsUrl: httpUrl.optional() }),
  /** Set if only the first driver can read more of the target: by process id, or with a secret. */
  hasOwnSights: z.boolean(),
  thresholds: z.array(outsideSentence),
  series: z.array(outsideSentence).default([]),
  modules: z.array(describedModule).default([]),
  sources: z.record(ourName, outside),
  targetMemoryBytes: z.number().positive().optional(),
  targetProcesses: z.number().int().positive().optional(),
});

export type RunPlan = z.output<typeof runPlan>;

/** Changes whenever driver and bench-runner could misunderstand each other. */
export const contractVersion = 14;

const headers = z.record(z.string(), z.string()).check(({ value, issues }) => {
  for (const [name, each] of Object.entries(value)) {
    const message = headerFault(name, each);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  }
});

/** Describes how a job reaches its target. Logs and results never show `publishHeaders`. */
const jobTarget = z.strictObject({
  /** Clients use these addresses in turn. Values of the client replace slots in path and query. */
  wsUrls: z.array(webSocketUrl).min(1),
  publishUrl: httpUrl,
  furtherPublishUrls: z.array(httpUrl).default([]),
  inProcessUrl: httpUrl.optional(),
  publishHeaders: headers.default({}),
});

/** Describes the place of a job in a paired comparison. All jobs of a group run at once, each in its slots. */
const jobSlots = z
  .strictObject({
    group: z.string().regex(/^[0-9a-f]{8}$/, 'expected eight hex digits'),
    seed: z.number().int().min(0).max(0xffff_ffff),
    place: z.number().int().min(0),
    /** Warm-up included. */
    rounds: z.number().int().min(1).max(10_000),
    /** By target of the comparison, in the order of their places. */
    slotsMs: z.array(z.number().min(1).max(60_000)).min(2).max(64),
  })
  .refine((slots) => slots.place < slots.slotsMs.length, 'expected a slot for each place');

export type JobSlots = z.output<typeof jobSlots>;

/** Describes the body of `POST /jobs`: the whole job, and the slice of it for this shard. */
export const jobRequest = z.strictObject({
  contract: z.literal(contractVersion, { error: `expected contract version ${contractVersion}` }),
  runId: z.string().regex(/^[0-9a-f]{8}$/, 'expected eight hex digits'),
  idempotencyKey: z.string().min(1).max(100),
  driver: driverName,
  scenario: z.string(),
  protocol: z.string(),
  /** Options that `protocolOptionsOf` declares, by key. A value may be secret. */
  protocolOptions: z.record(z.string(), z.unknown()).default({}),
  target: jobTarget,
  stream: z.string().min(1).max(200),
  slice: z
    .strictObject({ index: z.number().int().min(0), of: z.number().int().min(1).max(1000) })
    .refine((slice) => slice.index < slice.of, 'expected index below of'),
  seed: z.number().int().min(0).max(0xffff_ffff),
  /** Broadcasts follow these slots instead of an even schedule. */
  slots: jobSlots.optional(),
  options: z.record(z.string(), z.unknown()),
  load: z.record(z.string(), z.unknown()).default({}),
  modules: z.array(jobModule).max(64).default([]),
  /** Plan for another driver that takes over. Left out if no driver can. */
  plan: runPlan.optional(),
});

export type JobRequest = z.input<typeof jobRequest>;

/** Reads a job body as sent. Returns its content and every problem of its shape. */
export function readRequest(body: unknown): { request: z.output<typeof jobRequest> | undefined; problems: Problem[] } {
  const shape = jobRequest.safeParse(body);
  if (shape.success) return { request: shape.data, problems: [] };
  return { request: undefined, problems: shape.error.issues.map((issue) => bodyProblem(issue, body)) };
}

function bodyProblem(issue: z.core.$ZodIssue, body: unknown): Problem {
  const place = issue.path.join('.') || 'the body';
  if (issue.code === 'unrecognized_keys') {
    return problem('badBody', `${place}: unknown ${issue.keys.length > 1 ? 'keys' : 'key'} ${issue.keys.join(', ')}`);
  }
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], body);
  const expected = issue.message.replace(/^[^:]*: (?=expected)/, '').replace(/, received \w+$/, '');
  return problem('badBody', `${place}: ${expected}, received ${receivedText(value, issue)}`);
}

/** Describes the received value in a line. It hides headers, and text in place of an object, which may be secret. */
function receivedText(value: unknown, issue: z.core.$ZodIssue): string {
  if (value === undefined) return 'nothing';
  if (issue.path.some((key) => key === 'publishHeaders' || key === 'shared')) return '(hidden)';
  if (Array.isArray(value)) return 'a list';
  if (isMap(value)) return 'an object';
  const isWhole = issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'record');
  return typeof value === 'string' && isWhole ? 'text' : JSON.stringify(value).slice(0, 80);
}

/** Maximum size of a body of `POST /jobs/:id/left`. */
export const mostLeftBytes = 16 * 2 ** 20;

/** Holds the observations of a driver that leaves a run on its shards. Shards only keep it; readers must check it. */
export const leftBody = z.record(z.string(), z.unknown());

export type LeftBody = z.output<typeof leftBody>;

const order = jobRequest
  .pick({ options: true, slice: true, seed: true, plan: true })
  .extend({ scenario: ourName, load: z.looseObject({ leaseMs: z.number().min(0) }) });

/** Describes `GET /runs/:runId`, for a driver that did not begin the run. It does not renew the lease. */
export const runState = z.strictObject({
  order,
  status: jobStatus,
  /** Opened gates. True if the round behind a gate is skipped. */
  gates: z.record(ourName, z.boolean()),
  driver: z.strictObject({
    name: outside,
    silentMs: z.number().min(0),
    /** Set if another driver may take over: the driver left, or was silent for long enough. */
    isGone: z.boolean(),
  }),
  left: leftBody.nullable(),
});

export type RunState = z.output<typeof runState>;
