import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { renderRun } from '../run.js';
import { doubtMark, headlineDoubts } from './doubts.js';

const latency = scenarioByName('latency') as Scenario;
const ofMax = { metric: 'delivery', figure: 'max' as const, leastUs: 12_000, text: 'delivery max: of 41.0 ms' };
const ofAll = { metric: 'publishAck', figure: null, leastUs: 0, text: 'publishAck: in the ramp it was busy' };
const doubted = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts: [ofMax, ofAll] } });

it('mark the figure that they are about, or all of a metric, and no other', () => {
  const { verdict } = doubted;
  expect(doubtMark(verdict, 'delivery', 'max')).toBe('≤');
  expect(doubtMark(verdict, 'delivery', 'p99')).toBe('');
  expect(doubtMark(verdict, 'publishAck', 'p50')).toBe('≤');
  expect(doubtMark(goldenResult().verdict, 'delivery', 'max')).toBe('');
});

it('stand below the verdict of a run, and beside its figures', () => {
  const lines = renderRun(doubted, latency, { isColored: false, columns: 120 }).split('\n');
  expect(lines.filter((line) => line.startsWith('doubt'))).toEqual([
    'doubt    delivery max: of 41.0 ms',
    'doubt    publishAck: in the ramp it was busy',
  ]);
  expect(lines.find((line) => line.startsWith('delivery '))).toMatch(/ 13\.0 +≤41\.0 /);
  expect(lines.find((line) => line.startsWith('publishAck '))).toMatch(/ ≤0\.601 .* – +≤7\.00 /);
  expect(lines.join('\n')).toContain('≤ : the rig or its network may have written a part of it');
});

it('of a comparison are those about what the scenario is judged by', () => {
  const other = { ...ofMax, metric: 'deliveryFromIntended' };
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts: [ofMax, other] } });
  expect(headlineDoubts(run, latency)).toEqual([ofMax]);
});
