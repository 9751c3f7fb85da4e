import { describe, expect, it } from 'vitest';
import { suiteProgress } from './book.js';
import { begun, resumeProblems } from './journal.js';
import { planSuite, type SuitePlan } from './plan.js';
import { readSuite } from './read.js';

const text = 'name: a\nentries: [{ scenario: latency, targets: [ws] }, { scenario: echo, targets: [ws] }]\n';

function planned(flags: Record<string, unknown> = {}, more = ''): SuitePlan {
  return planSuite(readSuite('a.yml', text + more), { flags, env: {} }, 11);
}

const progress = begun(planned(), new Map(), '2026-11-21T09:40:15.682Z');
const told = (plan: SuitePlan): string[] => resumeProblems(progress, plan, 'there').map(({ message }) => message);

describe('what a suite was begun with', () => {
  it('can be kept, and gone on with', () => {
    expect(suiteProgress.parse(JSON.parse(JSON.stringify(progress)))).toEqual(progress);
    expect(told(planned())).toEqual([]);
  });

  it('is not gone on with where the file has changed by as much as a word of comment', () => {
    expect(told(planned({}, '# new\n'))).toEqual([
      expect.stringMatching(/^--resume there: expected the file as it was begun/),
    ]);
  });

  it('is not gone on with by another version', () => {
    const older = { ...progress, tool: { ...progress.tool, version: '0.0.7' } };
    expect(resumeProblems(older, planned(), 'there').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^--resume there: expected Ringside 0\.0\.7, with which it was begun, received \d/),
    ]);
  });

  it('is not gone on with on another number of shards, nor with other shapes', () => {
    expect(told(planned({ localShards: '2' }))).toEqual([
      '--resume there: latency: expected 1 shards, as before, received 2',
      '--resume there: echo: expected 1 shards, as before, received 2',
    ]);
    const entries = progress.entries.map((entry) => ({ ...entry, fingerprint: '000000000000' }));
    expect(resumeProblems({ ...progress, entries }, planned(), 'there')).toHaveLength(2);
  });
});
