import { protocolByName, type Scenario, scenarioByName } from '../../contract/catalog.js';
import { subjectsOf } from '../../contract/figures.js';
import { verbProblems } from '../../contract/job.js';
import { type Problem, ProblemError } from '../../contract/problems.js';
import type { SuiteEntry } from '../../contract/suite-file.js';
import { parseThreshold, thresholdForms } from '../../measure/threshold.js';
import { fileKey, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { targetByName, targets } from '../../targets/list.js';
import { fingerprint } from '../fingerprint.js';
import { compareSchema, type Given, type Plan, planCompare, shapeOf } from '../plan.js';
import type { Place, SuiteText } from './read.js';

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
  repeat: '`repeat`',
  threshold: '`thresholds` of the entry',
  seed: '`seed` of the suite',
  results: 'the flag --results',
  json: 'the flag --json',
  markdown: 'the flag --markdown',
  prove: '`ringside compare --prove`, which is no part of a suite',
};

/** Resolves a suite. `flags` and `env` say on what it runs; what is run stands in the file. Throws `ProblemError` with every problem at once. */
export function planSuite(text: SuiteText, given: Omit<Given, 'file'>, seed: number): SuitePlan {
  const { file, hash } = text;
  const problems = [
    ...text.problems,
    ...misplaced(text, ['options'], file.options),
    ...unknownInCommon(text),
    ...targetProblems(text, ['targets'], file.targets),
    ...namedTwice(text),
  ];
  const entries = file.entries.flatMap((_entry, index) => {
    const found: Problem[] = [];
    const planned = plannedEntry(text, index, { given, seed, problems: found });
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
  problems: Problem[];
}

function nameOf({ name, scenario }: SuiteEntry): string {
  return name ?? scenario;
}

/** Undefined where `problems` say why. */
function plannedEntry(text: SuiteText, index: number, { given, seed, problems }: Planning): PlannedEntry | undefined {
  const place: Place = ['entries', index];
  const entry = text.file.entries[index] as SuiteEntry;
  const scenario = scenarioByName(entry.scenario);
  if (!scenario) {
    const said = `expected one of \`ringside list scenarios\`, received ${JSON.stringify(entry.scenario)}`;
    problems.push(text.wrong([...place, 'scenario'], said));
    return undefined;
  }
  const options = optionsFor(scenario, text, entry);
  const own = { seed, repeat: entry.repeat ?? text.file.repeat, threshold: entry.thresholds };
  const named = Object.fromEntries(Object.entries(own).filter(([, each]) => each !== undefined));
  const asked: Given = { ...given, file: { ...options, ...named } };
  const resolved = resolveOptions(compareSchema(scenario), asked);
  problems.push(
    ...misplaced(text, [...place, 'options'], entry.options),
    ...unknownOptions(text, [...place, 'options'], scenario, entry.options),
    ...optionProblems(text, place, entry, resolved),
    ...thresholdProblems(text, place, scenario, entry.thresholds),
    ...targetProblems(text, [...place, 'targets'], entry.targets),
  );
  const names = resolved.ok ? targetsOf(text, place, scenario, resolved.values, problems) : [];
  // A name that no target has is told of where it stands.
  if (problems.length > 0 || names.length === 0) return undefined;
  try {
    const { plans, repeat } = planCompare(scenario, { ...asked, file: { ...asked.file, target: names } });
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
    const said = `expected ${thresholdForms(subjects)}, received ${each}`;
    return text.wrong([...place, 'thresholds', index], said);
  });
}

function targetProblems(text: SuiteText, place: Place, names: readonly string[] = []): Problem[] {
  return names.flatMap((name, index) => {
    const at = [...place, index];
    if (!targetByName(name))
      return text.wrong(at, `expected one of \`ringside list targets\`, received ${JSON.stringify(name)}`);
    if (names.indexOf(name) === index) return [];
    return text.wrong(at, `expected each target once, received ${JSON.stringify(name)} again`);
  });
}

/** Whoever is named for the entry must be able to take part; of those named for all, and of all that there are, those do that can. */
function targetsOf(
  text: SuiteText,
  place: Place,
  scenario: Scenario,
  values: Record<string, unknown>,
  problems: Problem[],
): string[] {
  const own = text.file.entries[place[1] as number]?.targets;
  const options = Object.fromEntries(Object.keys(scenario.options.shape).map((key) => [key, values[key]]));
  const contestants = targets.filter(({ isKnownTruth }) => isKnownTruth !== true).map(({ name }) => name);
  const named = (own ?? text.file.targets ?? contestants).filter((name) => targetByName(name));
  const lacking = named.map((name) => {
    const protocol = targetByName(name)?.protocol ?? '';
    return verbProblems(scenario, protocol, protocolByName(protocol)?.verbs ?? [], options);
  });
  if (own)
    problems.push(
      ...named.flatMap((name, index) =>
        (lacking[index] ?? []).map(({ message }) => text.wrong([...place, 'targets', own.indexOf(name)], message)),
      ),
    );
  const chosen = named.filter((_name, index) => lacking[index]?.length === 0);
  if (named.length > 0 && chosen.length === 0 && !own)
    problems.push(text.wrong(place, `expected a target that can take part in ${scenario.name}, received none`));
  return chosen;
}
