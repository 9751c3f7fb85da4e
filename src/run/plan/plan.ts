import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { DescribedModule, JobSlots } from '../../contract/job.js';
import { optionProblems, type Problem, ProblemError, problem } from '../../contract/problems.js';
import { publishWayOf } from '../../measure/declaration.js';
import { isRatioText, type RatioThreshold, type Threshold } from '../../measure/threshold.js';
import { type Given, resolveOptions } from '../../options/resolve.js';
import { withModules } from '../../scenarios/flow/index.js';
import { type LoadOptions, loadOptions, loadOptionsOfBothKinds, shownLoad } from '../../scenarios/load-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { targets } from '../../targets/list.js';
import { parseAddressRanges } from '../../units/addresses.js';
import type { PlannedModule } from '../flow/read-modules.js';
import { type ExternalTarget, readTargetFiles } from '../server/external-targets.js';
import {
  type PlannedTarget,
  publishersByThemselves,
  targetOfRun,
  targetOfSeveral,
  targetVerbProblems,
} from '../server/planned.js';
import { equip } from '../server/target-options.js';
import { untilFault } from '../until.js';
import { addressed, isAbleTo, sidesOn } from './axis.js';
import { loadSchema, withLength } from './length.js';
import {
  addressOptions,
  type CompareOptions,
  compareOptions,
  type FleetOptions,
  fleetOptions,
  type PairedOptions,
  type RepeatOptions,
  repeatOptions,
  type TargetOptions,
  targetOptions,
} from './run-options.js';
import { lackingSamples, ratiosOf, thresholdsOf } from './thresholds.js';
import { libraryProblems, readPem, withWay } from './way.js';

/** Describes one fully resolved run: every value and its source. A run that goes on needs no code of its modules. */
export interface Plan<M extends DescribedModule = PlannedModule> {
  scenario: Scenario;
  options: Record<string, unknown>;
  load: LoadOptions;
  fleet: FleetOptions & { seed: number };
  thresholds: readonly Threshold[];
  target: PlannedTarget;
  modules?: readonly M[];
  slots?: JobSlots;
  /** The figure that ends the run once it is known: `delivery.p99 ±10%`. */
  until?: string | undefined;
  sources: Record<string, string>;
}

/** Holds the input of a user: flags by key, the environment, and the entries of a job file. */
export type GivenForRun = Required<Pick<Given, 'flags' | 'env' | 'file'>>;

export function runSchema(scenario: Scenario): z.ZodObject {
  return z.strictObject({
    ...targetOptions.shape,
    ...loadSchema(scenario).shape,
    ...loadOptions.shape,
    ...fleetOptions.shape,
    ...repeatOptions.shape,
  });
}

/** Returns the options of `bracket SCENARIO`, which uses both kinds of clients. */
export function bracketSchema(scenario: Scenario): z.ZodObject {
  return z.strictObject({
    ...targetOptions.shape,
    ...loadSchema(scenario).shape,
    ...loadOptionsOfBothKinds.shape,
    ...fleetOptions.shape,
    repeat: repeatOptions.shape.repeat,
  });
}

export function compareSchema(scenario: Scenario): z.ZodObject {
  return z.strictObject({
    ...compareOptions.shape,
    ...loadSchema(scenario).shape,
    ...loadOptions.shape,
    ...fleetOptions.shape,
  });
}

/** Holds the resolved options of a command. Wrong ones are in `problems` and have defaults. */
export interface Reading {
  values: Record<string, unknown>;
  sources: Record<string, string>;
  /** Flag or variable by which the user gave each option. */
  names: Record<string, string>;
  wrong: readonly string[];
  problems: Problem[];
  env: Record<string, string | undefined>;
}

/** Resolves the options that a command lists. The plan of the command refuses the wrong ones. */
export function readOptions(schema: z.ZodObject, given: Given & Pick<GivenForRun, 'env'>): Reading {
  const { values, sources, names, ...rest } = resolveOptions(schema, given);
  const { issues, wrong } = rest.ok ? { issues: [], wrong: [] } : rest;
  return { values, sources, names, wrong, problems: optionProblems(issues), env: given.env };
}

/** Returns the values of these options. A command that does not list one of them leaves it at its default. */
export function valuesOf<S extends z.ZodObject>(schema: S, { values }: Pick<Reading, 'values'>): z.output<S> {
  const defaults = schema.safeParse({}).data as Record<string, unknown> | undefined;
  const keys = Object.keys(schema.shape);
  return Object.fromEntries(keys.map((key) => [key, key in values ? values[key] : defaults?.[key]])) as z.output<S>;
}

/** Returns a reading without the options of a command that it does not pass on to its runs. */
export function readingWithout(own: z.ZodObject, read: Reading): Reading {
  const rest = <T>(of: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(of).filter(([key]) => !(key in own.shape)));
  return { ...read, values: rest(read.values), sources: rest(read.sources) };
}

