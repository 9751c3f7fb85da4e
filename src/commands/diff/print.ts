import type { Declaration } from '../../measure/declaration.js';
import { isLowerEnd } from '../../measure/metric-names.js';
import { type DataTable, type Document, type Line, type Part, toned } from '../../render/document/document.js';
import { changeWord } from '../../render/words/statement.js';
import { boundsInWords } from '../../render/words/verdict-words.js';
import {
  type Diff,
  type DiffPart,
  type DiffRow,
  doubling,
  isBoundedRow,
  isVoid,
  rigRemarkOf,
  type ThresholdChange,
} from '../../results/diff.js';
import { diffSuites } from './checks.js';
import { aloneInWords, changeInWords, inSide, passedInWords, sideInWords } from './words.js';

/** Returns the document of a diff: conclusion, limits, figures. `isWhole` shows all figures. */
export function diffDocument(diff: Diff, scenario: Declaration, isWhole = false): Document {
  const open = differing(diff);
  const { says, of, text } = conclusionOf(diff);
  const sign = says === 'bad' ? '✗ ' : '';
  const { otherwiseWorse } = diff;
  return {
    title: scenario.name,
    parts: [
      { blocks: [`baseline  ${diff.baseline}`, `candidate ${diff.candidate}`] },
      {
        isAnswer: true,
        blocks: [
          of.length > 0 ? [{ text: `${sign}${text}:`, tone: says }, ` ${of.join(' · ')}`] : { text, tone: says },
          ...undecidedInWords(diff).map(({ names, because }) => [
            toned.doubtful('undecided:'),
            ` ${names.join(' · ')}: ${because}`,
          ]),
          ...(open.length > 0 ? [[toned.doubtful(`${openInWords}:`), ` ${open.join(' · ')}`]] : []),
          ...(otherwiseWorse.length > 0
            ? [`other figures that are worse (${byChance}): ${otherwiseWorse.join(' · ')}`]
            : []),
          ...(diff.forced === '' ? [] : [toned.doubtful(`these runs were asked for different loads: ${diff.forced}`)]),
          ...aloneInWords(diff).map(toned.doubtful),
        ],
      },
      ...diff.parts.flatMap((part) => partsOf(part, scenario, isWhole)),
      { isJoined: true, blocks: caveats(diff).map(toned.aside) },
    ],
    footer: [`ringside ${diff.tool.version}`],
    suites: diffSuites(diff),
  };
}

const byChance = 'about 1 in 40 is by chance';

/** The conclusion of a diff and the figures or targets it is about. `plain`: single runs cannot decide. */
export interface Conclusion {
  says: 'bad' | 'doubtful' | 'plain' | 'good';
  text: string;
  of: readonly string[];
}

/** Returns the gravest conclusion. An incomplete comparison is never called good. */
export function conclusionOf(diff: Diff): Conclusion {
  const voided = diff.parts.filter(({ baseline, candidate }) => isVoid(baseline) || isVoid(candidate));
  const faults: readonly Conclusion[] = [
    { says: 'bad', text: 'worse beyond noise', of: diff.regressions },
    { says: 'bad', text: 'not compared, one side is void', of: voided.map(({ candidate: { target } }) => target) },
    { says: 'doubtful', text: 'only on one side', of: diff.unmatched.map(({ target }) => target) },
  ];
  const fault = faults.find(({ of }) => of.length > 0);
  if (fault) return fault;
  const text = 'no headline figure or threshold got worse beyond noise';
  if (diff.undecided.length > 0) return { says: 'doubtful', text: `${text} and open`, of: [] };
  return { says: differing(diff).length > 0 ? 'plain' : 'good', text, of: [] };
}

/** Returns the names of what may have become worse, grouped by the reason why that is undecided. */
export function undecidedInWords({ undecided }: Diff): { names: string[]; because: string }[] {
  const reasons = [...new Set(undecided.map(({ because }) => because))];
  return reasons.map((because) => ({
    names: undecided.filter((each) => each.because === because).map(({ name }) => name),
    because,
  }));
}

export const openInWords = 'different, but one run per side cannot tell why';

/** Returns the headline figures that differ between two single runs: `target  figure`. */
export function differing({ parts }: Diff): string[] {
  return parts.flatMap(({ candidate: { target }, rows }) =>
    rows.flatMap((row) => (row.isHeadline && changeWord(row) === 'differs' ? [`${target}  ${row.name}`] : [])),
  );
}

export function caveats({ parts }: Diff): string[] {
  const bases = new Set(parts.flatMap(({ rows }) => rows.map(({ noise }) => noise.basis)));
  const beside = parts
    .filter(({ rows }) => rows.some(({ noise }) => noise.basis === 'beside'))
    .map(({ baseline: { target, directories, beside: others } }) => {
      const runs = directories.length + others.length;
      return `Noise of ${target}: the spread of ${runs} runs, the baseline and earlier ones of the same shape.`;
    });
  return [
    ...(bases.has('broadcasts') ? [singleRuns] : []),
    ...beside,
    ...(bases.has('unknown') ? ['?: the noise of this figure is unknown, so its change is not judged.'] : []),
    ...(parts.some(({ rows }) => rows.some(hasBound)) ? [boundsInWords] : []),
  ];
}

