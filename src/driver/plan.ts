import { randomInt, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type LoadOptions, loadOptions, protocolByName, type Scenario } from '../contract/catalog.js';
import { verbProblems } from '../contract/job.js';
import { type Problem, ProblemError, problem } from '../contract/problems.js';
import type { Threshold } from '../measure/threshold.js';
import { optionsOf } from '../options/option.js';
import { resolveOptions } from '../options/resolve.js';
import { targetByName, targets } from '../targets/list.js';
import type { RailwayAccess } from '../targets/observe/railway.js';
import type { Target } from '../targets/target.js';
import { parseAddressRanges } from '../units/addresses.js';
import { inProcessProblems, publishersByThemselves } from './in-process.js';
import {
  type CompareOptions,
  compareOptions,
  type FleetOptions,
  fleetOptions,
  type RepeatOptions,
  repeatOptions,
  type TargetOptions,
  targetOptions,
} from './run-options.js';
import { type RestartWay, restartWay } from './target/restart-options.js';
import { targetOptionValues } from './target/target-options.js';
import { thresholdsOf } from './thresholds.js';

/** A target of a plan: one that we start, or one that runs already. */
export type PlannedTarget =
  | { isOurs: true; name: string; protocol: string; target: Target; options: Record<string, unknown> }
  | {
      isOurs: false;
      name: string;
      protocol: string;
      wsUrl: string;
      publishUrl: string;
      inProcessUrl?: string | undefined;
      statsUrl: string | undefined;
      metricsUrl: string | undefined;
      railway: RailwayAccess | undefined;
      publishHeaders: Record<string, string>;
      restart?: RestartWay | undefined;
    };

/** One run, fully resolved: every value and where it came from. */
export interface Plan {
  scenario: Scenario;
  options: Record<string, unknown>;
  load: LoadOptions;
  fleet: FleetOptions & { seed: number };
  thresholds: readonly Threshold[];
  target: PlannedTarget;
  sources: Record<string, string>;
}

/** What a user gave: flags by key, the environment, and the entries of a job file. */
export interface Given {
  flags: Record<string, unknown>;
  env: Record<string, string | undefined>;
  file: Record<string, unknown>;
}

/** The options of a command that makes one run of a scenario, in the order of its help. */
export function planSchema(scenario: Scenario): z.ZodObject {
  return z.strictObject({
    ...targetOptions.shape,
    ...scenario.options.shape,
    ...loadOptions.shape,
    ...fleetOptions.shape,
  });
}

/** The options of `run SCENARIO`, in the order of its help. */
export function runSchema(scenario: Scenario): z.ZodObject {
  return z.strictObject({ ...planSchema(scenario).shape, ...repeatOptions.shape });
}

/** The options of `bracket SCENARIO`: those of `run`, but for the clients, which are of both kinds. */
export function bracketSchema(scenario: Scenario): z.ZodObject {
  return runSchema(scenario).omit({ client: true, isProving: true });
}

/** The options of `compare SCENARIO`, in the order of its help. */
export function compareSchema(scenario: Scenario): z.ZodObject {
  return z.strictObject({
    ...compareOptions.shape,
    ...scenario.options.shape,
    ...loadOptions.shape,
    ...fleetOptions.shape,
  });
}

/** Resolves one run. Throws `ProblemError` with every problem at once. */
export function planRun(scenario: Scenario, given: Given): Plan & RepeatOptions {
  const { values, sources } = resolved(runSchema(scenario), given);
  const problems: Problem[] = [];
  const shared = common(scenario, values, problems);
  const target = plannedTarget(pick(targetOptions, values) as TargetOptions, shared, problems);
  if (target) giveOptions([target], shared.fleet.targetSettings, problems);
  if (problems.length > 0 || !target) throw new ProblemError(problems);
  return { ...shared, target, sources, ...(pick(repeatOptions, values) as RepeatOptions) };
}

