import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenRun, goldenThresholds, latency, limited, voided } from '../../../test/kept-golden.js';
import { terminalText } from '../../render/document/terminal.js';
import { changeWord } from '../../render/words/statement.js';
import type { Diff } from '../../results/diff.js';
import type { RunResult } from '../../results/result.js';
import { diffOf } from './diff.js';
import { changeInWords, conclusionOf, diffDocument } from './print.js';

const side = (directory: string, ...results: RunResult[]) => ({
  directory,
  rows: results.map((result) => ({ target: result.target.name, runs: [{ directory, result }] })),
});
const diffed = (before: RunResult, after: RunResult, forced = ''): Diff =>
  diffOf(latency, side('before', before), side('after', after), forced);
const text = (diff: Diff, columns = 160, isWhole = false): string =>
  terminalText(diffDocument(diff, latency, isWhole), { isColored: false, columns });

const base = goldenRun('ws', 1);
const bounds = [{ metric: 'delivery', figure: 'p99' as const, leastUs: 3000, text: 'delivery p99: a stall' }];
const bounded = diffed(base, goldenRun('ws', 2, { verdict: { rig: 'clean', evidence: [], bounds } }));

it('says what a diff found, in its golden file', async () => {
  const kept = goldenRun('ws', 1, { thresholds: goldenThresholds.slice(0, 2) });
  const worse = goldenRun('ws', 2.5, { verdict: limited, thresholds: goldenThresholds.slice(0, 1) });
  const others = [0.98, 1.02].map((times) => ({ directory: 'other', result: goldenRun('ws', times) }));
  const beside = { directory: 'before', rows: [{ ...side('before', base).rows[0]!, beside: others }] };
  const unmatched = diffOf(latency, side('before', base, goldenRun('uws', 1)), side('after', base), '');
  await expectGolden('diff.txt', {
    'worse, and limited': text(diffed(kept, worse), 200, true),
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

it('concludes by the gravest', () => {
  const says = (diff: Diff): string => conclusionOf(diff).says;
  expect(says(diffed(base, goldenRun('ws', 1.01)))).toBe('good');
  expect(says(diffed(base, goldenRun('ws', 1.5)))).toBe('plain');
  expect(says(diffed(base, goldenRun('ws', 2.5)))).toBe('bad');
  expect(says(diffed(base, goldenRun('ws', 1, { verdict: voided })))).toBe('bad');
  expect(says(diffOf(latency, side('a', base, goldenRun('uws', 1)), side('b', base), ''))).toBe('doubtful');
});

it('leaves a change undecided only where a run bounds that figure', () => {
  const [part] = bounded.parts;
  const rows = part!.rows.filter((row) => changeWord(row) === 'undecided').map(({ name }) => name);
  expect(rows).toEqual(['delivery.p99']);
  expect(bounded.undecided).toMatchObject([{ name: 'ws  delivery.p99' }]);
});

describe('a change in words', () => {
  const row = { name: '', unit: 'us', isHeadline: true, better: 'lower', baseline: null, candidate: null } as const;
  const rest = {
    noise: { basis: 'unknown', isBeyond: null, ratioInterval: null, p: null },
    relation: 'changed',
    holds: 'open',
    because: 'chance',
  } as const;

  it.each([
    ['figure', 412, 0.123, '+0.412 (+12.3 %)'],
    ['figure', -1204, -0.5, '−1.20 (−50.0 %)'],
    ['count', 7, null, '+7'],
    ['share', -0.0125, -0.0125, '−1.25 %'],
    ['figure', 0, 0, '0'],
    ['figure', null, null, '–'],
  ] as const)('%s %s %s is %s', (kind, change, changeShare, words) => {
    expect(changeInWords({ ...row, ...rest, kind, change, changeShare })).toBe(words);
  });
});
