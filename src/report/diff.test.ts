import { describe, expect, it } from 'vitest';
import type { RunResult } from '../contract/result.js';
import { diffOf } from '../driver/diff.js';
import { goldenRun, latency, limited, promises, voided } from '../testing/kept-golden.js';
import { changeInWords, renderDiff } from './diff.js';

const side = (directory: string, ...results: RunResult[]) => ({
  directory,
  rows: [{ target: 'ws', runs: results.map((result) => ({ directory, result })) }],
});
const textOf = (before: RunResult, after: RunResult, columns = 200, forced = ''): string =>
  renderDiff(diffOf(latency, side('before', before), side('after', after), forced), latency, {
    isColored: false,
    columns,
  });

describe('a diff for the terminal', () => {
  it('says above the numbers what speaks against them, and marks a change that the rig may have written', () => {
    const before = goldenRun('ws', 1, { thresholds: promises.slice(0, 2) });
    const after = goldenRun('ws', 1.5, { verdict: limited, thresholds: promises.slice(0, 1) });
    const text = textOf(before, after);
    expect(text).toMatchInlineSnapshot(`
      "latency  after against before

      ws
      candidate LIMITED: the rig may have written these numbers
                gc-pause: shard 0 | worker 0 paused 23.1 ms
      promise  ✓ delivery.p99<200ms  (kept by 1 of 1, then kept by 1 of 1)
      promise  ? lost==0  (kept by 0 of 1, then not given)
      ms, counts                               baseline               candidate            change
      delivery.p50               0.743 [0.709 to 0.778]     1.11 [1.06 to 1.17]  +0.372 (+50.0 %)  ✗ worse; the rig may have written it
      delivery.p99                  5.00 [4.78 to 5.24]     7.50 [7.17 to 7.86]   +2.50 (+50.0 %)  ✗ worse; the rig may have written it
      delivery.max                                 41.0                    61.5   +20.5 (+50.0 %)  ?
      deliveryFromIntended.p99      5.02 [4.79 to 5.26]     7.53 [7.19 to 7.89]   +2.51 (+50.0 %)  ✗ worse; the rig may have written it
      publishAck.p50             0.601 [0.574 to 0.629]  0.902 [0.861 to 0.944]  +0.301 (+50.0 %)  ✗ worse; the rig may have written it
      delivered%                                  100 %                   100 %                 0  equal
      delivery.p90                  1.41 [1.35 to 1.48]     2.11 [2.02 to 2.21]  +0.705 (+50.0 %)  ✗ worse; the rig may have written it
      delivery.p95                  2.00 [1.91 to 2.10]     3.00 [2.87 to 3.15]   +1.00 (+50.0 %)  ✗ worse; the rig may have written it
      delivery.p999                 13.0 [12.4 to 13.6]     19.5 [18.6 to 20.4]   +6.50 (+50.0 %)  ✗ worse; the rig may have written it
      delivery.mean                               0.907                    1.36  +0.454 (+50.0 %)  ?
      deliveryFromIntended.p50   0.757 [0.723 to 0.793]     1.14 [1.08 to 1.19]  +0.379 (+50.0 %)  ✗ worse; the rig may have written it
      deliveryFromIntended.p90      1.42 [1.36 to 1.49]     2.13 [2.04 to 2.24]  +0.712 (+50.0 %)  ✗ worse; the rig may have written it
      deliveryFromIntended.p95      2.02 [1.93 to 2.11]     3.03 [2.89 to 3.17]   +1.01 (+50.0 %)  ✗ worse; the rig may have written it
      deliveryFromIntended.p999     13.0 [12.4 to 13.6]     19.5 [18.7 to 20.5]   +6.52 (+50.0 %)  ✗ worse; the rig may have written it
      deliveryFromIntended.max                     41.0                    61.5   +20.5 (+50.0 %)  ?
      deliveryFromIntended.mean                   0.919                    1.38  +0.460 (+50.0 %)  ?
      publishAck.p90                1.10 [1.05 to 1.16]     1.65 [1.58 to 1.73]  +0.552 (+50.0 %)  ✗ worse; the rig may have written it
      publishAck.p95                1.30 [1.24 to 1.36]     1.95 [1.86 to 2.04]  +0.651 (+50.0 %)  ✗ worse; the rig may have written it
      publishAck.p99                2.31 [2.20 to 2.42]     3.46 [3.31 to 3.63]   +1.15 (+50.0 %)  ✗ worse; the rig may have written it
      publishAck.max                               7.00                    10.5   +3.50 (+50.0 %)  ?
      publishAck.mean                             0.654                   0.981  +0.327 (+50.0 %)  ?
      equal: attempted 1,006 · acked 1,006 · refused 0 · failed 0 · expected 203,212 · delivered 203,212 · lost 0 · duplicate 0 · outOfOrder 0 · late 0

      ✗ worse by more than the noise: ws  delivery.p50 · ws  delivery.p99 · ws  deliveryFromIntended.p99 · ws  publishAck.p50 · ws  delivery.p90 · ws  delivery.p95 · ws  delivery.p999 · ws  deliveryFromIntended.p50 · ws  deliveryFromIntended.p90 · ws  deliveryFromIntended.p95 · ws  deliveryFromIntended.p999 · ws  publishAck.p90 · ws  publishAck.p95 · ws  publishAck.p99
      One run a side: intervals hold what varies between broadcasts, not between runs. Repeats (--repeat 5) hold both.
      ?: no noise is known of that figure here, so a change of it is neither worse nor better."
    `);
    expect(text.indexOf('LIMITED')).toBeLessThan(text.indexOf('delivery.p50'));
  });

  it('says so where nothing became worse', () => {
    const text = textOf(goldenRun('ws', 1), goldenRun('ws', 1.01));
    expect(text).toContain('nothing became worse by more than the noise');
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
