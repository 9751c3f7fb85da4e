import { z } from 'zod';
import { validateOptions } from '../options/resolve.js';
import { protocolByName } from '../protocols/list.js';
import { scenarioByName } from '../scenarios/list.js';
import { type LoadOptions, loadOptions } from '../scenarios/load-options.js';
import type { Demand, Scenario } from '../scenarios/scenario.js';
import { type Problem, ProblemError, problem } from './problems.js';

/** Changes whenever driver and bench-runner could misunderstand each other. */
export const contractVersion = 3;

const webSocketUrl = z.url({ protocol: /^wss?$/, error: 'expected a ws:// or wss:// address' });
const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' });

/** Where a job finds its target. `publishHeaders` may carry a secret: it never reaches logs or results. */
export const jobTarget = z.strictObject({
  /** One address, or one for each process of the target: clients are dealt over them in turn. */
  wsUrls: z.array(webSocketUrl).min(1),
  publishUrl: httpUrl,
  /** Where else publishes are taken: each goes to the next address in turn, and beyond those that refuse a connection. */
  furtherPublishUrls: z.array(httpUrl).default([]),
  /** Where the target takes batches that it publishes by itself; none where it offers that nowhere. */
  inProcessUrl: httpUrl.optional(),
  publishHeaders: z.record(z.string(), z.string()).default({}),
});

/** The body of `POST /jobs`: the whole order, and which slice of it this shard takes. */
export const jobRequest = z.strictObject({
  contract: z.literal(contractVersion, { error: `expected contract version ${contractVersion}` }),
  runId: z.string().regex(/^[0-9a-f]{8}$/, 'expected eight hex digits'),
  idempotencyKey: z.string().min(1).max(100),
  /** Who asks, as shown to others that find the shard taken. */
  driver: z.string().min(1).max(100),
  scenario: z.string(),
  protocol: z.string(),
  target: jobTarget,
  stream: z.string().min(1).max(200),
  slice: z
    .strictObject({ index: z.number().int().min(0), of: z.number().int().min(1).max(1000) })
    .refine((slice) => slice.index < slice.of, 'expected index below of'),
  seed: z.number().int().min(0).max(0xffff_ffff),
  options: z.record(z.string(), z.unknown()),
  load: z.record(z.string(), z.unknown()).default({}),
});

export type JobRequest = z.input<typeof jobRequest>;

/** A job that a shard can run: every name resolved, every value checked. */
export interface Job extends Omit<z.output<typeof jobRequest>, 'options' | 'load' | 'scenario' | 'protocol'> {
  scenario: Scenario;
  protocol: string;
  options: Record<string, unknown>;
  load: LoadOptions;
  demand: Demand;
}

/** Checks a job body whole. Throws `ProblemError` with every problem at once. */
export function parseJob(body: unknown): Job {
  const shape = jobRequest.safeParse(body);
  const problems: Problem[] = shape.success ? [] : shape.error.issues.map((issue) => bodyProblem(issue, body));
  const raw = isObject(body) ? body : {};
  const scenario = typeof raw.scenario === 'string' ? scenarioByName(raw.scenario) : undefined;
  const protocol = typeof raw.protocol === 'string' ? protocolByName(raw.protocol) : undefined;
  if (typeof raw.scenario === 'string' && !scenario) problems.push(unknownName('scenario', raw.scenario));
  if (typeof raw.protocol === 'string' && !protocol) problems.push(unknownName('protocol', raw.protocol));
  // What is no object at all is told of by the shape.
  const options = scenario && validateOptions(scenario.options, isObject(raw.options) ? raw.options : {});
  const given = options?.ok ? (options.values as Record<string, unknown>) : undefined;
  if (scenario && protocol) problems.push(...verbProblems(scenario, protocol.name, protocol.verbs, given));
  if (given && scenario?.publishesInProcess?.(given) && shape.success && shape.data.target.inProcessUrl === undefined)
    problems.push(problem('badBody', 'target.inProcessUrl: expected an http:// or https:// address, received nothing'));
  const load = validateOptions(loadOptions, isObject(raw.load) ? raw.load : {});
  for (const checked of [options, load]) {
    if (checked && !checked.ok) {
      const place = checked === load ? 'load' : 'options';
      for (const issue of checked.issues) {
        problems.push(
          problem('badBody', `${place}.${issue.option}: expected ${issue.expected}, received ${issue.received}`),
        );
      }
    }
  }
  if (problems.length > 0 || !shape.success || !scenario || !options?.ok || !load.ok) throw new ProblemError(problems);
  const values = options.values as Record<string, unknown>;
  return {
    ...shape.data,
    scenario,
    options: values,
    load: load.values,
    demand: scenario.demand(values, load.values),
  };
}

/** What a protocol lacks for a scenario, and for these of its options where they are known. */
export function verbProblems(
  scenario: Scenario,
  protocol: string,
  verbs: readonly string[],
  options?: Record<string, unknown>,
): Problem[] {
  return scenario
    .needs(options)
    .filter((verb) => !verbs.includes(verb))
    .map((verb) =>
      problem('missingVerb', `scenario ${scenario.name} needs "${verb}", which protocol ${protocol} has not`),
    );
}

function unknownName(kind: string, name: string): Problem {
  return problem('unknownName', `${kind}: there is none called ${JSON.stringify(name)}`);
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

/** What was received, in a line: never a header, nor text that stands where an object should be, for either may hold a secret. */
function receivedText(value: unknown, issue: z.core.$ZodIssue): string {
  if (value === undefined) return 'nothing';
  if (issue.path.includes('publishHeaders')) return '(hidden)';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  const isWhole = issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'record');
  return typeof value === 'string' && isWhole ? 'text' : JSON.stringify(value).slice(0, 80);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