/** Resolves a comparison: one plan per target, all of one shape and one seed. Throws `ProblemError` with every problem at once. */
export function planCompare(scenario: Scenario, given: Given): RepeatOptions & { plans: Plan[] } {
  const { values, sources } = resolved(compareSchema(scenario), given);
  const { targets: names, repeat, isProving } = pick(compareOptions, values) as CompareOptions;
  const options = pick(scenario.options, values);
  // By default whoever can take part does; one that is named and can't is a mistake.
  const contestants = targets.filter(
    ({ name, isKnownTruth, protocol }) =>
      isKnownTruth !== true &&
      verbProblems(scenario, protocol, protocolByName(protocol)?.verbs ?? [], options).length === 0 &&
      (!scenario.publishesInProcess?.(options) || publishersByThemselves.includes(name)),
  );
  const chosen = names.includes('all') ? contestants.map((target) => target.name) : names;
  const problems: Problem[] = [];
  const shared = common(scenario, values, problems);
  const plans = chosen.flatMap((name) => {
    const target = plannedTarget({ target: name }, shared, problems);
    return target ? [{ ...shared, target, sources }] : [];
  });
  giveOptions(
    plans.map(({ target }) => target),
    shared.fleet.targetSettings,
    problems,
  );
  if (problems.length > 0) throw new ProblemError(problems);
  return { plans, repeat, isProving };
}

/** What runs must share to be compared: all that the target can feel, nothing of how the rig is laid out. */
export function shapeOf({
  scenario,
  options,
  load,
  fleet,
}: Pick<Plan, 'scenario' | 'options' | 'load' | 'fleet'>): Record<string, unknown> {
  const { client, maxInFlight } = load;
  return { scenario: scenario.name, options, client, maxInFlight, targetProcesses: fleet.targetProcesses };
}

function resolved(
  schema: z.ZodObject,
  given: Given,
): { values: Record<string, unknown>; sources: Record<string, string> } {
  const result = resolveOptions(schema, given);
  if (result.ok) return { values: result.values, sources: result.sources };
  throw new ProblemError(
    result.issues.map((issue) =>
      problem('badOption', `${issue.option}: expected ${issue.expected}, received ${issue.received}`),
    ),
  );
}

function pick(schema: z.ZodObject, values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(schema.shape).map((key) => [key, values[key]]));
}

function common(
  scenario: Scenario,
  values: Record<string, unknown>,
  problems: Problem[],
): Omit<Plan, 'target' | 'sources'> {
  const load = pick(loadOptions, values) as LoadOptions;
  const fleet = pick(fleetOptions, values) as FleetOptions;
  const addresses = parseAddressRanges(load.localAddresses);
  problems.push(...addresses.errors.map((text) => problem('badOption', `--local-address: ${text}`)));
  const caPem = load.caPem === undefined ? undefined : readPem(load.caPem, problems);
  const options = pick(scenario.options, values);
  problems.push(...(scenario.contradictions?.(options) ?? []).map((text) => problem('badOption', text)));
  return {
    scenario,
    thresholds: thresholdsOf(scenario, fleet.thresholds, problems),
    options,
    load: { ...load, caPem },
    fleet: { ...fleet, seed: fleet.seed ?? randomInt(0x1_0000_0000) },
  };
}

