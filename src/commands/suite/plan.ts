import { type Problem, ProblemError } from '../../contract/problems.js';
import { parseThreshold } from '../../measure/threshold.js';
import { thresholdFault } from '../../measure/threshold-fault.js';
import { fileKey, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { subjectsOf } from '../../results/figures.js';
import { fingerprint } from '../../results/fingerprint.js';
import { type Scenario, scenarioByName } from '../../run/catalog.js';
import { compareSchema, type Given, type Plan, planCompare, shapeOf } from '../../run/plan/plan.js';
import type { Variables } from '../../run/target/external-targets.js';
import type { Place, SuiteText } from './read.js';
import type { SuiteEntry } from './suite-file.js';
import { type OwnTargets, ownTargetsOf, targetProblems, targetsOf } from './targets.js';

/** One entry of a suite, fully resolved: a plan for each of its targets. */
export interface PlannedEntry {
  name: string;
  scenario: Scenario;
  plans: readonly Plan[];
  repeat: number;
  isRequired: boolean;
  /** As the file names it. */
  baseline: string | undefined;
  /** Where it stands in the file. */
  place: Place;
}

/** A suite, fully resolved. */
export interface SuitePlan {
  name: string;
  hash: string;
  seed: number;
  entries: readonly PlannedEntry[];
}

/** The fingerprint of the shape that all plans of an entry share. */
export function fingerprintOf({ plans: [first] }: Pick<PlannedEntry, 'plans'>): string {
  if (!first) throw new Error('an entry of a suite has a plan');
  return fingerprint(shapeOf(first));
}

/** Options that a suite says elsewhere, and where. */
const elsewhere: Readonly<Record<string, string>> = {
  target: '`targets`',
  targetFile: '`targets`',
  repeat: '`repeat`',
  threshold: '`thresholds` of the entry',
  seed: '`seed` of the suite',
  results: 'the flag --results',
  json: 'the flag --json',
  markdown: 'the flag --markdown',
  prove: '`ringside compare --prove`, which is no part of a suite',
};

/** What is given beside a suite: `flags` and `env` say on what it runs, `variables` what `${NAME}` stands for in its targets. */
export interface BesideSuite extends Omit<Given, 'file'> {
  variables?: Variables;
}

/** Resolves a suite; what is run stands in the file. Throws `ProblemError` with every problem at once. */
export function planSuite(text: SuiteText, { variables = {}, ...given }: BesideSuite, seed: number): SuitePlan {
  const { file, hash } = text;
  const own = ownTargetsOf(text, variables);
  const problems = [
    ...text.problems,
    ...misplaced(text, ['options'], file.options),
    ...unknownInCommon(text),
    ...own.problems,
    ...targetProblems(text, ['targets'], own.names, file.targets),
    ...namedTwice(text),
  ];
  const entries = file.entries.flatMap((_entry, index) => {
    const found: Problem[] = [];
    const planned = plannedEntry(text, index, { given, seed, own, problems: found });
    problems.push(...found);
    return planned ?? [];
  });
  if (problems.length > 0) {
    // An option of the suite is wrong once, however many entries have it.
    throw new ProblemError([...new Map(problems.map((each) => [each.message, each])).values()]);
  }
  return { name: file.name, hash, seed, entries };
}

interface Planning {
  given: Omit<Given, 'file'>;
  seed: number;
  own: OwnTargets;
  problems: Problem[];
}

function nameOf({ name, scenario }: SuiteEntry): string {
  return name ?? scenario;
}

/** Undefined where `problems` say why. */
function plannedEntry(text: SuiteText, index: number, planning: Planning): PlannedEntry | undefined {
  const { given, seed, own, problems } = planning;
  const place: Place = ['entries', index];
  const entry = text.file.entries[index] as SuiteEntry;
  const scenario = scenarioByName(entry.scenario);
  if (!scenario) {
    const said = `expected one of \`ringside list scenarios\`, received ${JSON.stringify(entry.scenario)}`;
    problems.push(text.wrong([...place, 'scenario'], said));
    return undefined;
  }
  const options = optionsFor(scenario, text, entry);
  const ofSuite = { seed, repeat: entry.repeat ?? text.file.repeat, threshold: entry.thresholds };
  const named = Object.fromEntries(Object.entries(ofSuite).filter(([, each]) => each !== undefined));
  const asked: Given = { ...given, file: { ...options, ...named } };
  const resolved = resolveOptions(compareSchema(scenario), asked);
  problems.push(
    ...misplaced(text, [...place, 'options'], entry.options),
    ...unknownOptions(text, [...place, 'options'], scenario, entry.options),
    ...optionProblems(text, place, entry, resolved),
    ...thresholdProblems(text, place, scenario, entry.thresholds),
    ...targetProblems(text, [...place, 'targets'], own.names, entry.targets),
  );
  const names = resolved.ok ? targetsOf(text, place, { scenario, values: resolved.values, own, problems }) : [];
  // A name that no target has is told of where it stands.
  if (problems.length > 0 || names.length === 0) return undefined;
  try {
    const file = { ...asked.file, target: names };
    const takingPart = own.targets.filter(({ name }) => names.includes(name));
    const { plans, repeat } = planCompare(scenario, { ...asked, file }, takingPart);
    const isRequired = entry.required ?? text.file.required ?? false;
    return { name: nameOf(entry), scenario, plans, repeat, isRequired, baseline: entry.baseline, place };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    problems.push(...error.problems.map(({ message }) => text.wrong(place, message)));
    return undefined;
  }
}

/** The entry's own options over those of the suite, as far as its scenario has them. */
function optionsFor(scenario: Scenario, { file }: SuiteText, entry: SuiteEntry): Record<string, unknown> {
  const known = knownTo(scenario);
  const all = { ...file.options, ...entry.options };
  return Object.fromEntries(Object.entries(all).filter(([key]) => known.includes(key)));
}

function knownTo(scenario: Scenario): string[] {
  return optionsOf(compareSchema(scenario))
    .map(fileKey)
    .filter((key) => !(key in elsewhere));
}

function misplaced(text: SuiteText, place: Place, options: SuiteEntry['options']): Problem[] {
  return Object.keys(options).flatMap((key) => {
    const instead = elsewhere[key];
    return instead === undefined ? [] : text.wrong([...place, key], `expected ${instead}, received it as an option`);
  });
}

function unknownInCommon(text: SuiteText): Problem[] {
  const scenarios = text.file.entries.flatMap((entry) => scenarioByName(entry.scenario) ?? []);
  const known = scenarios.map(knownTo);
  return Object.keys(text.file.options)
    .filter((key) => scenarios.length > 0 && !(key in elsewhere) && !known.some((each) => each.includes(key)))
    .map((key) => text.wrong(['options', key], 'expected an option of one of the scenarios, received an unknown key'));
}

function unknownOptions(text: SuiteText, place: Place, scenario: Scenario, options: SuiteEntry['options']): Problem[] {
  const known = knownTo(scenario);
  return Object.keys(options)
    .filter((key) => !known.includes(key) && !(key in elsewhere))
    .map((key) => text.wrong([...place, key], `expected one of ${known.join(', ')}, received an unknown key`));
}

function namedTwice(text: SuiteText): Problem[] {
  const names = text.file.entries.map(nameOf);
  return names.flatMap((name, index) => {
    if (names.indexOf(name) === index) return [];
    const place = ['entries', index, text.file.entries[index]?.name === undefined ? 'scenario' : 'name'];
    return text.wrong(place, `expected a \`name\` of its own, received ${JSON.stringify(name)} again`);
  });
}

function optionProblems(
  text: SuiteText,
  place: Place,
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
  place: Place,
  scenario: Scenario,
  thresholds: readonly string[],
): Problem[] {
  const subjects = subjectsOf(scenario);
  return thresholds.flatMap((each, index) => {
    if (parseThreshold(each, subjects)) return [];
    const said = thresholdFault(each, subjects);
    return text.wrong([...place, 'thresholds', index], said);
  });
}