const singleRuns =
  'One run per side: intervals cover the noise between broadcasts, not between runs. ' +
  `Only a change by a factor of ${doubling} counts as worse or better. ` +
  'Use --repeat 5, or keep two earlier runs of the same target, machine and version beside the baseline.';

function partsOf(part: DiffPart, scenario: Declaration, isWhole: boolean): Part[] {
  const { baseline, candidate, differs, rows, thresholds } = part;
  const told = rows.filter((row) => !isSilent(row) && !isLowerEnd(scenario, row.name.split('.')[0] ?? ''));
  const shown = told.filter((row) => isWhole || row.isHeadline || !['same', 'unknown'].includes(changeWord(row)));
  const others = told.filter((row) => !shown.includes(row));
  const equal = rows.filter(isSilent).map((row) => `${row.name} ${inSide(row, row.baseline)}`);
  const sides = [['baseline ', baseline] as const, ['candidate', candidate] as const];
  return [
    {
      title: baseline.target === candidate.target ? candidate.target : `${candidate.target} against ${baseline.target}`,
      blocks: [
        ...sides.flatMap(([name, side]): Line[] => [
          ...sideInWords(name, side).map(isVoid(side) ? toned.bad : toned.doubtful),
          ...side.evidence.map((text) => `          ${text}`),
        ]),
        ...sides.flatMap(([name, { stops }]) => (stops.length > 0 ? [`${name} stopped: ${stops.join(', ')}`] : [])),
        ...(differs.length > 0 ? [toned.doubtful(`differs   ${differs.join(' · ')}`)] : []),
        ...thresholds.map(thresholdLine),
        figureTable(part, shown),
        ...leftOut(others).map(toned.aside),
        ...(equal.length > 0 ? [toned.aside(`equal: ${equal.join(' · ')}`)] : []),
      ],
    },
    {
      only: 'exports',
      folded: 'all other figures',
      blocks: others.length > 0 ? [figureTable(part, others)] : [],
    },
  ];
}

function figureTable(part: DiffPart, rows: readonly DiffRow[]): DataTable {
  return {
    head: ['ms, counts', 'baseline', 'candidate', 'change', ''],
    rows: rows.map((row) => [
      row.isHeadline ? toned.title(row.name) : row.name,
      inSide(row, row.baseline),
      inSide(row, row.candidate),
      changeInWords(row),
      judgementInWords(row, part),
    ]),
    left: [0, 4],
  };
}

function leftOut(rows: readonly DiffRow[]): string[] {
  const within = rows.filter(({ holds }) => holds === 'no').length;
  const parts = [
    ...(within > 0 ? [`${within} within noise`] : []),
    ...(rows.length > within ? [`${rows.length - within} with unknown noise`] : []),
  ];
  return parts.length > 0 ? [`--all shows the other figures: ${parts.join(', ')}`] : [];
}

function isSilent({ kind, isHeadline, noise }: DiffRow): boolean {
  return kind === 'count' && !isHeadline && noise.basis === 'equal';
}

function thresholdLine({ text, baseline, candidate, relation }: ThresholdChange): Line {
  const { good, bad } = toned;
  const stands = candidate?.kept === candidate?.runs ? good('✓') : bad('✗');
  const mark = { worse: bad('✗'), better: good('✓'), changed: candidate ? stands : '?' };
  return [
    'threshold  ',
    mark[relation],
    ' ',
    toned.code(text),
    `  (${passedInWords(baseline)}, then ${passedInWords(candidate)})`,
  ];
}

function hasBound({ baseline, candidate }: DiffRow): boolean {
  return [baseline, candidate].some((side) => side?.isBounded === true);
}

/** Remark at a change that the rig may explain. */
export const rigRemark = 'maybe by the load generator';

/** Returns the word for a change that is neither better nor worse, with the remark if the rig may explain it. */
export function changedInWords(row: DiffRow, part: DiffPart): string {
  return rigRemarkOf(part) !== '' || isBoundedRow(row) ? `changed, ${rigRemark}` : 'changed';
}

function judgementInWords(row: DiffRow, part: DiffPart): Line {
  const { good, bad, doubtful, aside } = toned;
  return {
    worse: bad('✗ worse'),
    better: good('✓ better'),
    undecided: doubtful('? undecided'),
    changed: changedInWords(row, part),
    differs: doubtful('different'),
    same: aside(row.noise.basis === 'equal' ? 'equal' : 'within noise'),
    unknown: aside('?'),
  }[changeWord(row)];
}
