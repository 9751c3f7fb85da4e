import { z } from 'zod';
import { httpUrl, webSocketUrl } from '../units/addresses.js';
import { headerFault } from '../units/http.js';
import { jobModule } from './modules.js';
import { type Problem, problem } from './problems.js';
import { driverName, runPlan } from './run-plan.js';

/** Changes whenever driver and bench-runner could misunderstand each other. */
export const contractVersion = 13;

const headers = z.record(z.string(), z.string()).check(({ value, issues }) => {
  for (const [name, each] of Object.entries(value)) {
    const message = headerFault(name, each);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  }
});

/** Describes how a job reaches its target. Logs and results never show `publishHeaders`. */
export const jobTarget = z.strictObject({
  /** Clients use these addresses in turn. Values of the client replace slots in path and query. */
  wsUrls: z.array(webSocketUrl).min(1),
  publishUrl: httpUrl,
  /** Further publish addresses. Publishes take turns, and skip addresses that refuse a connection. */
  furtherPublishUrls: z.array(httpUrl).default([]),
  /** Address where the target accepts batches that it publishes by itself. Absent if the target has none. */
  inProcessUrl: httpUrl.optional(),
  publishHeaders: headers.default({}),
});

/** Describes the place of a job in a paired comparison. All jobs of a group run at once, each in its slots. */
export const jobSlots = z
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
  /** Name of the driver, as shown to others that find the shard taken. */
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
  /** Files of the user that the clients run. */
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
  if (isObject(value)) return 'an object';
  const isWhole = issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'record');
  return typeof value === 'string' && isWhole ? 'text' : JSON.stringify(value).slice(0, 80);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
