import type { Problem } from '../../contract/problems.js';
import { protocolByName, type Scenario } from '../../run/catalog.js';
import { verbProblems } from '../../run/plan/verbs.js';
import { type ExternalTarget, readExternalTarget, type Variables } from '../../run/target/external-targets.js';
import { targetByName, targets } from '../../targets/list.js';
import type { Place, SuiteText } from './read.js';
import type { SuiteTarget } from './suite-file.js';

/** The targets that a suite's file describes itself. */
export interface OwnTargets {
  targets: readonly ExternalTarget[];
  /** Of all that are described, also of those that `problems` are about. */
  names: readonly string[];
  problems: readonly Problem[];
}

/** Every target that the file describes, for the suite or for an entry: its name is that of one target in the whole file. */
export function ownTargetsOf(text: SuiteText, variables: Variables): OwnTargets {
  const { file } = text;
  const lists: [Place, readonly SuiteTarget[]][] = [
    [['targets'], file.targets ?? []],
    ...file.entries.map(({ targets: own }, index): [Place, readonly SuiteTarget[]] => [
      ['entries', index, 'targets'],
      own ?? [],
    ]),
  ];
  const found: ExternalTarget[] = [];
  const names: string[] = [];
  const problems: Problem[] = [];
  for (const [place, list] of lists) {
    for (const [index, each] of list.entries()) {
      if (typeof each === 'string') continue;
      const at = [...place, index];
      if (names.includes(each.name))
        problems.push(
          text.wrong(
            [...at, 'name'],
            `expected each target described once, received ${JSON.stringify(each.name)} again`,
          ),
        );
      names.push(each.name);
      const read = readExternalTarget(each, variables);
      if ('target' in read) found.push(read.target);
      else problems.push(...read.faults.map(({ key, text: said }) => text.wrong([...at, key], said)));
    }
  }
  return { targets: found, names, problems };
}

/** What is wrong with the names of a list of targets; `described` are those that the file describes. */
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
  /** The options of the entry. */
  values: Record<string, unknown>;
  own: OwnTargets;
  problems: Problem[];
}

/** The names of the targets of an entry. Whoever is named for it must be able to take part; of those named for all, and of all that there are, those do that can. */
export function targetsOf(text: SuiteText, place: Place, { scenario, values, own, problems }: Choosing): string[] {
  const ofEntry = text.file.entries[place[1] as number]?.targets?.map(nameOf);
  const options = Object.fromEntries(Object.keys(scenario.options.shape).map((key) => [key, values[key]]));
  const contestants = targets.filter(({ isKnownTruth }) => isKnownTruth !== true).map(({ name }) => name);
  const protocolOf = (name: string): string | undefined =>
    targetByName(name)?.protocol ?? own.targets.find((each) => each.name === name)?.options.protocol;
  const named = (ofEntry ?? text.file.targets?.map(nameOf) ?? contestants).filter(
    (name) => targetByName(name) || own.targets.some((each) => each.name === name),
  );
  const lacking = named.map((name) => {
    const protocol = protocolByName(protocolOf(name) ?? '');
    // One without a protocol is told of as such.
    return protocol ? verbProblems(scenario, protocol, options) : [];
  });
  if (ofEntry)
    problems.push(
      ...named.flatMap((name, index) =>
        (lacking[index] ?? []).map(({ message }) => text.wrong([...place, 'targets', ofEntry.indexOf(name)], message)),
      ),
    );
  const chosen = named.filter((_name, index) => lacking[index]?.length === 0);
  if (named.length > 0 && chosen.length === 0 && !ofEntry)
    problems.push(text.wrong(place, `expected a target that can take part in ${scenario.name}, received none`));
  return chosen;
}

function nameOf(target: SuiteTarget): string {
  return typeof target === 'string' ? target : target.name;
}
