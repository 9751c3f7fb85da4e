import { milliseconds } from '../../src/render/words/figures.js';
import type { Reading } from './reading.js';

/** Whether the reversal showed, and the sentences that say so, each following from the figures. */
export interface Conclusion {
  isShown: boolean;
  sentences: string[];
}

const inMs = (us: number): string => `${milliseconds(us)} ms`;

/**
 * Holds the starved rig against the one with room. The reversal shows when the first is marked limited and the second, which must not be void, has the
 * lower p99 or the better verdict.
 */
export function conclude(starved: Reading, roomy: Reading): Conclusion {
  const failure = noReversal(starved, roomy);
  if (failure !== undefined) return { isShown: false, sentences: [`The reversal did not show: ${failure}.`] };
  return { isShown: true, sentences: [whatMoved(starved, roomy), ...whereItLies(starved, roomy), marking(roomy)] };
}

function noReversal(starved: Reading, roomy: Reading): string | undefined {
  if (starved.verdict.rig === 'void') return 'the run of the one loop is void, its figures stand for nothing';
  if (starved.verdict.rig === 'clean') return 'one loop had time enough here, and was marked clean. Ask it for more';
  if (roomy.verdict.rig === 'void') return 'the run of the second rig is void, its figures stand for nothing';
  if (isLower(starved, roomy) || roomy.verdict.rig === 'clean') return undefined;
  const figures = `p99 ${milliseconds(roomy.p99)} ms on the second rig, ${milliseconds(starved.p99)} ms on the one loop`;
  return `${figures}, and both are limited: this machine had no room to give`;
}

function isLower(starved: Reading, roomy: Reading): boolean {
  return starved.p99 !== null && roomy.p99 !== null && roomy.p99 < starved.p99;
}

function whatMoved(starved: Reading, roomy: Reading): string {
  if (starved.p99 === null || roomy.p99 === null) return 'There were too few samples for a p99 on both rigs.';
  const figures = `from ${inMs(starved.p99)} to ${inMs(roomy.p99)}`;
  if (roomy.p99 >= starved.p99) {
    return `The second rig’s p99 is no lower (${figures}), but nothing speaks against it, and the one loop’s had no proof.`;
  }
  const ownUs = starved.p99 - roomy.p99;
  const share = ((ownUs / starved.p99) * 100).toFixed(0);
  const moved = `The server and its load stayed as they were, the rig got room, and p99 went ${figures}`;
  const doubt = doubtOf(starved, roomy);
  return doubt === undefined
    ? `${moved}: ${inMs(ownUs)} (${share} %) of what the one loop called the server’s latency was the rig’s.`
    : `${moved}, ${inMs(ownUs)} (${share} %) less, ${doubt}.`;
}

/** What leaves it open that chance made the difference: the intervals of the two p99 over broadcasts. */
function doubtOf({ p99Interval: starved }: Reading, { p99Interval: roomy }: Reading): string | undefined {
  if (!starved || !roomy) return 'of too few broadcasts to say that it was not by chance';
  return roomy[1] < starved[0] ? undefined : 'which the differences between broadcasts may have made by chance';
}

/** Whether the one loop's own books had allowed for what the second rig found. */
function whereItLies({ p99: most, atLeastP99: least }: Reading, { p99 }: Reading): string[] {
  if (p99 === null || most === null || least === null) return [];
  const span = `between ${inMs(least)} and ${inMs(most)}`;
  if (p99 >= least && p99 <= most)
    return [`By the one loop’s own books the truth lay ${span}, and there the second rig found it.`];
  const side = p99 < least ? 'below' : 'above';
  return [
    `By the one loop’s own books the truth lay ${span}; the second rig found it ${side}: something beside the loop’s waiting differed.`,
  ];
}

function marking({ verdict, atLeastP99, p99 }: Reading): string {
  const first = 'Ringside had marked the one loop limited before there was a second rig to hold it against';
  if (verdict.rig === 'clean') return `${first}, and calls the second one clean.`;
  const bracket =
    atLeastP99 === null || p99 === null ? '' : `: its p99 lies between ${inMs(atLeastP99)} and ${inMs(p99)}`;
  return `${first}. The second one has too little room on this machine as well, and is marked limited${bracket}.`;
}
