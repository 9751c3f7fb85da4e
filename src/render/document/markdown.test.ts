import { expect, it } from 'vitest';
import { expectVariants } from '../../../test/golden.js';
import {
  failed,
  goldenComparison,
  goldenRun,
  goldenThresholds,
  latency,
  limited,
  notAvailable,
  resultDocument,
  voided,
} from '../../../test/kept-golden.js';
import { codeSpan, inline, markdownTable, markdownText } from './markdown.js';

const bounds = [{ metric: 'delivery', figure: 'max' as const, leastUs: 3000, text: 'delivery max: a stall' }];
const runs = (name: string, times: readonly number[], more = {}) => times.map((each) => goldenRun(name, each, more));

it('says what a run or a comparison found, in its golden file', async () => {
  const passed = { thresholds: goldenThresholds.slice(0, 1) };
  const bounded = { verdict: { rig: 'clean' as const, evidence: [], bounds } };
  const mixed = [goldenRun('ws', 1, { verdict: limited }), goldenRun('ws', 1, { verdict: voided }), goldenRun('ws', 1)];
  const of = (results: ReturnType<typeof runs>, others: Parameters<typeof goldenComparison>[1] = []): string =>
    markdownText(resultDocument(goldenComparison(results, others), latency));
  const attached = {
    ...{ atMs: 41_307.1, at: '2026-11-23T07:11:13.000Z', by: 'laptop/4703', from: 'other/4691', silentMs: 5113.7 },
    lacks: ['readings of the target before 41 s'],
  };
  const plainRun = goldenRun('ws', 1);
  const attachedRun = { ...plainRun, environment: { ...plainRun.environment, attached } };
  await expectVariants('markdown.txt', {
    'a limited run': markdownText(
      resultDocument(goldenRun('ws', 1, { verdict: limited, thresholds: goldenThresholds }), latency),
    ),
    'a run with notes': markdownText(
      resultDocument(goldenRun('ws', 1), { ...latency, notes: () => ['nobody timed this'] }),
    ),
    'a run that fell short': markdownText(
      resultDocument(goldenRun('ws', 1, { stop: { code: 'publishesShort', evidence: ['6 refused'] } }), latency),
    ),
    'a run that another driver took over': markdownText(resultDocument(attachedRun, latency)),
    'a comparison': of([...runs('ws', [2, 2.1, 1.9], passed), ...runs('uws', [1, 1.03, 0.98])], [notAvailable, failed]),
    'a comparison with bounds': of([...runs('ws', [1, 1.03, 0.98], bounded), ...runs('uws', [3, 3.1])]),
    'a comparison with a void run': of(mixed),
  });
});

it('what others wrote is no markup, no cell and no mention', () => {
  expect(inline('a|b *c* <d>\n@e')).toBe('a&#124;b &#42;c&#42; &#60;d&#62; @<!-- -->e');
  expect(codeSpan('a|`b`')).toBe('`a\\|b`');
  expect(markdownTable(['a'], [])).toBe('');
});