function sourcesOf(schema: z.ZodObject, { sources }: Reading): Plan['sources'] {
  return Object.fromEntries(Object.keys(schema.shape).map((key) => [key, sources[key] ?? 'default']));
}

/** Plans one run from the options of its command. Throws `ProblemError` with all problems together. */
export function planRun(
  scenario: Scenario,
  given: Reading,
  modules: readonly PlannedModule[] = [],
): Plan & RepeatOptions {
  const read = withLength(scenario, given);
  const { names, problems } = read;
  const shared = common(scenario, read, modules);
  const targetOptionsGiven = valuesOf(targetOptions, read);
  const own = readTargetFiles(targetOptionsGiven.targetFiles ?? [], read.env, problems);
  const asked = withoutWeaker(targetOptionsGiven, own, read);
  const { target: named } = asked;
  const chosen = own.filter(({ name }) => name === named || (named === undefined && own.length === 1));
  publishTo(shared, asked.targetUrl === undefined ? chosen.map(({ options }) => options) : [asked]);
  // Skip checks across options after a parse error.
  const target = isRight(targetOptions, read) ? targetOfRun(asked, own, { ...shared, names }, problems) : undefined;
  if (target) equip([target], shared.fleet, problems);
  const load = target && isRight(scenario.options, read) ? withWay(shared, target, read.env, problems) : shared.load;
  const more = valuesOf(repeatOptions, read);
  const fault = more.until === undefined ? undefined : untilFault(more.until, shared.scenario, shared.options);
  if (fault !== undefined) problems.push(problem('badOption', `--until: ${fault}`));
  if (problems.length > 0 || !target) throw new ProblemError(problems);
  return { ...shared, load, target, sources: sourcesOf(runSchema(scenario), read), ...more };
}

/** Makes a plan for each target, with one shape and seed. Only a `design` takes ratios as thresholds. Throws. */
export function planCompare(
  scenario: Scenario,
  given: Reading,
  own: readonly ExternalTarget[] = [],
  design?: PairedOptions['design'],
  modules: readonly PlannedModule[] = [],
): RepeatOptions & Pick<CompareOptions, 'resume' | 'axis'> & { plans: Plan[]; ratios: RatioThreshold[] } {
  const read = withLength(scenario, given);
  const { problems } = read;
  const { targets: asked, targetFiles, repeat, isProving, resume, axis } = valuesOf(compareOptions, read);
  const { thresholds: texts } = valuesOf(fleetOptions, read);
  const isRatio = (text: string): boolean => design !== undefined && isRatioText(text);
  const [ofRuns, ofRatios] = [texts.filter((text) => !isRatio(text)), texts.filter(isRatio)];
  const options = valuesOf(scenario.options, read);
  // By default every able target takes part. Naming one that is not able is a mistake.
  const contestants = targets.filter((target) => {
    if (target.isKnownTruth || (axis && !isAbleTo(axis, target))) return false;
    if (targetVerbProblems(scenario, target, options).length > 0) return false;
    return publishWayOf(scenario, options) !== 'in-process' || publishersByThemselves.includes(target.name);
  });
  const shared = common(scenario, { ...read, values: { ...read.values, thresholds: ofRuns } }, modules);
  const sources = sourcesOf(compareSchema(scenario), read);
  const owned = [...own, ...readTargetFiles(targetFiles ?? [], read.env, problems)];
  if (isRight(addressOptions, read)) owned.push(...addressed(valuesOf(addressOptions, read), problems));
  publishTo(
    shared,
    owned.map((each) => each.options),
  );
  const named = asked.includes('all') ? contestants.map((target) => target.name) : asked;
  const strongestOwn = isWeaker(sources.targetUrl, sources.targetFiles) ? 'targetFiles' : 'targetUrl';
  const isAlone = owned.length > own.length && isWeaker(sources.targets, sources[strongestOwn]);
  const chosen = new Set([...(isAlone ? [] : named), ...owned.map(({ name }) => name)]);
  const each = [...chosen].flatMap((name) => {
    const target = targetOfSeveral(name, owned, { ...shared, names: { target: read.names.targets } }, problems);
    if (!target) return [];
    const load = isRight(scenario.options, read) ? withWay(shared, target, read.env, problems) : shared.load;
    return [{ ...shared, load, target, sources }];
  });
  if (axis) problems.push(...libraryProblems({ ...shared.load, [axis]: 'require' }));
  if (axis && isProving) problems.push(problem('badOption', '--axis: does not go with --prove'));
  if (ofRatios.length > 0 && isProving)
    problems.push(problem('badOption', '--threshold: a ratio of two targets does not go with --prove'));
  equip(
    each.map(({ target }) => target),
    shared.fleet,
    problems,
  );
  const plans = axis ? each.flatMap((plan) => sidesOn(axis, plan)) : each;
  const names = plans.map(({ target }) => target.name);
  const ratios = ratiosOf(shared.scenario, design ?? 'runs', names, ofRatios, problems);
  if (problems.length > 0) throw new ProblemError(problems);
  return { plans, repeat, isProving, resume, ratios, axis };
}

