import { expect, it } from 'vitest';
import { goldenResult } from '../../../results/golden-result.js';
import { renderKnee } from './print.js';
import type { Knee, KneeRow, KneeTry } from './schema.js';

const plain = { isColored: false, columns: 200 };

const one = (more: Partial<KneeTry> = {}): KneeTry => ({
  ...{ ratePerSecond: 97, purpose: 'search', vote: 'good', signs: [], doubts: [], p50: 5_003, p99: 11_003 },
  ...{ deliveriesPerSecond: 2425, drain: 10_007, rig: 'clean', stop: 'completed', directory: 'there' },
  ...more,
});

const jam = one({ ratePerSecond: 101, vote: 'jammed', signs: [{ sign: 'backlog-grows', text: 'ever later' }] });

const row = (subscribers: number, more: Partial<KneeRow> = {}): KneeRow => ({
  ...{ subscribers, plateau: 5_003, end: 'jammed', keptUpTo: 97, failedFrom: 101, kneePerSecond: 99 },
  messagesPerSecond: 99 * subscribers,
  interval: [97, 101],
  why: ['backlog-grows: ever later'],
  recovery: { ratePerSecond: 49.5, hasRecovered: true, runs: 1, p50: 5_101, isSameProcess: true, why: [] },
  tries: [one(), jam],
  ...more,
});

const search = (rows: KneeRow[], sameness: Knee['sameness'] = null): Knee => ({
  schema: 1,
  tool: { name: 'ringside-bench', version: '1' },
  startedAt: '2026-11-21T12:00:00Z',
  target: {
    ...{ name: 'metronome', protocol: 'ws-json', isOurs: true },
    versions: { node: '20.20.2' },
    settings: { limit: '2500/s' },
  },
  job: { options: { payloadBytes: 200 }, load: {}, shards: 2, seed: 7919 },
  sources: {},
  environment: { driver: goldenResult().environment.driver, shards: [] },
  ...{ client: 'wire', publish: 'clients', precision: 0.05, repeat: 2, durationMs: 3000, drainMs: 5000 },
  ...{ minRate: 5, maxRate: 10_000, rows, sameness, endedBecause: '' },
});

it('prints a line for each number of subscribers, what showed the jam, and every run', () => {
  const text = renderKnee(search([row(25)]), plain);
  expect(text).toContain('knee  metronome  limit=2500/s\nnode 20.20.2 · 2 shards · seed 7919\nbroadcasts by clients');
  expect(text).toMatch(/^25 +5\.00 +99 +2,475 +97 – 101 +backlog-grows +yes, at 49\.5\/s: p50 5\.10 ms$/m);
  expect(text).toContain('25 subscribers: the target jammed\n  backlog-grows: ever later');
  expect(text).toMatch(/^ +101 .* jammed +backlog-grows$/m);
  expect(text).toContain('One knee does not show');
});

it('says whether the knee is the same in messages', () => {
  const sameness = { isSame: true, lowest: 9017, highest: 9973, allowedSpread: 0.15 };
  expect(renderKnee(search([row(25), row(100)], sameness), plain)).toContain(
    'The knee is the same at every number of subscribers: 9,017 to 9,973 messages',
  );
  expect(renderKnee(search([row(25), row(100)], { ...sameness, isSame: false }), plain)).toContain('depends on');
});

it('calls nothing a knee that the rig stopped, and says when the target stays jammed', () => {
  const rig = row(25, {
    end: 'doubtful',
    kneePerSecond: null,
    messagesPerSecond: null,
    why: ['cores-busy: so'],
    recovery: null,
  });
  const text = renderKnee({ ...search([rig]), endedBecause: 'interrupted' }, plain);
  expect(text).toMatch(/^25 +5\.00 +– +– +97 – 101 +the rig stopped first +–$/m);
  expect(text).toContain('No knee of the target was found.');
  expect(text).toContain('ended early: interrupted');
  const recovery = { ratePerSecond: 49.5, hasRecovered: false, runs: 2, p50: null, isSameProcess: false, why: [] };
  expect(renderKnee(search([row(25, { recovery })]), plain)).toContain(
    'NO, not at 49.5/s in 2 runs, in a new process: the one that jammed was gone',
  );
});

it('says of a recovery that is not known neither yes nor no, but why', () => {
  const open = { ratePerSecond: 49.5, hasRecovered: null, p50: null, isSameProcess: null };
  const recovery = { ...open, runs: 3, why: ['cores-busy: all 2 cores'] };
  const text = renderKnee(search([row(25, { recovery })]), plain);
  expect(text).toContain('unknown: limited by the rig: cores-busy: all 2 cores');
  expect(text).not.toContain('NO');
  const calm = { ...open, runs: 0, why: ['it was not jammed again at 101/s'] };
  expect(renderKnee(search([row(25, { recovery: calm })]), plain)).toContain(
    'unknown: it was not jammed again at 101/s',
  );
});
