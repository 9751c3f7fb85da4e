import { milliseconds } from '../../src/render/words/figures.js';
import { paint, type Style } from '../../src/render/words/style.js';
import { columnsOrBlocks } from '../../src/render/words/table.js';
import { count } from '../../src/units/words.js';
import type { Conclusion } from './conclusion.js';
import type { Reading } from './reading.js';
import type { Load } from './rigs.js';

const inMs = (us: number | null): string => (us === null ? '–' : `${milliseconds(us)} ms`);

/** The demonstration for the terminal: both rigs side by side, each with its verdict and evidence, and what follows from it. */
export function sideBySide(
  load: Load,
  starved: Reading,
  roomy: Reading,
  { sentences }: Conclusion,
  style: Style,
): string {
  const { title } = paint(style);
  return [
    title(
      `${count(load.broadcasts)} broadcasts, one a second, to ${count(load.subscribers)} subscribers of ${load.target}, measured by two rigs`,
    ),
    '',
    columnsOrBlocks(style.columns, ['', rigOf(starved), rigOf(roomy)], rows(starved, roomy, style)),
    '',
    ...verdictLines(starved, style),
    ...verdictLines(roomy, style),
    '',
    belief(starved),
    ...doubts(starved),
    '',
    title(sentences.join('\n')),
  ].join('\n');
}

function rows(starved: Reading, roomy: Reading, style: Style): string[][] {
  const row = (what: string, cell: (reading: Reading) => string): string[] => [what, cell(starved), cell(roomy)];
  return [
    row('delivery p50', ({ p50 }) => inMs(p50)),
    row('delivery p99', ({ p99 }) => inMs(p99)),
    row('without waiting in the rig, p50 at least', ({ atLeastP50 }) => inMs(atLeastP50)),
    row('without waiting in the rig, p99 at least', ({ atLeastP99 }) => inMs(atLeastP99)),
    row('publish answered, p50', ({ ackP50 }) => inMs(ackP50)),
    row('publish answered, the slowest', ({ ackMax }) => inMs(ackMax)),
    row('verdict', ({ verdict }) => verdictWord(verdict.rig, style)),
  ];
}

/** What made the load: `1 loop, library clients`. */
function rigOf({ loops, client }: Reading): string {
  return `${loops} ${loops === 1 ? 'loop' : 'loops'}, ${client} clients`;
}

function verdictLines(reading: Reading, style: Style): string[] {
  const { rig, evidence } = reading.verdict;
  const texts = evidence.map(({ rule, text }) => `  ${rule}: ${text}`);
  return [`${rigOf(reading)}: ${verdictWord(rig, style)}`, ...(texts.length > 0 ? texts : ['  no rule speaks'])];
}

function verdictWord(rig: Reading['verdict']['rig'], style: Style): string {
  const { good, doubtful, bad } = paint(style);
  return { clean: good('clean'), limited: doubtful('LIMITED'), void: bad('VOID') }[rig];
}

/** What a user reads off a load generator that does not judge itself. */
function belief({ p50, p99 }: Reading): string {
  if (p50 === null || p99 === null) return 'The one loop got too few deliveries for a p50 and a p99.';
  return `The one loop would have you believe that the server takes ${inMs(p50)} for half of the deliveries, and ${inMs(p99)} or more for one in a hundred.`;
}

/** What its own books have to say to that. */
function doubts({ p50, p99, atLeastP50, atLeastP99, ackP50 }: Reading): string[] {
  const waits = [
    ...(p50 !== null && atLeastP50 !== null ? [`${inMs(p50 - atLeastP50)} of the p50`] : []),
    ...(p99 !== null && atLeastP99 !== null ? [`${inMs(p99 - atLeastP99)} of the p99`] : []),
  ];
  return [
    ...(waits.length > 0
      ? [`Of that, frames may have waited in the loop itself for up to ${waits.join(' and ')}.`]
      : []),
    ...(ackP50 === null
      ? []
      : [
          `The server answered half of the publishes within ${inMs(ackP50)}; that answer knows nothing of the subscribers’ side.`,
        ]),
  ];
}
