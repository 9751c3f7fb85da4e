import { dirname } from 'node:path';
import { type Problem, ProblemError } from '../../contract/problems.js';
import { parseThreshold, thresholdFault } from '../../measure/threshold.js';
import { fileKey, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { subjectsOf } from '../../results/figures.js';
import { fingerprint } from '../../results/fingerprint.js';
import { compareSchema, type GivenForRun, type Plan, planCompare, readOptions, shapeOf } from '../../run/plan/plan.js';
import { type ExternalTarget, readExternalTarget, type Variables } from '../../run/server/external-targets.js';
import { targetVerbProblems } from '../../run/server/planned.js';
import { protocolOf } from '../../run/server/client-values.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { targetByName, targets } from '../../targets/list.js';
import type { SuiteEntry, SuitePath, SuiteTarget, SuiteText } from './read.js';

/** Holds one entry of a suite: a plan for each of its targets. */
export interface PlannedEntry {
  name: string;
  scenario: Scenario;
  /** At least one plan. All have the same shape and fleet. */
  plans: readonly [Plan, ...Plan[]];
  repeat: number;
  isRequired: boolean;
  baseline: string | undefined;
}

export interface SuitePlan {
  name: string;
  hash: string;
  seed: number;
  entries: readonly PlannedEntry[];
}

/** Returns the fingerprint of the shape that all plans of an entry share. */
export function fingerprintOf({ plans: [first] }: Pick<PlannedEntry, 'plans'>): string {
  return fingerprint(shapeOf(first));
}

/** Returns the order of the runs of an entry, by round: A B C A B C, so that slow drift affects all alike. */
export function interleaved(cells: number, repeat: number): number[][] {
  return Array.from({ length: repeat }, () => Array.from({ length: cells }, (_, place) => place));
}

const elsewhere: Readonly<Record<string, string>> = {
  target: '`targets`',
  targetFile: '`targets`',
  repeat: '`repeat`',
  threshold: '`thresholds` of the entry',
  seed: '`seed` of the suite',
  results: 'the flag --results',
  strict: 'the flag --strict',
  json: 'the flag --json',
  markdown: 'the flag --markdown',
  junit: 'the flag --junit',
  html: 'the flag --html',
  prove: '`ringside compare --prove`',
  resume: '`ringside suite run --resume`',
};

/** Holds flags and environment, which set where a suite runs. `variables` fill `${NAME}` in its targets. */
export interface BesideSuite extends Omit<GivenForRun, 'file'> {
  variables?: Variables;
}

/** Resolves a suite. Throws `ProblemError` with every problem at once. */
export function planSuite(text: SuiteText, { variables = {}, ...given }: BesideSuite, seed: number): SuitePlan {
  const { file, hash } = text;
  const external = externalTargetsOf(text, variables);
  const common = file.entries.flatMap(({ scenario }) => knownTo(scenarioByName(scenario)));
  const expected = common.length === 0 ? undefined : 'an option of one of the scenarios';
  const problems = [
    ...text.problems,
    ...keyProblems(text, ['options'], file.options, common, expected),
    ...external.problems,
    ...targetProblems(text, ['targets'], external.names, file.targets),
    ...repeatedNames(text),
  ];
  const entries = file.entries.flatMap((_entry, index) => {
    const found: Problem[] = [];
    const planned = plannedEntry(text, index, { given, seed, external, problems: found });
    problems.push(...found);
    return planned ?? [];
  });
  if (problems.length === 0) return { name: file.name, hash, seed, entries };
  // A wrong option of the suite is reported once, however many entries use it.
  throw new ProblemError([...new Map(problems.map((each) => [each.message, each])).values()]);
}

interface Planning {
  given: Omit<GivenForRun, 'file'>;
  seed: number;
  external: ExternalTargets;
  problems: Problem[];
}

const nameOf = ({ name, scenario }: SuiteEntry): string => name ?? scenario;

/** Plans an entry. Returns undefined if `problems` received any. */
function plannedEntry(text: SuiteText, index: number, planning: Planning): PlannedEntry | undefined {
  const { given, seed, external, problems } = planning;
  const { file } = text;
  const place: SuitePath = ['entries', index];
  const entry = file.entries[index] as SuiteEntry;
  const scenario = scenarioByName(entry.scenario);
  if (!scenario) {
    const said = `expected one of \`ringside list scenarios\`, received ${JSON.stringify(entry.scenario)}`;
    problems.push(text.wrong([...place, 'scenario'], said));
    return undefined;
  }
  const known = knownTo(scenario);
  const all = Object.entries({ ...file.options, ...entry.options });
  const options = Object.fromEntries(all.filter(([key]) => known.includes(key)));
  const ofSuite = { seed, repeat: entry.repeat ?? file.repeat, threshold: entry.thresholds };
  const named = Object.fromEntries(Object.entries(ofSuite).filter(([, each]) => each !== undefined));
  const asked: GivenForRun = { ...given, file: { ...options, ...named } };
  const resolved = resolveOptions(compareSchema(scenario), asked);
  problems.push(
    ...keyProblems(text, [...place, 'options'], entry.options, known, `one of ${known.join(', ')}`),
    ...optionProblems(text, place, entry, resolved),
    ...thresholdProblems(text, [...place, 'thresholds'], scenario, entry.thresholds),
    ...targetProblems(text, [...place, 'targets'], external.names, entry.targets),
  );
  const names = resolved.ok ? targetsOf(text, place, { scenario, values: resolved.values, external, problems }) : [];
  if (problems.length > 0 || names.length === 0) return undefined;
  try {
    const takingPart = external.targets.filter(({ name }) => names.includes(name));
    const { repeat, ...planned } = planCompare(
      scenario,
      readOptions(compareSchema(scenario), { ...asked, file: { ...asked.file, target: names } }),
      takingPart,
    );
    const plans = planned.plans as [Plan, ...Plan[]];
    const isRequired = entry.required ?? file.required ?? false;
    return { name: nameOf(entry), scenario, plans, repeat, isRequired, baseline: entry.baseline };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    problems.push(...error.problems.map(({ message }) => text.wrong(place, message)));
    return undefined;
  }
}

function knownTo(scenario: Scenario | undefined): string[] {
  const keys = scenario ? optionsOf(compareSchema(scenario)).map(fileKey) : [];
  return keys.filter((key) => !(key in elsewhere));
}

function keyProblems(
  text: SuiteText,
  place: SuitePath,
  options: SuiteEntry['options'],
  known: readonly string[],
  expected: string | undefined,
): Problem[] {
  return Object.keys(options).flatMap((key) => {
    const at = [...place, key];
    if (key in elsewhere) return text.wrong(at, `expected ${elsewhere[key]}, received it as an option`);
    if (expected === undefined || known.includes(key)) return [];
    return text.wrong(at, `expected ${expected}, received an unknown key`);
  });
}

function repeatedNames(text: SuiteText): Problem[] {
  const names = text.file.entries.map(nameOf);
  return names.flatMap((name, index) => {
    if (names.indexOf(name) === index) return [];
    const place = ['entries', index, text.file.entries[index]?.name === undefined ? 'scenario' : 'name'];
    return text.wrong(place, `expected a \`name\` of its own, received ${JSON.stringify(name)} again`);
  });
}

function optionProblems(
  text: SuiteText,
  place: SuitePath,
  entry: SuiteEntry,
  resolved: ReturnType<typeof resolveOptions>,
): Problem[] {
  if (resolved.ok) return [];
  return resolved.issues.map(({ option, expected, received }) => {
    const key = option.replace(/ in the file$/, '');
    const isCommon = !(key in entry.options) && key in text.file.options;
    const at = isCommon ? ['options', key] : [...place, 'options', key];
    return text.wrong(at, `expected ${expected}, received ${received}`);
  });
}

function thresholdProblems(
  text: SuiteText,
  place: SuitePath,
  scenario: Scenario,
  thresholds: readonly string[],
): Problem[] {
  const subjects = subjectsOf(scenario);
  return thresholds.flatMap((each, index) =>
    parseThreshold(each, subjects) ? [] : text.wrong([...place, index], thresholdFault(each, subjects)),
  );
}

interface ExternalTargets {
  targets: readonly ExternalTarget[];
  /** Names of all targets, including those with problems. */
  names: readonly string[];
  problems: readonly Problem[];
}

/** Reads every target that the file describes, for the suite or an entry. Each name is unique in the file. */
function externalTargetsOf(text: SuiteText, variables: Variables): ExternalTargets {
  const { file } = text;
  const lists: [SuitePath, readonly SuiteTarget[] | undefined][] = [
    [['targets'], file.targets],
    ...file.entries.map((entry, index): [SuitePath, typeof entry.targets] => [
      ['entries', index, 'targets'],
      entry.targets,
    ]),
  ];
  const found: ExternalTarget[] = [];
  const names: string[] = [];
  const problems: Problem[] = [];
  for (const [place, list = []] of lists) {
    for (const [index, each] of list.entries()) {
      if (typeof each === 'string') continue;
      const wrong = (key: string, said: string): Problem => text.wrong([...place, index, key], said);
      if (names.includes(each.name))
        problems.push(
          wrong('name', `expected each target described once, received ${JSON.stringify(each.name)} again`),
        );
      names.push(each.name);
      const read = readExternalTarget(each, variables, dirname(text.path));
      if ('target' in read) found.push(read.target);
      else problems.push(...read.faults.map(({ key, text: said }) => wrong(key, said)));
    }
  }
  return { targets: found, names, problems };
}

/** Returns problems for unknown and repeated names in a list of targets. `described` are external ones. */
function targetProblems(
  text: SuiteText,
  place: SuitePath,
  described: readonly string[],
  list: readonly SuiteTarget[] = [],
): Problem[] {
  const names = list.map(targetNameOf);
  return list.flatMap((each, index) => {
    if (typeof each !== 'string') return [];
    const at = [...place, index];
    if (!targetByName(each) && !described.includes(each))
      return text.wrong(at, `expected one of \`ringside list targets\`, received ${JSON.stringify(each)}`);
    if (names.indexOf(each) === index) return [];
    return text.wrong(at, `expected each target once, received ${JSON.stringify(each)} again`);
  });
}

interface Choosing {
  scenario: Scenario;
  values: Record<string, unknown>;
  external: ExternalTargets;
  problems: Problem[];
}

/** Returns the targets of an entry: its own, which must fit the scenario, or those of the suite that fit. */
export function targetsOf(
  text: SuiteText,
  place: SuitePath,
  { scenario, values, external, problems }: Choosing,
): string[] {
  const ofEntry = text.file.entries[place[1] as number]?.targets?.map(targetNameOf);
  const options = Object.fromEntries(Object.keys(scenario.options.shape).map((key) => [key, values[key]]));
  const lackingOf = (name: string): readonly Problem[] => {
    const given = external.targets.find((each) => each.name === name)?.options;
    return targetVerbProblems(
      scenario,
      targetByName(name) ?? { name, protocol: (given && protocolOf(given)) ?? '' },
      options,
      given,
    );
  };
  const all = targets.filter(({ isKnownTruth }) => isKnownTruth !== true).map(({ name }) => name);
  const named = (ofEntry ?? text.file.targets?.map(targetNameOf) ?? all).filter(
    (name) => targetByName(name) || external.targets.some((each) => each.name === name),
  );
  const fitting = named.filter((name) => {
    const lacking = lackingOf(name);
    if (ofEntry)
      problems.push(...lacking.map(({ message }) => text.wrong([...place, 'targets', ofEntry.indexOf(name)], message)));
    return lacking.length === 0;
  });
  if (named.length > 0 && fitting.length === 0 && !ofEntry)
    problems.push(text.wrong(place, `expected a target that fits ${scenario.name}, received none`));
  return fitting;
}

function targetNameOf(target: SuiteTarget): string {
  return typeof target === 'string' ? target : target.name;
}
