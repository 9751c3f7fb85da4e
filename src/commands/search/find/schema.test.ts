import { expect, it } from 'vitest';
import { type Finding, finding } from './schema.js';

const found: Finding = {
  schema: 1,
  tool: { name: 'ringside-bench', version: '0.1.0' },
  scenario: 'connect',
  target: 'ws',
  metric: 'handshake',
  percentile: 'p99',
  unit: 'us',
  limit: 53_000,
  repeat: 3,
  durationMs: 5000,
  answer: 'undecided',
  why: ['interrupted'],
  interval: [503, null],
  endedBecause: 'interrupted',
  points: [
    {
      ratePerSecond: 503,
      durationMs: 5000,
      figure: null,
      leastUs: null,
      holds: 'no',
      signs: [{ sign: 'limit', text: 'too few samples for that percentile' }],
      doubts: [],
      rig: 'clean',
      stop: 'completed',
      directory: 'results/one',
    },
  ],
};

it('reads a kept finding back as it was', () => {
  expect(finding.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
});

it.each([
  ['an entry that nobody declared', { ...found, extra: 7 }],
  ['a stop reason that is none', { ...found, points: [{ ...found.points[0], stop: 'tired' }] }],
  ['another version', { ...found, schema: 2 }],
])('refuses %s', (_name, content) => {
  expect(finding.safeParse(content).success).toBe(false);
});
