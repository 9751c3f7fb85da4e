import { codeSpan, inline, list, markdownTable } from '../../render/exports/markdown-parts.js';
import { changeWord } from '../../render/words/statement.js';
import type { Diff, DiffPart, DiffRow, ThresholdChange } from '../../results/diff.js';
import {
  aloneInWords,
  caveats,
  changedInWords,
  changeInWords,
  conclusionOf,
  differing,
  inSide,
  openInWords,
  passedInWords,
  sideInWords,
  undecidedInWords,
} from './print.js';

/** Renders a diff as Markdown for a pull request: the conclusion, evidence against either side, then the figures. */
export function renderDiffMarkdown(diff: Diff): string {
  const { scenario, forced, parts } = diff;
  const open = differing(diff);
  const { says, text, of } = conclusionOf(diff);
  const mark = { bad: '❌ ', doubtful: '⚠️ ', open: '', good: '✅ ' }[says];
  const compared = `baseline ${codeSpan(diff.baseline)} · candidate ${codeSpan(diff.candidate)}`;
  const blocks = [
    `### ${scenario} · candidate against baseline`,
    of.length > 0 ? `${mark}**${text}:** ${of.map(codeSpan).join(', ')}` : `${mark}${text}`,
    list(
      undecidedInWords(diff).map(
        ({ names, because }) => `⚠️ **undecided:** ${names.map(codeSpan).join(', ')}: ${inline(because)}`,
      ),
    ),
    open.length > 0 ? `⚠️ **${openInWords}:** ${open.map(codeSpan).join(', ')}` : '',
    forced === '' ? '' : `⚠️ **different shapes: ${inline(forced)}**`,
    list(aloneInWords(diff).map((line) => `⚠️ ${inline(line)}`)),
    ...parts.flatMap(partBlocks),
    list(caveats(diff)),
    `<sub>${compared} · ringside ${diff.tool.version}</sub>`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function partBlocks(part: DiffPart): string[] {
  const { baseline, candidate, differs, thresholds, rows } = part;
  const said = [...sideInWords('baseline', baseline), ...sideInWords('candidate', candidate)];
  const against = baseline.target === candidate.target ? '' : ` against ${inline(baseline.target)}`;
  const shown = rows.filter((row) => row.isHeadline || !['same', 'unknown'].includes(changeWord(row)));
  const folded = figureTable(
    part,
    rows.filter((row) => !shown.includes(row)),
  );
  const passed = thresholds.map((each) => [
    thresholdMark(each),
    codeSpan(each.text),
    passedInWords(each.baseline),
    passedInWords(each.candidate),
  ]);
  return [
    `#### ${inline(candidate.target)}${against}`,
    list([
      ...said.map((each) => `${each.includes('VOID') ? '❌' : '⚠️'} **${each}**`),
      ...[...baseline.evidence, ...candidate.evidence].map(inline),
      ...differs.map((each) => `⚠️ differs: ${inline(each)}`),
    ]),
    markdownTable(['', 'threshold', 'baseline', 'candidate'], passed, [0, 1]),
    figureTable(part, shown),
    folded === '' ? '' : `<details><summary>all other figures</summary>\n\n${folded}\n\n</details>`,
  ];
}

function figureTable(part: DiffPart, rows: readonly DiffRow[]): string {
  const cells = rows.map((row) => [
    codeSpan(row.name),
    inSide(row, row.baseline),
    inSide(row, row.candidate),
    changeInWords(row),
    judged(row, part),
  ]);
  return markdownTable(['figure (ms, counts)', 'baseline', 'candidate', 'change', ''], cells, [0, 4]);
}

function thresholdMark({ candidate }: ThresholdChange): string {
  if (candidate === null) return '–';
  return candidate.kept === candidate.runs ? '✅' : '❌';
}

function judged(row: DiffRow, part: DiffPart): string {
  const { noise } = row;
  const words = {
    worse: '❌ worse',
    better: '✅ better',
    undecided: '⚠️ undecided',
    changed: changedInWords(row, part),
    differs: '⚠️ differs',
    same: noise.basis === 'equal' ? 'equal' : 'within noise',
    unknown: '?',
  };
  return words[changeWord(row)];
}
