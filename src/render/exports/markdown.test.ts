import { describe, expect, it } from 'vitest';
import {
  failed,
  goldenComparison,
  goldenRun,
  latency,
  limited,
  notAvailable,
  promises,
  voided,
} from '../../../test/kept-golden.js';
import { renderMarkdown } from './markdown.js';
import { code, inline, table } from './markdown-parts.js';

describe('Markdown of a run', () => {
  it('has what its scenario says of such options above the numbers', () => {
    const noted = { ...latency, notes: () => ['nobody timed this'] };
    expect(renderMarkdown(goldenRun('ws', 1, {}), noted)).toContain('\n\n- nobody timed this\n\nstopped: ');
  });

  it('has the verdict above the numbers, and promises with tick and cross', () => {
    const kept = goldenRun('ws', 1, { verdict: limited, thresholds: promises });
    expect(renderMarkdown(kept, latency)).toMatchInlineSnapshot(`
      "### latency · ws

      ⚠️ **LIMITED: the rig or its network may have written these numbers**

      - \`gc-pause\` shard 0 &#124; worker 0 paused 23.1 ms

      stopped: target reached

      | figure | value | 95 % interval |
      | --- | --: | --: |
      | p50, ms | 0.743 | 0.713 to 0.773 |
      | p99, ms | 5.00 | 4.80 to 5.20 |
      | max, ms | 41.0 | – |
      | p99 from intended, ms | 5.02 | 4.82 to 5.22 |
      | publish ack p50, ms | 0.601 | 0.577 to 0.625 |
      | delivered | 100 % | – |

      |  | promise | was |
      | --- | --- | --: |
      | ✅ | \`delivery.p99<200ms\` | 5.00 ms |
      | ❌ | \`lost==0\` | 7 |
      | ❌ | \`connect.p99<1s\` | no figure: no samples |

      <sub>subscribers 202 · broadcasts 1006 · rate 10/s · payload 200b · warm-up 11 · drain 5s · wire clients · node 20.20.2 · ws 8.23.0 · shape dc5a9d213400 · ringside 0.1.0</sub>
      "
    `);
  });

  it('has no table of promises where there are none', () => {
    expect(renderMarkdown(goldenRun('ws', 1), latency)).not.toContain('promise');
  });
});

describe('Markdown of a comparison', () => {
  const slow = (times: number) => goldenRun('ws', times, { thresholds: promises.slice(0, 1) });

  it('has a row for each target, the better one bold only where the noise lets it', () => {
    const runs = [slow(2), slow(2.1), slow(1.9), ...[1, 1.03, 0.98].map((times) => goldenRun('uws', times))];
    expect(renderMarkdown(goldenComparison(runs, [notAvailable, failed]), latency)).toMatchInlineSnapshot(`
      "### latency · 4 targets, 3 interleaved runs each

      - 6 of 6 runs ✅ clean: nothing shows the rig in these numbers

      | target | p50, ms | p99, ms | max, ms | p99 from intended, ms | publish ack p50, ms | delivered | verdict |
      | --- | --: | --: | --: | --: | --: | --: | --- |
      | ws | 1.49 [1.27 to 1.74] | 10.0 [8.56 to 11.7] | 82.0 [70.2 to 95.9] | 10.0 [8.59 to 11.7] | 1.20 [1.03 to 1.40] | 100 % | 3 × ✅ |
      | uws | **0.743 [0.714 to 0.773]** | **5.00 [4.81 to 5.20]** | **41.0 [37.9 to 44.3]** | **5.02 [4.83 to 5.22]** | **0.601 [0.578 to 0.625]** | 100 % | 3 × ✅ |
      | anycable | – | – | – | – | – | – | not available: no binary was found. Set ANYCABLE&#95;GO&#95;BIN. |
      | socketio | – | – | – | – | – | – | ❌ failed: it did not listen &#60;on 3001&#62; |

      <details><summary>what differs by more than the noise</summary>

      \`\`\`
      p50                uws < ws
      p99                uws < ws
      max                uws < ws
      p99 from intended  uws < ws
      publish ack p50    uws < ws
      delivered          not told apart: ws from uws
      \`\`\`

      </details>

      |  | target | promise |  |
      | --- | --- | --- | --: |
      | ✅ | ws | \`delivery.p99<200ms\` | kept by 3 of 3 runs |

      bold: better than every other by more than the noise<br>
      each figure: median of the runs &#91;95 % interval over runs and their broadcasts&#93;, or (smallest to largest)

      <sub>subscribers 202 · broadcasts 1006 · rate 10/s · payload 200b · warm-up 11 · drain 5s · shape dc5a9d213400 · ringside 0.1.0</sub>
      "
    `);
  });

  it('says what its runs doubt, marks it, and what the table does not say of itself', () => {
    const doubts = [{ metric: 'delivery', figure: 'max' as const, leastUs: 3000, text: 'delivery max: a stall' }];
    const verdict = { rig: 'clean' as const, evidence: [], doubts };
    const runs = [
      ...[1, 1.03, 0.98].map((times) => goldenRun('ws', times, { verdict })),
      ...[3, 3.1].map((times) => goldenRun('uws', times)),
    ];
    const text = renderMarkdown(goldenComparison(runs), latency);
    expect(text.match(/^- ws: delivery max: a stall$/gm)).toHaveLength(1);
    expect(text).toContain('| ≤41.0 ');
    expect(text).toContain('\n≤ : the rig or its network may have written a part of it<br>\n');
    expect(text).toContain('\nnothing is called best beside fewer than 3 runs that are not void: uws (2)<br>\n');
    expect(text).not.toContain('bold: better');
  });

  it('marks nothing as best where the targets can not be told apart', () => {
    const runs = ['ws', 'uws'].flatMap((name) => [1, 1.03, 0.98].map((times) => goldenRun(name, times)));
    expect(renderMarkdown(goldenComparison(runs), latency)).not.toContain('| **');
  });

  it('says what speaks against its runs', () => {
    const runs = [
      goldenRun('ws', 1, { verdict: limited }),
      goldenRun('ws', 1, { verdict: voided }),
      goldenRun('ws', 1),
    ];
    const text = renderMarkdown(goldenComparison(runs), latency);
    expect(text).toContain('- 1 of 3 runs ❌ **VOID');
    expect(text).toContain('- ws: `gc-pause` shard 0 &#124; worker 0 paused 23.1 ms');
    expect(text.indexOf('VOID')).toBeLessThan(text.indexOf('| target'));
  });
});

describe('what others wrote', () => {
  it('is no markup, no cell and no mention', () => {
    expect(inline('a|b *c* <d>\n@e')).toBe('a&#124;b &#42;c&#42; &#60;d&#62; @<!-- -->e');
    expect(code('a|`b`')).toBe('`a\\|b`');
    expect(table(['a'], [])).toBe('');
  });
});
