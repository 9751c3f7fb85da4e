import { describe, expect, it } from 'vitest';
import { drilled } from '../../../test/drilled.js';
import type { ExitName } from '../../contract/exit-codes.js';
import { problem } from '../../contract/problems.js';
import { version } from '../../contract/version.js';
import type { FindingCode } from './finding-table.js';
import { drillExit, judgeDrill } from './judge.js';
import type { ShardDrill } from './schema.js';

const quiet = { absent: [], driverStepsMs: [] };
const fine = drilled({ version, engine: { name: 'native' } });
const judged = (...all: Partial<ShardDrill>[]) =>
  judgeDrill(
    all.map((more) => ({ ...fine, ...more })),
    quiet,
  );

describe('a drill', () => {
  it('finds nothing wrong with a fleet that is right', () => {
    expect(judged({}, {})).toEqual([]);
    expect(drillExit([])).toBe('clean');
  });

  const { clock, roundTrip, link, cpu, loop } = fine;
  const slow = { ...loop, perSecond: 101 } as ShardDrill['loop'];
  it.each<[FindingCode, ExitName, Partial<ShardDrill>]>([
    ['lost', 'shardLost', { lost: 'http://ring:8080 did not answer (connection refused)' }],
    ['versionsDiffer', 'rig', { version: '0.0.7' }],
    ['deliveriesLost', 'rig', { loop: { ...loop, delivered: 14_993 } as ShardDrill['loop'] }],
    ['targetMissed', 'rig', { path: { isMeasured: false, why: 'refused' } }],
    ['lossyPath', 'clean', { path: { isMeasured: true, lateShare: 0.011, lost: 3, segments: 601, tcp: '3 of 601' } }],
    ['slowShard', 'clean', { loop: slow }],
    ['throttled', 'clean', { cpu: { ...cpu, quotaCores: 0.2, throttledShare: 0.31 } }],
    ['othersBusy', 'clean', { cpu: { ...cpu, othersCores: 0.53 } }],
    ['stolen', 'clean', { cpu: { ...cpu, stolenShare: 0.07 } }],
    ['coreWait', 'clean', { cpu: { ...cpu, coreWaitShare: 0.11 } }],
    ['clockSteps', 'clean', { clock: { ...clock!, stepsMs: [-2003] } }],
    ['clockOff', 'clean', { clock: { ...clock!, offsetMs: -61_003 } }],
    ['clockDrifts', 'clean', { clock: { ...clock!, drift: { ppm: -701, uncertaintyPpm: 97, overMs: 20_011 } } }],
    ['enginesDiffer', 'clean', { engine: { name: 'js' } }],
    ['farAway', 'clean', { roundTrip: { ...roundTrip!, worstMs: 2003 } }],
    ['narrowLink', 'clean', { link: { ...link, bytesPerSecond: 307_000 } }],
    ['lossyLink', 'clean', { link: { ...link, lost: 97 } }],
    ['loopUnmeasured', 'clean', { loop: { isMeasured: false, isAllowed: false, why: 'not allowed' } }],
    ['deliveriesLost', 'rig', { loop: { isMeasured: false, isAllowed: true, why: 'refused' } }],
  ])('finds %s, and ends %s', (code, exit, more) => {
    const found = judged({}, more, {});
    expect(found.map((each) => each.code)).toEqual([code]);
    expect(drillExit(found)).toBe(exit);
  });

  it('takes no drift and no offset for found that the way explains', () => {
    const explained = { offsetMs: 1601, uncertaintyMs: 607, drift: { ppm: 997, uncertaintyPpm: 401, overMs: 20_011 } };
    expect(judged({ clock: { ...clock!, ...explained } })).toEqual([]);
  });

  it('says the gravest first', () => {
    const found = judged({ cpu: { ...cpu, stolenShare: 0.07 } }, { version: '0.0.7' }, { lost: 'gone' });
    expect(found.map(({ code }) => code)).toEqual(['lost', 'versionsDiffer', 'stolen']);
    expect(drillExit(found)).toBe('shardLost');
  });

  it('takes two lost segments for chance, however few there were', () => {
    const lost = { lost: 2, segments: 97 };
    const path = { isMeasured: true as const, lateShare: 0.04, tcp: '2 of 97', ...lost };
    expect(judged({ path, link: { ...link, ...lost } })).toEqual([]);
  });

  it('says once what all shards miss', () => {
    const path = { isMeasured: false as const, why: 'refused' };
    expect(judged({ path, url: 'http://one' }, { path, url: 'http://two' })).toMatchObject([
      { code: 'targetMissed', urls: ['http://one', 'http://two'] },
    ]);
  });

  it('says first who could not take part, with the fix of that problem', () => {
    const absent = [{ url: 'http://gone', problem: problem('unauthorized', 'http://gone: expected the token') }];
    const found = judgeDrill([{ ...fine, lost: 'gone' }], { absent, driverStepsMs: [] });
    expect(found.map(({ code }) => code)).toEqual(['absent', 'lost']);
    expect(found[0]).toMatchObject({ urls: ['http://gone'], fix: absent[0]?.problem.hint });
    expect(drillExit(found)).toBe('input');
  });

  it('names the driver whose clock jumped', () => {
    expect(judgeDrill([fine], { absent: [], driverStepsMs: [307] })).toMatchObject([{ code: 'clockSteps', urls: [] }]);
  });
});