function readPem(path: string, problems: Problem[]): string | undefined {
  try {
    const pem = readFileSync(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    problems.push(
      problem('badOption', `--ca: expected a PEM file of certificates, received ${path}: ${(error as Error).message}`),
    );
    return undefined;
  }
}

/** Undefined where `problems` say why. */
function plannedTarget(
  given: TargetOptions,
  { scenario, options }: Pick<Plan, 'scenario' | 'options'>,
  problems: Problem[],
): PlannedTarget | undefined {
  const planned =
    given.targetUrl === undefined
      ? ourTarget(given, problems)
      : broughtTarget(given, given.targetUrl, scenario, problems);
  const protocol = planned && protocolByName(planned.protocol);
  if (protocol) problems.push(...verbProblems(scenario, protocol.name, protocol.verbs, options));
  if (planned && scenario.publishesInProcess?.(options)) problems.push(...inProcessProblems(planned));
  return planned;
}

function ourTarget(given: TargetOptions, problems: Problem[]): PlannedTarget | undefined {
  const beside = optionsOf(targetOptions).filter(
    ({ key }) => key !== 'target' && given[key as keyof TargetOptions] !== undefined,
  );
  if (beside.length > 0) {
    const flags = beside.map(({ flag }) => `--${flag}`).join(', ');
    problems.push(problem('badOption', `${flags}: goes with --target-url, which is not given`));
  }
  if (given.target === undefined) {
    problems.push(
      problem('badOption', '--target: expected a target to start, or --target-url with --protocol and --publish-url'),
    );
    return undefined;
  }
  const target = targetByName(given.target);
  if (!target) {
    problems.push(problem('unknownName', `--target: there is no target called ${JSON.stringify(given.target)}`));
    return undefined;
  }
  return { isOurs: true, name: target.name, protocol: target.protocol, target, options: {} };
}

/** Hands `--target-option` on to the targets that we start. */
function giveOptions(planned: readonly PlannedTarget[], texts: readonly string[], problems: Problem[]): void {
  const ours = planned.filter((each) => each.isOurs);
  if (ours.length === 0 && texts.length > 0) {
    problems.push(problem('badOption', '--target-option: goes with --target, which is not given'));
    return;
  }
  const values = targetOptionValues(
    texts,
    ours.map(({ target }) => target),
    problems,
  );
  ours.forEach((each, index) => {
    each.options = values[index] ?? {};
  });
}

function broughtTarget(
  given: TargetOptions,
  wsUrl: string,
  scenario: Scenario,
  problems: Problem[],
): PlannedTarget | undefined {
  if (given.target !== undefined)
    problems.push(problem('badOption', '--target and --target-url: expected one of them, received both'));
  if (given.protocol === undefined || !protocolByName(given.protocol)) {
    problems.push(
      problem(
        'badOption',
        `--protocol: expected one of \`ringside list protocols\`, received ${given.protocol ?? 'nothing'}`,
      ),
    );
  }
  // Where nothing is published, the target's own address stands for one that nobody will use.
  const publishUrl = given.publishUrl ?? (scenario.publishes ? undefined : wsUrl.replace(/^ws/, 'http'));
  if (publishUrl === undefined)
    problems.push(problem('badOption', '--publish-url: expected an http:// or https:// address, received nothing'));
  const restart = restartWay(given, scenario, problems);
  if (given.protocol === undefined || publishUrl === undefined) return undefined;
  return {
    isOurs: false,
    name: new URL(wsUrl).host,
    protocol: given.protocol,
    wsUrl,
    publishUrl,
    inProcessUrl: given.inProcessUrl,
    statsUrl: given.statsUrl,
    metricsUrl: given.metricsUrl,
    railway: railwayAccess(given, problems),
    publishHeaders: given.publishToken === undefined ? {} : { authorization: `Bearer ${given.publishToken}` },
    restart,
  };
}

/** All three are needed to read a service's metrics; some of them are a mistake. */
function railwayAccess(given: TargetOptions, problems: Problem[]): RailwayAccess | undefined {
  const { railwayToken: token, railwayEnvironment: environmentId, railwayService: serviceId } = given;
  if (token === undefined && environmentId === undefined && serviceId === undefined) return undefined;
  if (token !== undefined && environmentId !== undefined && serviceId !== undefined) {
    return { token, tokenKind: 'account', environmentId, serviceId };
  }
  problems.push(
    problem('badOption', '--railway-token, --railway-environment, --railway-service: expected all three or none'),
  );
  return undefined;
}
