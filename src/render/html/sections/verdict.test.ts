import { expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import type { Report } from '../runs.js';
import { figureLines } from './verdict.js';

const scenario = { figureLines: () => ['clients  p95', '    100    7', '', '<none>'] };

function linesOf(labels: readonly string[], given: object): string[] {
  const runs = labels.map((label) => ({ label, result: goldenResult() }));
  return figureLines({ runs, scenario: given } as unknown as Report).map(({ text }) => text);
}

it('are those of the terminal, with the name of each run where there are several', () => {
  expect(linesOf(['ws'], scenario)).toEqual([
    expect.stringMatching(/^<pre[^>]*>clients {2}p95\n {4}100 {4}7\n\n&lt;none&gt;<\/pre>$/),
  ]);
  expect(linesOf(['ws', 'uws'], scenario).map((text) => /<h3>(.*)<\/h3>/.exec(text)?.[1])).toEqual(['ws', 'uws']);
});

it('are none of a scenario that has none', () => {
  expect(linesOf(['ws'], {})).toEqual([]);
});
