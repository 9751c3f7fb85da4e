import { describe, expect, it } from 'vitest';
import { goldenRun, latency, limited, promises, voided } from '../../test/kept-golden.js';
import { diffOf } from '../commands/diff/diff.js';
import { renderDiffMarkdown } from '../commands/diff/markdown.js';
import type { RunResult } from '../results/result.js';
import { changeInWords, renderDiff } from './diff.js';
import { renderJunit } from './exports/junit.js';

const side = (directory: string, ...results: RunResult[]) => ({
  directory,
  rows: [{ target: 'ws', runs: results.map((result) => ({ directory, result })) }],
});
const textOf = (before: RunResult, after: RunResult, columns = 200, forced = '', isWhole = false): string =>
  renderDiff(
    diffOf(latency, side('before', before), side('after', after), forced),
    latency,
    {
      isColored: false,
      columns,
    },
    isWhole,
  );

describe('a diff for the terminal', () => {
  it('says above the numbers what speaks against them, and marks a change that the rig may have written', () => {
    const before = goldenRun('ws', 1, { thresholds: promises.slice(0, 2) });
    const after = goldenRun('ws', 2.5, { verdict: limited, thresholds: promises.slice(0, 1) });
    const text = textOf(before, after, 200, '', true);
    expect(text).toMatchInlineSnapshot(`
      "latency
      baseline  before
      candidate after

      ws
      candidate LIMITED: the rig or its network may have written these numbers
                gc-pause: shard 0 | worker 0 paused 23.1 ms
      promise  ✓ delivery.p99<200ms  (kept by 1 of 1, then kept by 1 of 1)
      promise  ? lost==0  (kept by 0 of 1, then not given)
      ms, counts                               baseline            candidate             change
      delivery.p50               0.743 [0.709 to 0.778]  1.86 [1.77 to 1.95]   +1.11 (+150.0 %)  ✗ worse; the rig may have written it
      delivery.p99                  5.00 [4.78 to 5.24]  12.5 [11.9 to 13.1]   +7.50 (+150.0 %)  ✗ worse; the rig may have written it
      delivery.max                                 41.0                  103   +61.5 (+150.0 %)  ?
      deliveryFromIntended.p99      5.02 [4.79 to 5.26]  12.6 [12.0 to 13.1]   +7.53 (+150.0 %)  ✗ worse; the rig may have written it
      publishAck.p50             0.601 [0.574 to 0.629]  1.50 [1.43 to 1.57]  +0.902 (+150.0 %)  ✗ worse; the rig may have written it
      delivered%                                  100 %                100 %                  0  equal
      delivery.p90                  1.41 [1.35 to 1.48]  3.52 [3.36 to 3.69]   +2.11 (+150.0 %)  ✗ worse; the rig may have written it
      delivery.p95                  2.00 [1.91 to 2.10]  5.01 [4.78 to 5.24]   +3.00 (+150.0 %)  ✗ worse; the rig may have written it
      delivery.p999                 13.0 [12.4 to 13.6]  32.5 [31.0 to 34.1]   +19.5 (+150.0 %)  ✗ worse; the rig may have written it
      delivery.mean                               0.907                 2.27   +1.36 (+150.0 %)  ?
      deliveryFromIntended.p50   0.757 [0.723 to 0.793]  1.89 [1.81 to 1.98]   +1.14 (+150.0 %)  ✗ worse; the rig may have written it
      deliveryFromIntended.p90      1.42 [1.36 to 1.49]  3.56 [3.40 to 3.73]   +2.13 (+150.0 %)  ✗ worse; the rig may have written it
      deliveryFromIntended.p95      2.02 [1.93 to 2.11]  5.04 [4.81 to 5.28]   +3.03 (+150.0 %)  ✗ worse; the rig may have written it
      deliveryFromIntended.p999     13.0 [12.4 to 13.6]  32.6 [31.1 to 34.1]   +19.5 (+150.0 %)  ✗ worse; the rig may have written it
      deliveryFromIntended.max                     41.0                  103   +61.5 (+150.0 %)  ?
      deliveryFromIntended.mean                   0.919                 2.30   +1.38 (+150.0 %)  ?
      publishAck.p90                1.10 [1.05 to 1.16]  2.76 [2.63 to 2.89]   +1.65 (+150.0 %)  ✗ worse; the rig may have written it
      publishAck.p95                1.30 [1.24 to 1.36]  3.25 [3.11 to 3.41]   +1.95 (+150.0 %)  ✗ worse; the rig may have written it
      publishAck.p99                2.31 [2.20 to 2.42]  5.77 [5.51 to 6.05]   +3.46 (+150.0 %)  ✗ worse; the rig may have written it
      publishAck.max                               7.00                 17.5   +10.5 (+150.0 %)  ?
      publishAck.mean                             0.654                 1.63  +0.981 (+150.0 %)  ?
      equal: attempted 1,006 · acked 1,006 · refused 0 · failed 0 · expected 203,212 · delivered 203,212 · lost 0 · duplicate 0 · outOfOrder 0 · late 0

      ✗ worse by more than the noise: ws  delivery.p50 · ws  delivery.p99 · ws  deliveryFromIntended.p99 · ws  publishAck.p50
      beside the headline, where one figure in forty is worse by chance: ws  delivery.p90 · ws  delivery.p95 · ws  delivery.p999 · ws  deliveryFromIntended.p50 · ws  deliveryFromIntended.p90 · ws  deliveryFromIntended.p95 · ws  deliveryFromIntended.p999 · ws  publishAck.p90 · ws  publishAck.p95 · ws  publishAck.p99
      One run a side: intervals hold what varies between broadcasts, not between runs, and only what is 2 times as much or half of it is called worse or better. Repeats (--repeat 5) hold both, and so do two or more earlier runs of its target, machine and version beside the baseline.
      ?: no noise is known of that figure here, so a change of it is neither worse nor better."
    `);
    expect(text.indexOf('LIMITED')).toBeLessThan(text.indexOf('delivery.p50'));
  });

  it('shows of what is beside the headline only what is more than the noise, and says how much more there is', () => {
    const text = textOf(goldenRun('ws', 1), goldenRun('ws', 1.01));
    expect(text).not.toContain('delivery.p90');
    expect(text).toContain('and beside the headline 10 within noise, 5 of which no noise is known: --all shows them');
    expect(textOf(goldenRun('ws', 1), goldenRun('ws', 1.5))).toContain('delivery.p90');
  });

  it('says so where nothing became worse', () => {
    const text = textOf(goldenRun('ws', 1), goldenRun('ws', 1.01));
    expect(text).toContain('nothing that decides became worse by more than the noise');
    expect(text).not.toContain('✗');
  });

  it('is blocks in a narrow terminal', () => {
    const lines = textOf(goldenRun('ws', 1), goldenRun('ws', 2), 60).split('\n');
    const at = lines.indexOf('delivery.p50');
    expect(lines.slice(at, at + 5)).toMatchInlineSnapshot(`
      [
        "delivery.p50",
        "  baseline   0.743 [0.709 to 0.778]",
        "  candidate  1.49 [1.42 to 1.56]",
        "  change     +0.743 (+100.0 %)",
        "             ✗ worse",
      ]
    `);
  });

  it('is loud about shapes that differ and runs that are void', () => {
    const text = textOf(goldenRun('ws', 1), goldenRun('ws', 1, { verdict: voided }), 200, 'subscribers: 7 and 11');
    expect(text).toContain('these runs are of different shapes: subscribers: 7 and 11');
    expect(text).toContain('candidate VOID: these numbers stand for nothing');
  });
});

