import { expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { suiteProgress } from './book.js';
import { begun, resumeProblems } from './journal.js';
import { planSuite, type SuitePlan } from './plan.js';
import { readSuite } from './read.js';

const text = 'name: a\nentries: [{ scenario: latency, targets: [ws] }, { scenario: echo, targets: [ws] }]\n';

function planned(flags: Record<string, unknown> = {}, more = ''): SuitePlan {
  return planSuite(readSuite('a.yml', text + more), { flags, env: {} }, 11);
}

const progress = begun(planned(), new Map(), '2026-11-21T09:40:15.682Z');
const refusals = (plan: SuitePlan, of = progress): string[] =>
  resumeProblems(of, plan, 'there').map(({ code, message }) => `${code} ${message}`);

it('a suite that was begun is kept and can resume', () => {
  expect(suiteProgress.parse(JSON.parse(JSON.stringify(progress)))).toEqual(progress);
  expect(refusals(planned())).toEqual([]);
});

it('a suite that was begun does not resume with a changed file, even by a comment', () => {
  expect(refusals(planned({}, '# new\n'))).toEqual([expect.stringMatching(/^badFile .*hash/)]);
});

it('a suite that was begun does not resume with another version', () => {
  const older = { ...progress, tool: { ...progress.tool, version: '0.0.7' } };
  expect(refusals(planned(), older)).toEqual([naming('badFile ', '0.0.7')]);
});

it('a suite that was begun does not resume with another number of shards, nor with other shapes', () => {
  expect(refusals(planned({ localShards: '2' }))).toEqual([naming('latency', 1, 2), naming('echo', 1, 2)]);
  const entries = progress.entries.map((entry) => ({ ...entry, fingerprint: '000000000000' }));
  expect(refusals(planned(), { ...progress, entries })).toHaveLength(2);
});

it('a suite that was begun keeps baselines of version 0.1', () => {
  const memory = { isCarried: true, before: ['ws  delivery.p99'], told: [], doubtful: [], otherSpeed: [] };
  const held = { latency: { directory: 'before', ...memory }, echo: { notHeld: 'no such entry' } };
  expect(suiteProgress.parse({ ...progress, held }).held).toEqual({
    latency: { directory: 'before' },
    echo: { notHeld: 'no such entry' },
  });
});
