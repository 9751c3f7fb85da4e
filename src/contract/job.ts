import { z } from 'zod';
import { validateOptions } from '../options/resolve.js';
import { protocolByName, protocolOptionsOf, protocols } from '../protocols/list.js';
import type { Verb } from '../protocols/protocol.js';
import { scenarioByName } from '../scenarios/list.js';
import { type LoadOptions, loadOptions } from '../scenarios/load-options.js';
import { publishWayOf } from '../scenarios/publish-ways.js';
import type { Demand, Scenario } from '../scenarios/scenario.js';
import { targets } from '../targets/list.js';
import { parseAddressRanges } from '../units/addresses.js';
import { headerFault } from '../units/headers.js';
import { pemFault } from '../units/pem.js';
import { httpUrl, webSocketUrl } from './addresses.js';
import { type Problem, ProblemError, problem } from './problems.js';

/** Changes whenever driver and bench-runner could misunderstand each other. */
export const contractVersion = 6;

const headers = z.record(z.string(), z.string()).check(({ value, issues }) => {
  for (const [name, each] of Object.entries(value)) {
    const message = headerFault(name, each);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  }
});

/** Where a job finds its target. `publishHeaders` may hold a secret: its values never reach logs or results. */
export const jobTarget = z.strictObject({
  /** Clients are dealt over these addresses in turn; `{client}` in a query is the client's number in the run, from 0. */
  wsUrls: z.array(webSocketUrl).min(1),
  publishUrl: httpUrl,
  /** Where else publishes are taken: each goes to the next address in turn, and beyond those that refuse a connection. */
  furtherPublishUrls: z.array(httpUrl).default([]),
  /** Where the target takes batches that it publishes by itself; none where it offers that nowhere. */
  inProcessUrl: httpUrl.optional(),
  publishHeaders: headers.default({}),
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
  /** What `protocolOptionsOf` declares, by key; a value may be secret. */
  protocolOptions: z.record(z.string(), z.unknown()).default({}),
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
  const isInProcess = scenario && given && publishWayOf(scenario, given) === 'in-process';
  if (isInProcess && shape.success && shape.data.target.inProcessUrl === undefined)
    problems.push(problem('badBody', 'target.inProcessUrl: expected an http:// or https:// address, received nothing'));
  const load = validateOptions(loadOptions, isObject(raw.load) ? raw.load : {});
  const givenToClients = isObject(raw.protocolOptions) ? raw.protocolOptions : {};
  const protocolOptions = protocol && validateOptions(protocolOptionsOf(protocol), givenToClients);
  for (const [place, checked] of Object.entries({ options, load, protocolOptions })) {
    if (!checked || checked.ok) continue;
    for (const { option, expected, received } of checked.issues)
      problems.push(problem('badBody', `${place}.${option}: expected ${expected}, received ${received}`));
  }
  if (load.ok) problems.push(...loadProblems(load.values));
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

/** What no schema of an option tells, as the same option is a file's name where it is given. */
function loadProblems({ localAddresses, caPem }: LoadOptions): Problem[] {
  const faults = parseAddressRanges(localAddresses).errors.map((text) => `load.localAddresses: ${text}`);
  const ofPem = caPem === undefined ? undefined : pemFault(caPem);
  if (ofPem !== undefined) faults.push(`load.caPem: expected certificates in PEM, received none (${ofPem})`);
  return faults.map((text) => problem('badBody', text));
}

/** What a protocol lacks for a scenario, and for these of its options where they are known. */
export function verbProblems(
  scenario: Scenario,
  protocol: string,
  verbs: readonly string[],
  options?: Record<string, unknown>,
): Problem[] {
  const needed = scenario.needs(options);
  const lacking = needed.filter((verb) => !verbs.includes(verb));
  if (lacking.length === 0) return [];
  const hint = ableTo(needed);
  return lacking.map((verb) =>
    problem('missingVerb', `scenario ${scenario.name} needs "${verb}", which protocol ${protocol} has not`, hint),
  );
}

/** Who has all of these verbs; undefined where nobody has. */
function ableTo(needed: readonly Verb[]): string | undefined {
  const able = protocols.filter(({ verbs }) => needed.every((verb) => verbs.includes(verb))).map(({ name }) => name);
  if (able.length === 0) return undefined;
  const speaking = targets.filter(({ protocol, isKnownTruth }) => able.includes(protocol) && !isKnownTruth);
  const names = speaking.map(({ name }) => name).join(', ');
  return `Protocols that have what it needs: ${able.join(', ')}${names === '' ? '' : `; targets that speak them: ${names}`}.`;
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
