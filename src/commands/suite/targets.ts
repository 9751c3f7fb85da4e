import { dirname } from 'node:path';
import type { Problem } from '../../contract/problems.js';
import type { Scenario } from '../../run/catalog.js';
import { type ExternalTarget, readExternalTarget, type Variables } from '../../run/target/external-targets.js';
import { verbProblems } from '../../run/target/planned.js';
import { targetByName, targets } from '../../targets/list.js';
import type { Place, SuiteText } from './read.js';
import type { SuiteTarget } from './suite-file.js';

export interface ExternalTargets {
  targets: readonly ExternalTarget[];
  /** Also of those with problems. */
  names: readonly string[];
  problems: readonly Problem[];
}

/** Every target that the file describes, for the suite or an entry. Each name is unique in the file. */
export function externalTargetsOf(text: SuiteText, variables: Variables): ExternalTargets {
  const { file } = text;
  const lists: [Place, readonly SuiteTarget[] | undefined][] = [
    [['targets'], file.targets],
    ...file.entries.map((entry, index): [Place, typeof entry.targets] => [
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

/** Unknown and repeated names in a list of targets; `described` are external ones. */
export function targetProblems(
  text: SuiteText,
  place: Place,
  described: readonly string[],
  list: readonly SuiteTarget[] = [],
): Problem[] {
  const names = list.map(nameOf);
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

/** The targets of an entry. Its own must all fit the scenario; of the suite's or of all targets, those that fit. */
export function targetsOf(text: SuiteText, place: Place, { scenario, values, external, problems }: Choosing): string[] {
  const ofEntry = text.file.entries[place[1] as number]?.targets?.map(nameOf);
  const options = Object.fromEntries(Object.keys(scenario.options.shape).map((key) => [key, values[key]]));
  const lackingOf = (name: string): readonly Problem[] => {
    const given = external.targets.find((each) => each.name === name)?.options;
    return verbProblems(scenario, targetByName(name) ?? { name, protocol: given?.protocol ?? '' }, options, given);
  };
  const all = targets.filter(({ isKnownTruth }) => isKnownTruth !== true).map(({ name }) => name);
  const named = (ofEntry ?? text.file.targets?.map(nameOf) ?? all).filter(
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

function nameOf(target: SuiteTarget): string {
  return typeof target === 'string' ? target : target.name;
}
