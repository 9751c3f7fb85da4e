import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenRun, goldenThresholds, latency, limited, voided } from '../../../test/kept-golden.js';
import { markdownText } from '../../render/document/markdown.js';
import { terminalText } from '../../render/document/terminal.js';
import type { RunResult } from '../../results/result.js';
import { type DiffInput, diffOf } from './diff.js';
import { conclusionOf, diffDocument } from './print.js';

/** A row of each run. */
const side = (...results: RunResult[]): DiffInput => ({
  directory: 'kept',
  rows: results.map((result) => ({ target: result.target.name, runs: [{ directory: '', result }] })),
});

const textOf = (before: DiffInput, after: DiffInput): string =>
  markdownText(diffDocument(diffOf(latency, before, after, ''), latency));

it('of a diff has the conclusion first, and folds away what did not change', async () => {
  const text = textOf(side(goldenRun('ws', 1, { verdict: limited })), side(goldenRun('ws', 1.5)));
  await expectGolden('diff-markdown.txt', { 'a limited baseline': text });
  expect(text.indexOf('<details>')).toBeLessThan(text.indexOf('delivery.mean'));
});

/** The conclusion of a diff, checked in Markdown by its bound and in the terminal by its colour. */
function conclusion(before: DiffInput, after: DiffInput, mark: string, colour: string): [string, readonly string[]] {
  const diff = diffOf(latency, before, after, '');
  const { says, text, of } = conclusionOf(diff);
  expect(markdownText(diffDocument(diff, latency)).split('\n')[2]).toMatch(new RegExp(`^(?:- )?${mark} .*${text}`));
  const terminal = terminalText(diffDocument(diff, latency), { isColored: true, columns: 200 });
  expect(terminal).toContain(`${colour}${mark === '❌' ? '✗ ' : ''}${text}`);
  return [says, of];
}

const [red, green, yellow] = ['\u001B[31m', '\u001B[32m', '\u001B[33m'];

describe('the conclusion of a diff', () => {
  const [ws, uws] = [goldenRun('ws', 1), goldenRun('uws', 1)];

  it('is calm where all was compared and nothing became worse', () => {
    expect(conclusion(side(ws), side(goldenRun('ws', 1.01)), '✅', green)).toEqual(['good', []]);
  });

  it('is that nothing was compared where a side is void', () => {
    const voidSide = side(goldenRun('ws', 1, { verdict: voided }));
    expect(conclusion(side(ws), voidSide, '❌', red)).toEqual(['bad', ['ws']]);
  });

  it('is that a target is missing where the candidate lacks one', () => {
    expect(conclusion(side(ws, uws), side(goldenRun('ws', 1.01)), '⚠️', yellow)).toEqual(['doubtful', ['uws']]);
  });

  it('is what became worse before all that', () => {
    const given = (isKept: boolean) => goldenThresholds.slice(0, 1).map((each) => ({ ...each, isKept }));
    const before = side(goldenRun('ws', 1, { thresholds: given(true) }), uws);
    const after = side(goldenRun('ws', 1, { thresholds: given(false) }));
    expect(conclusion(before, after, '❌', red)).toEqual(['bad', ['ws  delivery.p99<200ms']]);
  });
});

it('marks a promise that the candidate did not give as neither kept nor broken', () => {
  const [first, second] = goldenThresholds;
  const before = goldenRun('ws', 1, { thresholds: goldenThresholds });
  const after = goldenRun('ws', 1, { thresholds: [first!, second!] });
  const marks = textOf(side(before), side(after)).match(/(?<=threshold {2})\S+ `[^`]+[<=][^`]+`/gm);
  expect(marks).toEqual(['✅ `delivery.p99<200ms`', '❌ `lost==0`', '? `connect.p99<1s`']);
});
