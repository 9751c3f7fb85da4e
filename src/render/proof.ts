import type { Pair, Proof } from '../results/comparison.js';
import { paint, type Style } from './words/table.js';

/** Noise that could hide a change by this factor leaves the question open. */
export const openAbove = 1.25;

export function proofLines({ against, notTried }: Proof, style: Style): string[] {
  const { aside } = paint(style);
  const moved = against.filter(({ isBeyondNoise }) => isBeyondNoise);
  const held = against.filter(({ isBeyondNoise }) => !isBeyondNoise);
  return [
    `proof  ${summary(against, moved, style)}`,
    ...moved.map(sentence),
    ...held.map(sentence).map(aside),
    ...(against.length > 0 ? [aside('       95 % intervals, which hold all at once')] : []),
    ...notTried.map((why) => aside(`       not tried: ${why}`)),
  ];
}

function summary(against: readonly Pair[], moved: readonly Pair[], style: Style): string {
  const { good, doubtful, bad } = paint(style);
  if (moved.length > 0) return bad('MOVED with the rig: the rig limited these figures');
  const [widest] = against.toSorted((a, b) => hidden(b) - hidden(a));
  if (widest === undefined) return bad('OPEN: no figure could be compared with the base');
  const most = `the largest move that is not excluded is ${change(hidden(widest))}, of ${widest.column}`;
  return hidden(widest) <= openAbove
    ? good(`HELD: no figure moved with the rig; ${most}`)
    : doubtful(`OPEN: no figure moved beyond noise, but ${most}; repeat more often`);
}

function hidden({ interval: [low, high] }: Pair): number {
  return Math.max(high, 1 / low);
}

/** A pair is base over variant; people read the change from the base. */
function sentence({ column, a, b, ratio, interval: [low, high] }: Pair): string {
  return `       ${column}: ${change(1 / ratio)} [${change(1 / high)} to ${change(1 / low)}] from ${a} to ${b}`;
}

function change(times: number): string {
  const percent = (times - 1) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}
