import { type Diff, type DiffPart, type DiffRow, isDoubtful } from '../../contract/diff.js';
import { caveats, changeInWords, differing, inSide, promiseInWords, sideInWords } from '../diff.js';
import { code, inline, list, table } from './markdown-parts.js';

/** A diff as Markdown for the comment on a pull request: the conclusion first, then what speaks against either side, then the figures. */
export function renderDiffMarkdown(diff: Diff): string {
  const { scenario, regressions, forced, parts, unmatched } = diff;
  const open = differing(diff);
  const conclusion =
    regressions.length > 0
      ? `❌ **worse by more than the noise:** ${regressions.map(code).join(', ')}`
      : open.length > 0
        ? 'nothing that decides became worse by more than the noise'
        : '✅ nothing that decides became worse by more than the noise';
  const blocks = [
    `### ${scenario} · candidate against baseline`,
    conclusion,
    open.length === 0 ? '' : `⚠️ **differs, and one run a side cannot tell why:** ${open.map(code).join(', ')}`,
    forced === '' ? '' : `⚠️ **these runs are of different shapes: ${inline(forced)}**`,
    list(unmatched.map(({ target, on }) => `⚠️ ${inline(target)} ran on the side of the ${on} only`)),
    ...parts.flatMap(partBlocks),
    list(caveats(diff)),
    `<sub>baseline ${code(diff.baseline)} · candidate ${code(diff.candidate)} · ringside ${diff.tool.version}</sub>`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function partBlocks(part: DiffPart): string[] {
  const { baseline, candidate, differs, promises, rows } = part;
  const said = [...sideInWords('baseline', baseline), ...sideInWords('candidate', candidate)];
  const evidence = [...baseline.evidence, ...candidate.evidence].map(inline);
  const line = (row: DiffRow): string[] => [
    code(row.name),
    inSide(row, row.baseline),
    inSide(row, row.candidate),
    changeInWords(row),
    judged(row, part),
  ];
  const head = ['figure (ms, counts)', 'baseline', 'candidate', 'change', ''];
  const shown = rows.filter((row) => row.isHeadline || !['same', 'unknown'].includes(row.judgement));
  const others = rows.filter((row) => !shown.includes(row));
  const folded = table(head, others.map(line), [0, 4]);
  return [
    `#### ${inline(candidate.target)}${baseline.target === candidate.target ? '' : ` against ${inline(baseline.target)}`}`,
    list([
      ...said.map((each) => `${each.includes('VOID') ? '❌' : '⚠️'} **${each}**`),
      ...evidence,
      ...differs.map((each) => `⚠️ differs: ${inline(each)}`),
    ]),
    table(
      ['', 'promise', 'baseline', 'candidate'],
      promises.map((each) => [
        each.candidate !== null && each.candidate.kept === each.candidate.runs ? '✅' : '❌',
        code(each.text),
        promiseInWords(each.baseline),
        promiseInWords(each.candidate),
      ]),
      [0, 1],
    ),
    table(head, shown.map(line), [0, 4]),
    folded === '' ? '' : `<details><summary>all other figures</summary>\n\n${folded}\n\n</details>`,
  ];
}

function judged({ judgement, noise }: DiffRow, part: DiffPart): string {
  const doubt = isDoubtful(part) ? ' (the rig may have written it)' : '';
  const words = {
    worse: `❌ worse${doubt}`,
    better: `✅ better${doubt}`,
    changed: `changed${doubt}`,
    differs: '⚠️ differs',
    same: noise.basis === 'equal' ? 'equal' : 'within noise',
    unknown: '?',
  };
  return words[judgement];
}
