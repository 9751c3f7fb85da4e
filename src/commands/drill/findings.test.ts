import { describe, expect, it } from 'vitest';
import { drilled } from '../../../test/drilled.js';
import type { ExitName } from '../../contract/exit-codes.js';
import { problem } from '../../contract/problems.js';
import { version } from '../../contract/version.js';
import { drillExit, type FindingCode, judgeDrill, type ShardDrill } from './findings.js';

const fine = drilled({ version, engine: { name: 'native' } });
const judged = (...all: Partial<ShardDrill>[]) => judgeDrill(all.map((more) => ({ ...fine, ...more })));

describe('a drill', () => {
  it('finds nothing wrong with a fleet that is right', () => {
    expect(judged({}, {})).toEqual([]);
    expect(drillExit([])).toBe('clean');
  });

  it.each<[FindingCode, ExitName, Partial<ShardDrill>]>([
    ['lost', 'shardLost', { lost: 'http://ring:8080 did not answer (connection refused)' }],
    ['versionsDiffer', 'rig', { version: '0.0.7' }],
    ['deliveriesLost', 'rig', { loop: { ...fine.loop, delivered: 14_993 } as ShardDrill['loop'] }],
    ['targetMissed', 'rig', { path: { isMeasured: false, why: 'refused' } }],
    ['lossyPath', 'clean', { path: { isMeasured: true, lateShare: 0.011, lost: 3, segments: 601, tcp: '3 of 601' } }],
    ['clockOff', 'clean', { clock: { offsetMs: -61_003, uncertaintyMs: 1.307 } }],
    ['enginesDiffer', 'clean', { engine: { name: 'js' } }],
    ['loopUnmeasured', 'clean', { loop: { isMeasured: false, isAllowed: false, why: 'not allowed' } }],
    ['deliveriesLost', 'rig', { loop: { isMeasured: false, isAllowed: true, why: 'refused' } }],
  ])('finds %s, and ends %s', (code, exit, more) => {
    const found = judged({}, more, {});
    expect(found.map((each) => each.code)).toEqual([code]);
    expect(drillExit(found)).toBe(exit);
  });

  it('takes no offset for found that the way explains', () => {
    expect(judged({ clock: { offsetMs: 1601, uncertaintyMs: 607 } })).toEqual([]);
  });

  it('says the gravest first', () => {
    const clock = { offsetMs: 7919, uncertaintyMs: 7 };
    const found = judged({ clock }, { version: '0.0.7' }, { lost: 'gone' });
    expect(found.map(({ code }) => code)).toEqual(['lost', 'versionsDiffer', 'clockOff']);
    expect(drillExit(found)).toBe('shardLost');
  });

  it('takes two lost segments for chance, however few there were', () => {
    const lost = { lateShare: 0.04, lost: 2, segments: 97, tcp: '2 of 97' };
    expect(judged({ path: { isMeasured: true, ...lost } })).toEqual([]);
  });

  it('says once what all shards miss', () => {
    const path = { isMeasured: false as const, why: 'refused' };
    expect(judged({ path, url: 'http://one' }, { path, url: 'http://two' })).toMatchObject([
      { code: 'targetMissed', urls: ['http://one', 'http://two'] },
    ]);
  });

  it('says first who could not take part, with the fix of that problem', () => {
    const absent = [{ url: 'http://gone', problem: problem('unauthorized', 'http://gone: expected the token') }];
    const found = judgeDrill([{ ...fine, lost: 'gone' }], absent);
    expect(found.map(({ code }) => code)).toEqual(['absent', 'lost']);
    expect(found[0]).toMatchObject({ urls: ['http://gone'], fix: absent[0]?.problem.hint });
    expect(drillExit(found)).toBe('input');
  });
});
