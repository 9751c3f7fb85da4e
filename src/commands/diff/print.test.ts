import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenRun, goldenThresholds, latency, limited, voided } from '../../../test/kept-golden.js';
import { markdownText } from '../../render/document/markdown.js';
import { terminalText } from '../../render/document/terminal.js';
import { changeWord } from '../../render/words/statement.js';
import type { Diff } from '../../results/diff.js';
import type { RunResult } from '../../results/result.js';
import { type DiffInput, diffOf } from './diff.js';
import { conclusionOf, diffDocument } from './print.js';

const side = (directory: string, ...results: RunResult[]): DiffInput => ({
  directory,
  rows: results.map((result) => ({ target: result.target.name, runs: [{ directory, result }] })),
});
const kept = (...results: RunResult[]): DiffInput => side('kept', ...results);
const markdown = (diff: Diff): string => markdownText(diffDocument(diff, latency));
const diffed = (before: RunResult, after: RunResult, forced = ''): Diff =>
  diffOf(latency, side('before', before), side('after', after), forced);
const text = (diff: Diff, columns = 160, isWhole = false): string =>
  terminalText(diffDocument(diff, latency, isWhole), { isColored: false, columns });

const base = goldenRun('ws', 1);
const bounds = [{ metric: 'delivery', figure: 'p99' as const, leastUs: 3000, text: 'delivery p99: a stall' }];
const bounded = diffed(base, goldenRun('ws', 2, { verdict: { rig: 'clean', evidence: [], bounds } }));

it('says what a diff found, in its golden file', async () => {
  const promising = goldenRun('ws', 1, { thresholds: goldenThresholds.slice(0, 2) });
  const worse = goldenRun('ws', 2.5, { verdict: limited, thresholds: goldenThresholds.slice(0, 1) });
  const others = [0.98, 1.02].map((times) => ({ directory: 'other', result: goldenRun('ws', times) }));
  const beside = { directory: 'before', rows: [{ ...side('before', base).rows[0]!, beside: others }] };
  const unmatched = diffOf(latency, side('before', base, goldenRun('uws', 1)), side('after', base), '');
  await expectGolden('diff.txt', {
    'worse, and limited': text(diffed(promising, worse), 200, true),
    'nothing worse': text(diffed(base, goldenRun('ws', 1.01))),
    'different, by single runs': text(diffed(base, goldenRun('ws', 1.5))),
    'with earlier runs beside the baseline': text(diffOf(latency, beside, side('after', goldenRun('ws', 1.5)), '')),
    'a void side of another shape': text(
      diffed(base, goldenRun('ws', 1, { verdict: voided }), 'options.clients: 7 and 11'),
    ),
    'a bounded figure': text(bounded),
    'a target on one side': text(unmatched),
    'in a narrow terminal': text(diffed(base, goldenRun('ws', 2)), 60),
  });
});

it('shows figures beside the headline only if they changed, or if all are asked for', () => {
  const same = diffed(base, goldenRun('ws', 1.01));
  expect([text(same), text(same, 160, true)].map((each) => each.includes('delivery.p90'))).toEqual([false, true]);
  expect(text(diffed(base, goldenRun('ws', 1.5)))).toContain('delivery.p90');
});

it('leaves a change undecided only where a run bounds that figure', () => {
  const [part] = bounded.parts;
  const rows = part!.rows.filter((row) => changeWord(row) === 'undecided').map(({ name }) => name);
  expect(rows).toEqual(['delivery.p99']);
  expect(bounded.undecided).toMatchObject([{ name: 'ws  delivery.p99' }]);
});

it('folds away in Markdown what did not change', async () => {
  const limitedBase = goldenRun('ws', 1, { verdict: limited });
  const folded = markdownText(
    diffDocument(diffOf(latency, kept(limitedBase), kept(goldenRun('ws', 1.5)), ''), latency),
  );
  await expectGolden('diff-markdown.txt', { 'a limited baseline': folded });
  expect(folded.indexOf('<details>')).toBeLessThan(folded.indexOf('delivery.mean'));
});

/** The conclusion of a diff, checked in Markdown by its bound and in the terminal by its colour. */
function conclusion(before: DiffInput, after: DiffInput, mark: string, colour: string): [string, readonly string[]] {
  const diff = diffOf(latency, before, after, '');
  const { says, text, of } = conclusionOf(diff);
  expect(markdown(diff).split('\n')[2]).toMatch(new RegExp(`^(?:- )?${mark} .*${text}`));
  const terminal = terminalText(diffDocument(diff, latency), { isColored: true, columns: 200 });
  expect(terminal).toContain(`${colour}${mark === '❌' ? '✗ ' : ''}${text}`);
  return [says, of];
}

const [red, green, yellow] = ['\u001B[31m', '\u001B[32m', '\u001B[33m'];

describe('the conclusion of a diff', () => {
  const [ws, uws] = [goldenRun('ws', 1), goldenRun('uws', 1)];

  it('is calm where all was compared and nothing became worse', () => {
    expect(conclusion(kept(ws), kept(goldenRun('ws', 1.01)), '✅', green)).toEqual(['good', []]);
  });

  it('is that nothing was compared where a side is void', () => {
    const voidSide = kept(goldenRun('ws', 1, { verdict: voided }));
    expect(conclusion(kept(ws), voidSide, '❌', red)).toEqual(['bad', ['ws']]);
  });

  it('is that a target is missing where the candidate lacks one', () => {
    expect(conclusion(kept(ws, uws), kept(goldenRun('ws', 1.01)), '⚠️', yellow)).toEqual(['doubtful', ['uws']]);
  });

  it('is what became worse before all that', () => {
    const given = (isKept: boolean) => goldenThresholds.slice(0, 1).map((each) => ({ ...each, isKept }));
    const before = kept(goldenRun('ws', 1, { thresholds: given(true) }), uws);
    const after = kept(goldenRun('ws', 1, { thresholds: given(false) }));
    expect(conclusion(before, after, '❌', red)).toEqual(['bad', ['ws  delivery.p99<200ms']]);
  });
});

it('marks a promise that the candidate did not give as neither kept nor broken', () => {
  const [first, second] = goldenThresholds;
  const before = goldenRun('ws', 1, { thresholds: goldenThresholds });
  const after = goldenRun('ws', 1, { thresholds: [first!, second!] });
  const marks = markdown(diffed(before, after)).match(/(?<=threshold {2})\S+ `[^`]+[<=][^`]+`/gm);
  expect(marks).toEqual(['✅ `delivery.p99<200ms`', '❌ `lost==0`', '? `connect.p99<1s`']);
});
