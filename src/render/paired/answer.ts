import type { Declaration } from '../../measure/declaration.js';
import { type OpenReason, pairOf } from '../../measure/statement.js';
import type { Paired } from '../../results/paired.js';
import { shareOf } from '../../units/text.js';
import { all, type Claims, claimsOf, contenders, percentText, times, type Untold, withheldInWords } from './claims.js';

/** Returns the answer of a paired comparison in sentences: the fastest, equal targets, open questions and losses. */
export function answerOf(paired: Paired, scenario: Declaration): string[] {
  const claims = claimsOf(paired);
  const said = claims ? claimed(claims, paired) : whyNone(paired);
  const short = lost(paired, scenario);
  const isGrave = paired.targets.some(({ deliveredShare }) => deliveredShare !== null && deliveredShare < graveShare);
  const parts = isGrave ? [...short, ...said] : [...said, ...short];
  return [...parts, ...changing(paired), ...cutShort(paired)];
}

/** Below this share of deliveries, a target's loss is the first answer. */
const graveShare = 0.99;

function claimed(claims: Claims, paired: Paired): string[] {
  const { equal, untold } = claims;
  const head = fastest(claims, paired);
  const within = percentText(paired.equalWithin);
  const said = head.isEqual ? claims.fastest : [];
  return [
    ...(head.text === '' ? [] : [head.text]),
    ...slower(claims, head.text !== '' && claims.fastest.length === 1),
    ...equal
      .filter((group) => group.length !== said.length || group.some((each) => !said.includes(each)))
      .map((group) => `${all(group)} are equal within ${within}.`),
    ...untold.map((each) => untoldInWords(each, paired)),
  ];
}

/** Returns the first sentence, or an empty text if others cover it. `isEqual`: it calls targets equal. */
function fastest(claims: Claims, { equalWithin, pairs }: Paired): { text: string; isEqual: boolean } {
  const { fastest: names, slower: others } = claims;
  const [first = ''] = names;
  const isOneOfAll = others.every(({ target }) => pairOf(pairs, target, first)?.holds !== 'no');
  if (names.length === 1) return { text: isOneOfAll ? `${first} is the fastest.` : '', isEqual: false };
  if (others.length === 0) return { text: '', isEqual: false };
  const isEqual = claims.equal.some((group) => names.every((name) => group.includes(name)));
  const text = isEqual
    ? `${all(names)} are the fastest, and equal within ${percentText(equalWithin)}.`
    : `The fastest is ${all(names, 'or')}.`;
  return { text, isEqual };
}

function slower({ reference, slower: others }: Claims, isReferenceNamed: boolean): string[] {
  const than = [reference, ...new Set(others.map((each) => each.than).filter((each) => each !== reference))];
  return than.flatMap((other) => {
    const own = others.filter((each) => each.than === other);
    const isPlain = other === reference && isReferenceNamed;
    const known = own.filter(({ ratio }) => ratio !== null);
    const parts = known.map(({ target, ratio }, place) => {
      const by = times(ratio ?? 1);
      return place > 0 ? `${target} ${by}` : `${target} is ${by} slower${isPlain ? '' : ` than ${other}`}`;
    });
    const never = own.filter(({ ratio }) => ratio === null).map(({ target }) => target);
    return [
      ...(parts.length > 0 ? [`${parts.join(', ')}.`] : []),
      ...(never.length > 0 ? [`The median of ${all(never)} did not arrive, that of ${other} did.`] : []),
    ];
  });
}

function untoldInWords({ targets, isOrdered, upTo, because }: Untold, { control, pairs }: Paired): string {
  const size = upTo < 1 ? `${Math.ceil(upTo * 100)} %` : `a factor of ${(1 + upTo).toFixed(1)}`;
  const why: Readonly<Partial<Record<OpenReason, string>>> = {
    chance: `they may differ by up to ${size}`,
    rig: `the load generator may have made their difference of up to ${size}`,
    neighbours: 'idle neighbours slow them down by different shares',
    lost: 'too much was lost for a median',
    levels: 'a latency has two levels, and the ratio depends on which of them a round meets',
    trend: 'their ratio was still changing within each start',
    control: `${control?.a ?? 'a target'} differs as much from its own twin`,
  };
  const advice = because === 'neighbours' ? ' Run `ringside compare --design runs`.' : '';
  const apart = slowerOf(targets, pairs);
  if (apart === undefined) return `${all(targets)} can't be told apart: ${why[because]}.${advice}`;
  if (targets.length > 2) return `No order of ${all(targets)} is claimed: ${why[because]}.${advice}`;
  const but: Readonly<Partial<Record<OpenReason, string>>> = {
    ...why,
    chance: 'chance may explain that, with all pairs judged at once',
    rig: 'the load generator may have made that',
    neighbours: 'idle neighbours may be a part of that',
    trend: 'that was still changing within each start',
  };
  const order = isOrdered ? '' : ', so no order is claimed';
  return `${apart.a} took ${times(apart.ratio)} as long as ${apart.b} here, but ${but[because]}${order}.${advice}`;
}

/** Returns two of these targets, the slower one as `a`, whose interval in the table lacks 1. */
function slowerOf(
  targets: readonly string[],
  pairs: Paired['pairs'],
): { a: string; b: string; ratio: number } | undefined {
  const ordered = targets.flatMap((a) => targets.flatMap((b) => (a === b ? [] : (pairOf(pairs, a, b) ?? []))));
  const found = ordered.find(({ interval }) => interval && interval[0] > 1);
  return found && found.ratio !== null ? { ...found, ratio: found.ratio } : undefined;
}

function whyNone(paired: Paired): string[] {
  const names = contenders(paired).map(({ target }) => target);
  if (names.length === 0) return ['No target could be measured.'];
  if (names.length === 1) return [`Only ${names[0]} could be measured, so there is nothing to compare it with.`];
  return [`No order is claimed: ${withheldInWords(paired) || 'no pair could be measured'}.`];
}

function changing({ trends }: Paired): string[] {
  return trends.map(({ target, change }) => {
    const [way, by] = change > 1 ? ['slower', change] : ['faster', 1 / change];
    return `${target} was still changing: it became ${times(by)} ${way} within each start.`;
  });
}

function cutShort({ ended, starts, startsPlanned }: Paired): string[] {
  if (ended !== 'interrupted') return [];
  return [
    starts.length === 0
      ? 'Interrupted before the first start was complete.'
      : `Interrupted after ${starts.length} of ${startsPlanned} starts.`,
  ];
}

function lost({ targets }: Paired, scenario: Declaration): string[] {
  const title = scenario.headline.find(({ kind }) => kind === 'share')?.title;
  const short = contenders({ targets }).filter(({ deliveredShare }) => (deliveredShare ?? 1) < 1);
  if (title === undefined || short.length === 0) return [];
  const shares = short.map(({ target, deliveredShare }) => `${target} ${shareOf(deliveredShare ?? 0, 1)}`);
  return [`Not everything was ${title}: ${shares.join(', ')}.`];
}