it('marks a figure that a clean run doubts, and its change', () => {
  const doubts = [{ metric: 'delivery', figure: 'p99' as const, leastUs: 3000, text: 'delivery p99: a stall' }];
  const after = goldenRun('ws', 2, { verdict: { rig: 'clean', evidence: [], doubts } });
  const text = textOf(goldenRun('ws', 1), after);
  expect(text).toMatch(/^delivery\.p99 +5\.00 .* ≤10\.0 .* ✗ worse; the rig may have written it$/m);
  expect(text).toMatch(/^delivery\.p50 .* ✗ worse$/m);
  expect(text).toContain('≤ : the rig or its network may have written a part of it');
  const diff = diffOf(latency, side('before', goldenRun('ws', 1)), side('after', after), '');
  expect(renderDiffMarkdown(diff)).toMatch(
    /^\| `delivery\.p99` .*≤10\.0 .* ❌ worse \(the rig may have written it\) \|$/m,
  );
  expect(renderJunit([], [diff])).toMatch(/delivery\.p99 was 5\.00 .* is ≤10\.0 .*; the rig may have written it/);
});

it('tells whether the candidate keeps a promise of which too few runs tell a change', () => {
  const [promise] = promises;
  const kept = (isKept: boolean) => goldenRun('ws', 1, { thresholds: [{ ...promise!, isKept }] });
  expect(textOf(kept(false), kept(true))).toMatch(/^promise {2}✓ .*\(kept by 0 of 1, then kept by 1 of 1\)$/m);
});

describe('a change in words', () => {
  const row = { name: '', unit: 'us', isHeadline: true, better: 'lower', baseline: null, candidate: null } as const;
  const rest = {
    noise: { basis: 'unknown', isBeyond: null, ratioInterval: null, p: null },
    judgement: 'unknown',
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

it('says of what only broadcasts tell apart that it differs, and of what noise is known whence', () => {
  const text = textOf(goldenRun('ws', 1), goldenRun('ws', 1.5));
  expect(text).toMatch(/^delivery\.p99 .* differs$/m);
  expect(text).toContain('differs, and one run a side cannot tell why: ws  delivery.p50 · ws  delivery.p99');
  expect(text).toContain('only what is 2 times as much or half of it is called worse or better');
  const others = [0.98, 1.02].map((times) => ({ directory: 'other', result: goldenRun('ws', times) }));
  const [row] = side('before', goldenRun('ws', 1)).rows;
  const before = { directory: 'before', rows: [{ ...row!, beside: others }] };
  const found = diffOf(latency, before, side('after', goldenRun('ws', 1.5)), '');
  const known = renderDiff(found, latency, { isColored: false, columns: 200 });
  expect(known).toMatch(/^delivery\.p99 .* ✗ worse$/m);
  expect(known).toContain('Noise of ws: what 3 runs spread by');
});
