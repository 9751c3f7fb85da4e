import type { Declaration } from '../../measure/declaration.js';
import { isLowerEnd } from '../../measure/metric-names.js';
import {
  type Check,
  type DataTable,
  type Document,
  faulty,
  type Line,
  type Part,
  type Suite,
  toned,
} from '../../render/document/document.js';
import { checkNames } from '../../render/junit.js';
import { inCell } from '../../render/words/scoreboard.js';
import { changeWord } from '../../render/words/statement.js';
import { valueInWords } from '../../render/words/values.js';
import { boundsInWords, failedInWords, withBound } from '../../render/words/verdict-words.js';
import {
  type Diff,
  type DiffPart,
  type DiffRow,
  type DiffSide,
  type DiffValue,
  doubling,
  isBoundedRow,
  isDeciding,
  isVoid,
  rigRemarkOf,
  type ThresholdChange,
} from '../../results/diff.js';
import { countText, plural } from '../../units/text.js';

/** Returns the document of a diff: conclusion, limits, figures. `isWhole` shows all figures. */
export function diffDocument(diff: Diff, scenario: Declaration, isWhole = false): Document {
  const { says, of, text } = conclusionOf(diff);
  const sign = says === 'bad' ? '✗ ' : '';
  const [open, otherwise] = [differing(diff).join(' · '), diff.otherwiseWorse.join(' · ')];
  return {
    title: scenario.name,
    parts: [
      { blocks: [`baseline  ${diff.baseline}`, `candidate ${diff.candidate}`] },
      {
        isAnswer: true,
        blocks: [
          of.length > 0 ? [{ text: `${sign}${text}:`, tone: says }, ` ${of.join(' · ')}`] : { text, tone: says },
          ...undecidedInWords(diff),
          ...(open === '' ? [] : [[toned.doubtful('different, but one run per side cannot tell why:'), ` ${open}`]]),
          ...(otherwise === '' ? [] : [`other figures that are worse (about 1 in 40 is by chance): ${otherwise}`]),
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

/** The conclusion of a diff and the figures or targets it is about. `plain`: single runs cannot decide. */
interface Conclusion {
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

function undecidedInWords({ undecided }: Diff): Line[] {
  const reasons = [...new Set(undecided.map(({ because }) => because))];
  return reasons.map((because) => {
    const names = undecided.filter((each) => each.because === because).map(({ name }) => name);
    return [toned.doubtful('undecided:'), ` ${names.join(' · ')}: ${because}`];
  });
}

function differing({ parts }: Diff): string[] {
  return parts.flatMap(({ candidate: { target }, rows }) =>
    rows.flatMap((row) => (row.isHeadline && changeWord(row) === 'differs' ? [`${target}  ${row.name}`] : [])),
  );
}

function caveats({ parts }: Diff): string[] {
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
    ...(parts.some(({ rows }) => rows.some((row) => row.baseline?.isBounded || row.candidate?.isBounded))
      ? [boundsInWords]
      : []),
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
        ...(others.length > 0 ? [toned.aside(`--all shows ${plural(others.length, 'other figure')}`)] : []),
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

function isSilent({ kind, isHeadline, noise }: DiffRow): boolean {
  return kind === 'count' && !isHeadline && noise.basis === 'equal';
}

function thresholdLine({ text, baseline, candidate, relation }: ThresholdChange): Line {
  const { good, bad, code } = toned;
  const stands = candidate?.kept === candidate?.runs ? good('✓') : bad('✗');
  const mark = { worse: bad('✗'), better: good('✓'), changed: candidate ? stands : '?' }[relation];
  return ['threshold  ', mark, ' ', code(text), `  (${passedInWords(baseline)}, then ${passedInWords(candidate)})`];
}

/** Remark at a change that the rig may explain. */
export const rigRemark = 'maybe by the load generator';

function judgementInWords(row: DiffRow, part: DiffPart): Line {
  const { good, bad, doubtful, aside } = toned;
  const isByRig = rigRemarkOf(part) !== '' || isBoundedRow(row);
  return {
    worse: bad('✗ worse'),
    better: good('✓ better'),
    undecided: doubtful('? undecided'),
    changed: isByRig ? `changed, ${rigRemark}` : 'changed',
    differs: doubtful('different'),
    same: aside(row.noise.basis === 'equal' ? 'equal' : 'within noise'),
    unknown: aside('?'),
  }[changeWord(row)];
}

/** Returns a suite for each target: verdict and end of each side, figures with known noise, thresholds. */
function diffSuites(diff: Diff): Suite[] {
  const { scenario, baseline, candidate, forced, parts, unmatched, tool } = diff;
  const properties = { baseline, candidate, version: tool.version, ...(forced === '' ? {} : { forced }) };
  const suite = (target: string, checks: Check[]): Suite => {
    return { name: `${scenario} ${target} against its baseline`, timestamp: '', seconds: 0, properties, checks };
  };
  const alone = aloneInWords(diff);
  return [
    ...parts.map((part) => suite(part.candidate.target, diffCases(part))),
    ...unmatched.map(({ target }, index) =>
      suite(target, [faulty('is on both sides', 'failure', 'unmatched', alone[index] ?? '')]),
    ),
  ];
}

function diffCases(part: DiffPart): Check[] {
  return [
    ...sideCases('baseline', part.baseline),
    ...sideCases('candidate', part.candidate),
    ...part.rows.flatMap(rowCase),
    ...part.thresholds.map((threshold) => comparedThreshold(threshold, rigRemarkOf(part))),
  ];
}

function sideCases(name: 'baseline' | 'candidate', side: DiffSide): Check[] {
  const { verdicts, evidence, stops } = side;
  const says = sideInWords(name, side).join('; ');
  const [rig, end] = [`${name}: ${checkNames.verdict}`, `${name}: ${checkNames.stop}`];
  const is = isVoid(side) ? 'failure' : 'skipped';
  return [
    says === '' ? { name: rig } : faulty(rig, is, verdicts.void > 0 ? 'void' : 'limited', says, evidence.join('\n')),
    stops.length === 0 ? { name: end } : faulty(end, 'failure', 'stopped', stops.join(', ')),
  ];
}

/** Returns no case for a figure that decides nothing. Skipped if it is undecided or single runs differ. */
function rowCase(row: DiffRow): Check[] {
  const { name, relation, why } = row;
  const isWorse = relation === 'worse';
  const word = changeWord(row);
  if (word === 'unknown' || (isWorse && !isDeciding(row))) return [];
  const was = `${name} was ${inSide(row, row.baseline)}, is ${inSide(row, row.candidate)}: ${changeInWords(row)}`;
  if (word === 'worse') return [faulty(name, 'failure', 'regression', was)];
  if (isWorse) return [faulty(name, 'skipped', word, `${was}; undecided: ${why}`)];
  if (word === 'differs') return [faulty(name, 'skipped', word, `${was}; single runs cannot tell why`)];
  return [{ name }];
}

/** Returns the case of a threshold. It fails if the candidate broke it, even if the baseline did too. */
function comparedThreshold({ text: name, baseline, candidate, relation }: ThresholdChange, doubt: string): Check {
  const message = `${name}: ${passedInWords(baseline)}, then ${passedInWords(candidate)}`;
  if (candidate === null) return faulty(name, 'skipped', 'notGiven', message);
  if (candidate.kept === candidate.runs) return { name };
  if (relation !== 'worse') return faulty(name, 'failure', 'threshold', message);
  return doubt === ''
    ? faulty(name, 'failure', 'regression', message)
    : faulty(name, 'skipped', 'undecided', `${message}; undecided: ${doubt}`);
}

function aloneInWords({ unmatched }: Diff): string[] {
  return unmatched.map(({ target, on }) => `${target} ran only on the ${on} side`);
}

function sideInWords(name: string, { verdicts }: Pick<DiffSide, 'verdicts'>): string[] {
  const { clean, limited, void: voided } = verdicts;
  const runs = clean + limited + voided;
  const of = (number: number): string => (runs === 1 ? '' : ` in ${number} of ${runs} runs`);
  return [
    ...(voided > 0 ? [`${name} VOID${of(voided)}: ${failedInWords.void}`] : []),
    ...(limited > 0 ? [`${name} LIMITED${of(limited)}: ${failedInWords.limited}`] : []),
  ];
}

function passedInWords(side: ThresholdChange['baseline']): string {
  return side === null ? 'not set' : `passed in ${side.kept} of ${side.runs}`;
}

/** Returns a side's median with its interval or spread, and its bound. */
function inSide({ kind }: Pick<DiffRow, 'kind'>, value: DiffValue | null): string {
  if (value === null) return '–';
  const { isBounded, leastShare = 0, median } = value;
  const least = leastShare > 0 ? valueInWords(kind, median * leastShare) : '';
  return withBound(
    inCell(value, (each) => valueInWords(kind, each)),
    isBounded ? least : undefined,
  );
}

/** Returns a change in its unit and in percent: `+0.412 (+12.3 %)`. */
function changeInWords({ kind, change, changeShare }: DiffRow): string {
  if (change === null) return '–';
  if (change === 0) return '0';
  const sign = change > 0 ? '+' : '−';
  const size = Math.abs(change);
  if (kind === 'share') return `${sign}${(size * 100).toFixed(2)} %`;
  const times = changeShare === null ? '' : ` (${sign}${(Math.abs(changeShare) * 100).toFixed(1)} %)`;
  return `${sign}${kind === 'count' ? countText(size) : valueInWords(kind, size)}${times}`;
}
