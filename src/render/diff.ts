import type { Declaration } from '../measure/declaration.js';
import {
  type Diff,
  type DiffPart,
  type DiffPromise,
  type DiffRow,
  type DiffSide,
  type DiffValue,
  doubling,
  isDoubtedRow,
  isDoubtful,
  isVoid,
} from '../results/diff.js';
import { count } from '../units/words.js';
import { inCell } from './comparison.js';
import { atMost, atMostInWords } from './words/doubts.js';
import { paint, type Style } from './words/style.js';
import { columnsOrBlocks } from './words/table.js';
import { valueInWords } from './words/values.js';
import { doubtedInWords } from './words/verdict-words.js';

/**
 * A candidate against its baseline for the terminal: what speaks against either side above the numbers, then the figures with their changes, and which
 * changes are more than the noise: of those beside the headline only these, unless the whole is asked for.
 */
export function renderDiff(diff: Diff, scenario: Declaration, style: Style, isWhole = false): string {
  const { title, bad, good, doubtful, aside } = paint(style);
  const parts = diff.parts.flatMap((part) => ['', ...partLines(part, style, isWhole)]);
  const open = differing(diff);
  const { says, of, text } = conclusionOf(diff);
  const say = { bad, doubtful, good, open: (line: string): string => line }[says];
  return [
    title(scenario.name),
    `baseline  ${diff.baseline}`,
    `candidate ${diff.candidate}`,
    ...(diff.forced === '' ? [] : [doubtful(`these runs are of different shapes: ${diff.forced}`)]),
    ...aloneInWords(diff).map((line) => doubtful(line)),
    ...parts,
    '',
    of.length > 0 ? `${say(`${says === 'bad' ? '✗ ' : ''}${text}:`)} ${of.join(' · ')}` : say(text),
    ...(open.length > 0 ? [`${doubtful(`${openInWords}:`)} ${open.join(' · ')}`] : []),
    ...(diff.otherwiseWorse.length > 0
      ? [`beside the headline, where one figure in forty is worse by chance: ${diff.otherwiseWorse.join(' · ')}`]
      : []),
    ...caveats(diff).map((line) => aside(line)),
  ].join('\n');
}

/** What a diff comes to, and of what; `open`: nothing became worse as far as the runs can tell, which is not all the way. */
export interface Conclusion {
  says: 'bad' | 'doubtful' | 'open' | 'good';
  text: string;
  of: readonly string[];
}

/** The gravest that there is to say: where less was compared than was asked for, it is not that nothing became worse. */
export function conclusionOf(diff: Diff): Conclusion {
  const voided = diff.parts.filter(({ baseline, candidate }) => isVoid(baseline) || isVoid(candidate));
  const faults: readonly Conclusion[] = [
    { says: 'bad', text: 'worse by more than the noise', of: diff.regressions },
    {
      says: 'bad',
      text: 'a side is void, nothing was compared',
      of: voided.map(({ candidate: { target } }) => target),
    },
    { says: 'doubtful', text: 'ran on one side only', of: diff.unmatched.map(({ target }) => target) },
  ];
  const calm = differing(diff).length > 0 ? 'open' : 'good';
  return (
    faults.find(({ of }) => of.length > 0) ?? {
      says: calm,
      text: 'nothing that decides became worse by more than the noise',
      of: [],
    }
  );
}

/** Which targets ran on one side only, in lines. */
export function aloneInWords({ unmatched }: Diff): string[] {
  return unmatched.map(({ target, on }) => `${target} ran on the side of the ${on} only`);
}

/** What is said of what differs so. */
export const openInWords = 'differs, and one run a side cannot tell why';

/** What differs between two single runs by more than each varies within: `target  figure`. */
export function differing({ parts }: Diff): string[] {
  return parts.flatMap(({ candidate: { target }, rows }) =>
    rows.flatMap(({ name, judgement, isHeadline }) =>
      judgement === 'differs' && isHeadline ? [`${target}  ${name}`] : [],
    ),
  );
}

/** What is said of a side above the numbers; nothing of a clean one. */
export function sideInWords(name: string, side: DiffSide): string[] {
  const { clean, limited, void: voided } = side.verdicts;
  const of = (number: number): string => (clean + limited + voided === 1 ? '' : ` (${number} runs)`);
  return [
    ...(voided > 0 ? [`${name} VOID${of(voided)}: ${doubtedInWords.void}`] : []),
    ...(limited > 0 ? [`${name} LIMITED${of(limited)}: ${doubtedInWords.limited}`] : []),
  ];
}

/** What to know before a change is believed. */
export function caveats({ parts }: Diff): string[] {
  const bases = new Set(parts.flatMap(({ rows }) => rows.map(({ noise }) => noise.basis)));
  return [
    ...(bases.has('broadcasts')
      ? [
          `One run a side: intervals hold what varies between broadcasts, not between runs, and only what is ${doubling} times as much or half of it is called worse or better. ${besideHint}`,
        ]
      : []),
    ...besideInWords(parts),
    ...(bases.has('unknown')
      ? ['?: no noise is known of that figure here, so a change of it is neither worse nor better.']
      : []),
    ...(parts.some(({ rows }) => rows.some(isDoubtedRow)) ? [atMostInWords] : []),
  ];
}

const besideHint =
  'Repeats (--repeat 5) hold both, and so do two or more earlier runs of its target, machine and version beside the baseline.';

