/** Names the answers to a question about runs: yes, no, or open if they can't tell. */
export const answers = ['yes', 'no', 'open'] as const;

export type Holds = (typeof answers)[number];

/**
 * A statement claims a relation of its subject. `differs`: two targets take different times. `meets`: a figure meets
 * its threshold. `keepsUp`: a target keeps up with a rate. `agrees`: two ways to measure say the same. `below`: one
 * target lies below another. `better`, `worse` and `changed`: a candidate beside its baseline.
 */
export type Relation = 'differs' | 'meets' | 'keepsUp' | 'agrees' | 'below' | 'better' | 'worse' | 'changed';

/**
 * A statement is open for one of these reasons. `chance`: more runs or a calmer machine may decide it. `rig`: the rig
 * may have made the difference. `fewRuns`: too few valid runs. `neighbours`: idle servers slow two targets down by
 * different shares. `control`: a target differs as much from its twin. `lost`: a median did not arrive. `levels`: a
 * latency has two levels. `trend`: a ratio moves within a start. `noFigure`: nothing measures it. `equal`: two
 * contenders are equal here, and so stand in no order. `fewSamples`: a percentile needs more samples. `absent`: a
 * contender does not run here.
 */
export const openReasons = [
  'chance',
  'rig',
  'lost',
  'levels',
  'trend',
  'neighbours',
  'control',
  'fewRuns',
  'noFigure',
  'equal',
  'fewSamples',
  'absent',
] as const;

export type OpenReason = (typeof openReasons)[number];

/** Says if a relation holds for a subject, with the evidence. */
export interface Statement {
  subject: string;
  relation: Relation;
  holds: Holds;
  because?: OpenReason | null | undefined;
  ratio?: number | null;
  interval?: readonly [low: number, high: number] | null;
  /** Number of statements that share the error of the interval. More of them make each interval wider. */
  family?: number;
}

const intervals = ['interval', 'joint', 'theseProcesses'] as const;
const ratios = ['ratio', 'ofMedians', 'change'] as const;

/** Describes two targets of a statement, and the parts that invert if the targets are swapped. */
type Pairwise = { a: string; b: string; missing?: 'a' | 'b' | 'both' | null } & {
  [name in (typeof ratios)[number]]?: number | null;
} & { [name in (typeof intervals)[number]]?: readonly [low: number, high: number] | null };

/** Returns the pair of `a` to `b`, in whichever direction it is kept. Undefined if there is none. */
export function pairOf<P extends Pairwise>(pairs: readonly P[], a: string, b: string): P | undefined {
  const straight = pairs.find((pair) => pair.a === a && pair.b === b);
  if (straight) return straight;
  const reversed = pairs.find((pair) => pair.a === b && pair.b === a);
  return reversed && turned(reversed);
}

function turned<P extends Pairwise>(pair: P): P {
  const turn: Pairwise = { a: pair.b, b: pair.a };
  for (const key of ratios) if (pair[key]) turn[key] = 1 / pair[key];
  for (const key of intervals) if (pair[key]) turn[key] = [1 / pair[key][1], 1 / pair[key][0]];
  if (pair.missing === 'a' || pair.missing === 'b') turn.missing = pair.missing === 'a' ? 'b' : 'a';
  return { ...pair, ...turn };
}

/** Returns the answer on which all agree. Open if they disagree, or if there is none. */
export function agreed(all: readonly Holds[]): Holds {
  const [first = 'open'] = all;
  return all.every((each) => each === first) ? first : 'open';
}

export function worstOf(all: readonly Holds[]): Holds {
  return (['no', 'open'] as const).find((each) => all.includes(each)) ?? 'yes';
}
