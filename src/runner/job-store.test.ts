import { expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { flow } from '../scenarios/flow/index.js';
import type { Scenario } from '../scenarios/scenario.js';
import { markProblems } from './job-store.js';

const scenario = flow as unknown as Scenario;
const problemsOf = (mostSends: number, of: number) =>
  markProblems({ scenario, options: { mostSends }, slice: { index: 0, of } }).map(({ message }) => message);

it('the declared sends of all shards have numbers of nine digits', () => {
  expect(problemsOf(1_048_576, 953)).toEqual([]);
  expect(problemsOf(1_048_576, 954)).toEqual([naming('1048218', '1048576', '954 shards')]);
  expect(problemsOf(16_777_216, 59)).toEqual([]);
  expect(problemsOf(16_777_216, 60)).toHaveLength(1);
});

it('several shards tell each other all that they sent', () => {
  expect(problemsOf(16_777_217, 1)).toEqual([]);
  expect(problemsOf(16_777_217, 2)).toEqual([naming('16777216', '16777217', '2 shards')]);
});