/** Out of which runs it is known what changes between runs. */
function besideInWords(parts: Diff['parts']): string[] {
  return parts
    .filter(({ rows }) => rows.some(({ noise }) => noise.basis === 'beside'))
    .map(({ baseline }) => {
      const { target, directories, beside } = baseline;
      return `Noise of ${target}: what ${directories.length + beside.length} runs spread by, the baseline and those of its shape, target, machine and versions beside it.`;
    });
}

function partLines(part: DiffPart, style: Style, isWhole: boolean): string[] {
  const { bad, doubtful, aside, title } = paint(style);
  const { baseline, candidate, differs, rows, promises } = part;
  const told = rows.filter((row) => !isSilent(row));
  const shown = told.filter((row) => isWhole || row.isHeadline || !['same', 'unknown'].includes(row.judgement));
  const equal = rows.filter(isSilent);
  const lines = shown.map((row) => [
    row.isHeadline ? title(row.name) : row.name,
    inSide(row, row.baseline),
    inSide(row, row.candidate),
    changeInWords(row),
    judgementInWords(row, part, style),
  ]);
  return [
    title(baseline.target === candidate.target ? candidate.target : `${candidate.target} against ${baseline.target}`),
    ...(
      [
        ['baseline ', baseline],
        ['candidate', candidate],
      ] as const
    ).flatMap(([name, side]) => [
      ...sideInWords(name, side).map((line) => (line.includes('VOID') ? bad(line) : doubtful(line))),
      ...side.evidence.map((text) => `          ${text}`),
    ]),
    ...stops('baseline', baseline),
    ...stops('candidate', candidate),
    ...(differs.length > 0 ? [doubtful(`differs   ${differs.join(' · ')}`)] : []),
    ...promises.map((each) => promiseLine(each, style)),
    columnsOrBlocks(style.columns, ['ms, counts', 'baseline', 'candidate', 'change', ''], lines, [0, 4]),
    ...leftOut(told.filter((row) => !shown.includes(row))).map((line) => aside(line)),
    ...(equal.length > 0
      ? [aside(`equal: ${equal.map((row) => `${row.name} ${inSide(row, row.baseline)}`).join(' · ')}`)]
      : []),
  ];
}

/** How many figures are not shown, and why. */
function leftOut(rows: readonly DiffRow[]): string[] {
  const within = rows.filter(({ judgement }) => judgement === 'same').length;
  const parts = [
    ...(within > 0 ? [`${within} within noise`] : []),
    ...(rows.length > within ? [`${rows.length - within} of which no noise is known`] : []),
  ];
  return parts.length > 0 ? [`and beside the headline ${parts.join(', ')}: --all shows them`] : [];
}

/** A count on which all runs agree says enough in a word. */
function isSilent({ kind, isHeadline, noise }: DiffRow): boolean {
  return kind === 'count' && !isHeadline && noise.basis === 'equal';
}

function stops(name: string, { stops: all }: DiffSide): string[] {
  return all.length > 0 ? [`${name} stopped: ${all.join(', ')}`] : [];
}

function promiseLine({ text, baseline, candidate, judgement }: DiffPromise, style: Style): string {
  const { good, bad } = paint(style);
  const stands = candidate?.kept === candidate?.runs ? '✓' : '✗';
  const mark = { worse: bad('✗'), better: good('✓'), same: stands, unknown: candidate ? stands : '?' };
  return `promise  ${mark[judgement]} ${text}  (${promiseInWords(baseline)}, then ${promiseInWords(candidate)})`;
}

/** How many of a side's runs kept a promise. */
export function promiseInWords(side: DiffPromise['baseline']): string {
  return side === null ? 'not given' : `kept by ${side.kept} of ${side.runs}`;
}

/** A side's median with its interval, or else its spread over the runs, after the mark of a doubt where a run has one. */
export function inSide({ kind }: Pick<DiffRow, 'kind'>, value: DiffValue | null): string {
  if (value === null) return '–';
  return (value.isDoubted ? atMost : '') + inCell(value, (each) => valueInWords(kind, each));
}

/** The change in the unit and in percent: `+0.412 (+12.3 %)`. */
export function changeInWords({ kind, change, changeShare }: DiffRow): string {
  if (change === null) return '–';
  if (change === 0) return '0';
  const sign = change > 0 ? '+' : '−';
  const size = Math.abs(change);
  if (kind === 'share') return `${sign}${(size * 100).toFixed(2)} %`;
  const times = changeShare === null ? '' : ` (${sign}${(Math.abs(changeShare) * 100).toFixed(1)} %)`;
  return `${sign}${kind === 'count' ? count(size) : valueInWords(kind, size)}${times}`;
}

/** What is said of a change of runs of which not all are clean, or of machines of another speed, or of a figure that a run doubts. */
export const doubt = 'the rig may have written it';

/** Whether that is to be said of a row of a part. */
export function isDoubtfulIn(part: DiffPart, row: DiffRow): boolean {
  return isDoubtful(part) || isDoubtedRow(row);
}

function judgementInWords(row: DiffRow, part: DiffPart, style: Style): string {
  const { good, bad, doubtful, aside } = paint(style);
  const but = isDoubtfulIn(part, row) ? `; ${doubt}` : '';
  switch (row.judgement) {
    case 'worse':
      return bad(`✗ worse${but}`);
    case 'better':
      return good(`✓ better${but}`);
    case 'changed':
      return `changed${but}`;
    case 'differs':
      return doubtful('differs');
    case 'same':
      return aside(row.noise.basis === 'equal' ? 'equal' : 'within noise');
    case 'unknown':
      return aside('?');
  }
}