function publishTo(
  plan: Pick<Plan, 'scenario' | 'options'>,
  external: readonly Pick<TargetOptions, 'publishUrl'>[],
): void {
  if (external.every(({ publishUrl }) => publishUrl !== undefined)) return;
  plan.options = { ...plan.options, ...plan.scenario.unpublished?.(plan.options) };
}

const fileHint = 'Give the file of your flow: ringside run flow chat.ts';

type Unshaped = 'thresholds' | 'target' | 'sources';

/** Returns the properties that runs must share to be compared: all that affects the target, and nothing of the rig. */
export function shapeOf({
  scenario,
  options,
  load,
  fleet,
  slots,
  modules,
}: Omit<Plan<DescribedModule>, Unshaped>): Record<string, unknown> {
  const { client, maxInFlight, compression, compressionOptions, tlsResume, clientsPerHttp2 } = load;
  const { targetCert, proxy } = shownLoad(load);
  const ofLoad = {
    ...{ client, maxInFlight, ...(compression !== 'off' && { compression, compressionOptions }) },
    ...{ ...(tlsResume !== 'none' && { tlsResume }), ...(targetCert && { targetCert }), ...(proxy && { proxy }) },
    ...(clientsPerHttp2 && { clientsPerHttp2 }),
  };
  const inTurn = slots && { slots: { slotsMs: slots.slotsMs } };
  const ofUser = modules && { modules: modules.map(({ digest, weight }) => ({ digest, weight })) };
  // The number of processes counts as the user gave it for all targets. The default of each target is left out.
  const { targetProcesses = 1 } = fleet;
  return { scenario: scenario.name, options, ...ofLoad, targetProcesses, ...inTurn, ...ofUser };
}

function isRight(part: z.ZodObject, { wrong }: Reading): boolean {
  return !wrong.some((key) => key in part.shape);
}

const strongest = ['flag', 'environment', 'file', 'default'];

function isWeaker(one = '', than = ''): boolean {
  return strongest.indexOf(one) > strongest.indexOf(than);
}

/** TARGET in the environment may belong to another program. */
function withoutWeaker(
  asked: TargetOptions,
  own: readonly ExternalTarget[],
  { sources, names, problems }: Reading,
): TargetOptions {
  const { target, targetUrl, targetFiles } = asked;
  if (target === undefined) return asked;
  if (targetUrl !== undefined) {
    if (!isWeaker(sources.target, sources.targetUrl))
      problems.push(
        problem('badOption', `${names.target} and ${names.targetUrl}: expected one of them, received both`),
      );
    return { ...asked, target: undefined };
  }
  const isMeant = own.some(({ name }) => name === target) || !isWeaker(sources.target, sources.targetFiles);
  return (targetFiles ?? []).length > 0 && !isMeant ? { ...asked, target: undefined } : asked;
}

function common(named: Scenario, read: Reading, modules: readonly PlannedModule[]): Omit<Plan, 'target' | 'sources'> {
  const { problems } = read;
  const scenario = withModules(named, modules);
  if (scenario.runsModules && modules.length === 0)
    problems.push(problem('badFlow', `${scenario.name}: expected the file of a flow, received none`, fileHint));
  const load = valuesOf(loadOptions, read);
  const fleet = valuesOf(fleetOptions, read);
  const addresses = parseAddressRanges(load.localAddresses);
  problems.push(...addresses.errors.map((text) => problem('badOption', `--local-address: ${text}`)));
  problems.push(...libraryProblems(load));
  const caPem = load.caPem === undefined ? undefined : readPem(load.caPem, problems);
  const options = valuesOf(scenario.options, read);
  const thresholds = thresholdsOf(scenario, fleet.thresholds, problems, fleet.series);
  if (isRight(scenario.options, read)) {
    const lacking = thresholds.flatMap((threshold) => lackingSamples(threshold, scenario, options) ?? []);
    const wrong = [
      ...(scenario.contradictions?.(options, load) ?? []),
      ...lacking.map((text) => `--threshold: ${text}`),
    ];
    problems.push(...wrong.map((text) => problem('badOption', text)));
  }
  return {
    scenario,
    ...(modules.length > 0 && { modules }),
    thresholds,
    options,
    load: { ...load, caPem },
    fleet: { ...fleet, seed: fleet.seed ?? randomInt(0x1_0000_0000) },
  };
}
