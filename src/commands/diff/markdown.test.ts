import { describe, expect, it } from 'vitest';
import { goldenRun, latency, limited, promises, voided } from '../../../test/kept-golden.js';
import { renderDiff } from '../../render/diff.js';
import type { RunResult } from '../../results/result.js';
import { type DiffInput, diffOf } from './diff.js';
import { renderDiffMarkdown } from './markdown.js';

/** A row of each run. */
const side = (...results: RunResult[]): DiffInput => ({
  directory: 'kept',
  rows: results.map((result) => ({ target: result.target.name, runs: [{ directory: '', result }] })),
});

const textOf = (before: DiffInput, after: DiffInput): string => renderDiffMarkdown(diffOf(latency, before, after, ''));

it('of a diff has the conclusion first, and folds away what did not change', () => {
  const text = textOf(side(goldenRun('ws', 1, { verdict: limited })), side(goldenRun('ws', 1.5)));
  expect(text.split('\n').slice(0, 17).join('\n')).toMatchInlineSnapshot(`
    "### latency · candidate against baseline

    nothing that decides became worse by more than the noise

    ⚠️ **differs, and one run a side cannot tell why:** \`ws delivery.p50\`, \`ws delivery.p99\`, \`ws deliveryFromIntended.p99\`, \`ws publishAck.p50\`

    #### ws

    - ⚠️ **baseline LIMITED: the rig or its network may have written these numbers**
    - gc-pause: shard 0 &#124; worker 0 paused 23.1 ms

    | figure (ms, counts) | baseline | candidate | change |  |
    | --- | --: | --: | --: | --- |
    | \`delivery.p50\` | 0.743 [0.709 to 0.778] | 1.11 [1.06 to 1.17] | +0.372 (+50.0 %) | ⚠️ differs |
    | \`delivery.p99\` | 5.00 [4.78 to 5.24] | 7.50 [7.17 to 7.86] | +2.50 (+50.0 %) | ⚠️ differs |
    | \`delivery.max\` | 41.0 | 61.5 | +20.5 (+50.0 %) | ? |
    | \`deliveryFromIntended.p99\` | 5.02 [4.79 to 5.26] | 7.53 [7.19 to 7.89] | +2.51 (+50.0 %) | ⚠️ differs |"
  `);
  expect(text.indexOf('<details>')).toBeLessThan(text.indexOf('`duplicate`'));
});

/** The conclusion of a diff: in Markdown, and in the terminal with what it is coloured by. */
function conclusions(before: DiffInput, after: DiffInput): { markdown: string | undefined; terminal: string } {
  const diff = diffOf(latency, before, after, '');
  return {
    markdown: renderDiffMarkdown(diff).split('\n')[2],
    terminal: renderDiff(diff, latency, { isColored: true, columns: 200 }),
  };
}

const [red, green, yellow] = ['\u001B[31m', '\u001B[32m', '\u001B[33m'];
const calm = 'nothing that decides became worse by more than the noise';

describe('the conclusion of a diff', () => {
  const [ws, uws] = [goldenRun('ws', 1), goldenRun('uws', 1)];

  it('is calm where all was compared and nothing became worse', () => {
    const { markdown, terminal } = conclusions(side(ws), side(goldenRun('ws', 1.01)));
    expect(markdown).toBe(`✅ ${calm}`);
    expect(terminal).toContain(`${green}${calm}`);
  });

  it('is that nothing was compared where a side is void', () => {
    const { markdown, terminal } = conclusions(side(ws), side(goldenRun('ws', 1, { verdict: voided })));
    expect(markdown).toBe('❌ **a side is void, nothing was compared:** `ws`');
    expect(terminal).toContain(`${red}✗ a side is void, nothing was compared:`);
    expect(terminal).not.toContain(calm);
  });

  it('is that a target is missing where the candidate lacks one', () => {
    const { markdown, terminal } = conclusions(side(ws, uws), side(goldenRun('ws', 1.01)));
    expect(markdown).toBe('⚠️ **ran on one side only:** `uws`');
    expect(terminal).toContain(`${yellow}ran on one side only:`);
    expect(terminal).not.toContain(calm);
  });

  it('is what became worse before all that', () => {
    const promised = (isKept: boolean) => promises.slice(0, 1).map((each) => ({ ...each, isKept }));
    const before = side(goldenRun('ws', 1, { thresholds: promised(true) }), uws);
    const { markdown } = conclusions(before, side(goldenRun('ws', 1, { thresholds: promised(false) })));
    expect(markdown).toBe('❌ **worse by more than the noise:** `ws delivery.p99<200ms`');
  });
});

it('marks a promise that the candidate did not give as neither kept nor broken', () => {
  const [first, second] = promises;
  const before = goldenRun('ws', 1, { thresholds: promises });
  const after = goldenRun('ws', 1, { thresholds: [first!, second!] });
  const marks = textOf(side(before), side(after)).match(/^\| (\S+) \| `[^`]+[<=][^`]+` \|/gm);
  expect(marks).toEqual(['| ✅ | `delivery.p99<200ms` |', '| ❌ | `lost==0` |', '| – | `connect.p99<1s` |']);
});
