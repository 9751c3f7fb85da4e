import { dirname } from 'node:path';
import { z } from 'zod';
import { type Problem, ProblemError } from '../../contract/problems.js';
import { parseThreshold, type RatioThreshold, thresholdFault } from '../../measure/threshold.js';
import { fileKey, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { subjectsOf } from '../../results/figures.js';
import { fingerprint } from '../../results/likeness.js';
import {
  compareSchema,
  type GivenForRun,
  type Plan,
  planCompare,
  readOptions,
  shapeOf,
  valuesOf,
} from '../../run/plan/plan.js';
import { type PairedOptions, pairedOptions } from '../../run/plan/run-options.js';
import { protocolOf } from '../../run/server/client-values.js';
import { type ExternalTarget, readExternalTarget, type Variables } from '../../run/server/external-targets.js';
import { targetVerbProblems } from '../../run/server/planned.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { Slots } from '../../scenarios/slots.js';
import { targetByName, targets } from '../../targets/list.js';
import { keysOfRuns, unfitFor } from '../compare/paired.js';
import type { SuiteEntry, SuitePath, SuiteTarget, SuiteText } from './read.js';

/** Holds one entry of a suite: a plan for each of its targets. */
export interface PlannedEntry {
  name: string;
  scenario: Scenario;
  /** At least one plan. All have the same shape and fleet. */
  plans: readonly [Plan, ...Plan[]];
  /** Whole runs of each target, or starts at most. */
  repeat: number;
  /** Left out for whole runs. */
  pairs?: { design: { slots: Slots; paired: PairedOptions }; ratios: readonly RatioThreshold[] };
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
export function fingerprintOf({ plans: [first], pairs }: Pick<PlannedEntry, 'plans' | 'pairs'>): string {
  return fingerprint({ ...shapeOf(first), ...(pairs && { design: 'paired' }) });
}

const elsewhere: Readonly<Record<string, string>> = {
  target: '`targets`',
  targetFile: '`targets`',
  repeat: '`repeat`',
  design: '`design` of the entry',
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
  const { file, hash, problems } = text;
  const common = file.entries.flatMap(({ scenario, design }) => knownTo(scenarioByName(scenario), design));
  const expected = common.length === 0 ? undefined : 'an option of one of the scenarios';
  checkKeys(text, ['options'], file.options, common, expected);
  const external = externalTargetsOf(text, variables);
  checkTargets(text, ['targets'], external.names, file.targets);
  const names = file.entries.map(nameOf);
  for (const [index, name] of names.entries()) {
    const place = ['entries', index, file.entries[index]?.name === undefined ? 'scenario' : 'name'];
    if (names.indexOf(name) !== index)
      text.wrong(place, `expected a \`name\` of its own, received ${JSON.stringify(name)} again`);
  }
  const entries = file.entries.flatMap((entry, index) => plannedEntry(text, index, entry, { given, seed, external }));
  if (problems.length === 0) return { name: file.name, hash, seed, entries };
  // A wrong option of the suite is reported once, however many entries use it.
  throw new ProblemError([...new Map(problems.map((each) => [each.message, each])).values()]);
}

interface Planning {
  given: Omit<GivenForRun, 'file'>;
  seed: number;
  external: ExternalTargets;
}

const nameOf = ({ name, scenario }: SuiteEntry): string => name ?? scenario;

/** Returns no plan for an entry with problems, which the text has then. */
function plannedEntry(
  text: SuiteText,
  index: number,
  entry: SuiteEntry,
  { given, seed, external }: Planning,
): PlannedEntry[] {
  const { file, problems } = text;
  const before = problems.length;
  const place: SuitePath = ['entries', index];
  const scenario = scenarioByName(entry.scenario);
  if (!scenario) {
    const said = `expected one of \`ringside list scenarios\`, received ${JSON.stringify(entry.scenario)}`;
    text.wrong([...place, 'scenario'], said);
    return [];
  }
  const { design } = entry;
  const { slots } = scenario;
  const isPaired = design === 'paired';
  if (isPaired && !slots) text.wrong([...place, 'design'], `expected runs, as ${scenario.name} has no slots`);
  for (const key of ['repeat', 'baseline'] as const)
    if (isPaired && entry[key] !== undefined) text.wrong([...place, key], 'expected none with `design: paired`');
  const schema = schemaOf(scenario, design);
  const known = knownTo(scenario, design);
  const options = Object.entries({ ...file.options, ...entry.options }).filter(([key]) => known.includes(key));
  const ofSuite = { seed, repeat: isPaired ? undefined : (entry.repeat ?? file.repeat), threshold: entry.thresholds };
  const named = Object.entries(ofSuite).filter(([, each]) => each !== undefined);
  const asked: GivenForRun = { ...given, file: Object.fromEntries([...options, ...named]) };
  const resolved = resolveOptions(schema, asked);
  checkKeys(text, [...place, 'options'], entry.options, known, `one of ${known.join(', ')}`);
  for (const { option, expected, received } of resolved.ok ? [] : resolved.issues) {
    const key = option.replace(/ in the file$/, '');
    const isCommon = !(key in entry.options) && key in file.options;
    text.wrong(isCommon ? ['options', key] : [...place, 'options', key], `expected ${expected}, received ${received}`);
  }
  const subjects = subjectsOf(scenario);
  for (const [at, each] of entry.thresholds.entries())
    if (!isPaired && !parseThreshold(each, subjects))
      text.wrong([...place, 'thresholds', at], thresholdFault(each, subjects));
  checkTargets(text, [...place, 'targets'], external.names, entry.targets);
  const names = resolved.ok ? targetsOf(text, place, scenario, resolved.values, external) : [];
  if (problems.length > before || names.length === 0) return [];
  try {
    const takingPart = external.targets.filter(({ name }) => names.includes(name));
    const read = readOptions(schema, { ...asked, file: { ...asked.file, target: names } });
    const planned = planCompare(scenario, read, takingPart, isPaired ? design : undefined);
    const plans = planned.plans as [Plan, ...Plan[]];
    const isRequired = entry.required ?? file.required ?? false;
    const of = { name: nameOf(entry), scenario, plans, isRequired, baseline: entry.baseline };
    if (!isPaired || !slots) return [{ ...of, repeat: planned.repeat }];
    const paired = valuesOf(pairedOptions, read);
    for (const each of unfitFor(slots, paired, plans[0])) text.wrong(place, each);
    return [{ ...of, repeat: paired.starts, pairs: { design: { slots, paired }, ratios: planned.ratios } }];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    for (const { message } of error.problems) text.wrong(place, message);
    return [];
  }
}

function schemaOf(scenario: Scenario, design: SuiteEntry['design']): z.ZodObject {
  return z.strictObject({ ...compareSchema(scenario).shape, ...(design === 'paired' && pairedOptions.shape) });
}

function knownTo(scenario: Scenario | undefined, design: SuiteEntry['design']): string[] {
  if (!scenario) return [];
  const ofRuns = design === 'paired' ? keysOfRuns(scenario) : [];
  const options = optionsOf(schemaOf(scenario, design)).filter(({ key }) => !ofRuns.includes(key));
  return options.map(fileKey).filter((key) => !(key in elsewhere));
}

function checkKeys(
  text: SuiteText,
  place: SuitePath,
  options: SuiteEntry['options'],
  known: readonly string[],
  expected: string | undefined,
): void {
  for (const key of Object.keys(options)) {
    if (key in elsewhere) text.wrong([...place, key], `expected ${elsewhere[key]}, received it as an option`);
    else if (expected !== undefined && !known.includes(key))
      text.wrong([...place, key], `expected ${expected}, received an unknown key`);
  }
}

interface ExternalTargets {
  targets: readonly ExternalTarget[];
  /** Names of all targets, including those with problems. */
  names: readonly string[];
}

function externalTargetsOf(text: SuiteText, variables: Variables): ExternalTargets {
  const { file } = text;
  const lists: [SuitePath, readonly SuiteTarget[]][] = [
    [['targets'], file.targets ?? []],
    ...file.entries.map(({ targets: own = [] }, index): [SuitePath, readonly SuiteTarget[]] => [
      ['entries', index, 'targets'],
      own,
    ]),
  ];
  const found: ExternalTarget[] = [];
  const names: string[] = [];
  for (const [place, list] of lists) {
    for (const [index, each] of list.entries()) {
      if (typeof each === 'string') continue;
      const wrong = (key: string, said: string): void => text.wrong([...place, index, key], said);
      if (names.includes(each.name))
        wrong('name', `expected each target described once, received ${JSON.stringify(each.name)} again`);
      names.push(each.name);
      const read = readExternalTarget(each, variables, dirname(text.path));
      if ('target' in read) found.push(read.target);
      else for (const { key, text: said } of read.faults) wrong(key, said);
    }
  }
  return { targets: found, names };
}

function checkTargets(
  text: SuiteText,
  place: SuitePath,
  described: readonly string[],
  list: readonly SuiteTarget[] = [],
): void {
  const names = list.map(targetNameOf);
  for (const [index, each] of list.entries()) {
    if (typeof each !== 'string') continue;
    const at = [...place, index];
    if (!targetByName(each) && !described.includes(each))
      text.wrong(at, `expected one of \`ringside list targets\`, received ${JSON.stringify(each)}`);
    else if (names.indexOf(each) !== index)
      text.wrong(at, `expected each target once, received ${JSON.stringify(each)} again`);
  }
}

/** Returns the targets of an entry: its own, which must fit the scenario, or those of the suite that fit. */
function targetsOf(
  text: SuiteText,
  place: SuitePath,
  scenario: Scenario,
  values: Record<string, unknown>,
  external: ExternalTargets,
): string[] {
  const ofEntry = text.file.entries[place[1] as number]?.targets?.map(targetNameOf);
  const options = Object.fromEntries(Object.keys(scenario.options.shape).map((key) => [key, values[key]]));
  const lackingOf = (name: string): readonly Problem[] => {
    const given = external.targets.find((each) => each.name === name)?.options;
    const target = targetByName(name) ?? { name, protocol: (given && protocolOf(given)) ?? '' };
    return targetVerbProblems(scenario, target, options, given);
  };
  const all = targets.filter(({ isKnownTruth }) => isKnownTruth !== true).map(({ name }) => name);
  const named = (ofEntry ?? text.file.targets?.map(targetNameOf) ?? all).filter(
    (name) => targetByName(name) || external.targets.some((each) => each.name === name),
  );
  const fitting = named.filter((name) => {
    const lacking = lackingOf(name);
    if (ofEntry) for (const { message } of lacking) text.wrong([...place, 'targets', ofEntry.indexOf(name)], message);
    return lacking.length === 0;
  });
  if (named.length > 0 && fitting.length === 0 && !ofEntry)
    text.wrong(place, `expected a target that fits ${scenario.name}, received none`);
  return fitting;
}

function targetNameOf(target: SuiteTarget): string {
  return typeof target === 'string' ? target : target.name;
}
