import { describe, expect, it } from 'vitest';
import { unknownLimits } from '../../../../test/machines.js';
import { named, naming } from '../../../../test/refusal.js';
import { messagesBy } from '../../../../test/refusals.js';
import { contractVersion } from '../../../contract/job.js';
import { ProblemError, problem } from '../../../contract/problems.js';
import type { ShardInfo } from '../../../contract/shard.js';
import type { Holds } from '../../../measure/statement.js';
import type { KneeTry } from '../../../results/search.js';
import type { ShardClient } from '../../../run/shards/shard-client.js';
import type { SearchShape } from '../rates.js';
import { exitOfProblems } from '../search.js';
import { findKnees } from './command.js';
import { exitOfRow, hasRecovered, isRowOpen, jamRateOf, kneeRowOf, triedIn } from './knee.js';
import { planKnee, planOfRun } from './plan.js';

const shape: SearchShape = { minRate: 10, maxRate: 40, precision: 0.05, repeat: 2 };

const run = (ratePerSecond: number, holds: Holds, more: Partial<KneeTry> = {}): KneeTry => ({
  ...{ ratePerSecond, purpose: 'search', holds, p50: 5_003, p99: 11_003, deliveriesPerSecond: 97, drain: 7_001 },
  signs: holds === 'no' ? [{ sign: 'backlog-grows', text: 'ever later' }] : [],
  why: holds === 'open' ? ['cores-busy: so'] : [],
  ...{ rig: 'clean', stop: 'completed', directory: 'there' },
  ...more,
});

const runs = (ratePerSecond: number, ...votes: Holds[]): KneeTry[] => votes.map((holds) => run(ratePerSecond, holds));

const low = runs(10, 'yes', 'yes');

const row = (tries: KneeTry[], isOver = true, of = shape) => kneeRowOf(7, tries, of, { isOver, recovery: null });

describe('the end of a search', () => {
  it.each([
    ['jammed', [...low, ...runs(20, 'yes', 'yes'), ...runs(20.9, 'no', 'no')]],
    ['open', [...low, ...runs(10.4, 'open', 'open', 'open')]],
    ['highestKept', [...low, ...runs(40, 'yes', 'yes')]],
    ['lowestFailed', runs(10, 'no', 'no')],
    ['ended', [...low, ...runs(20, 'yes', 'yes')]],
    ['disordered', [...low, ...runs(20, 'no', 'no'), ...runs(40, 'yes', 'yes')]],
  ])('is %s', (end, tries) => {
    expect(row(tries)).toMatchObject({ end, kneePerSecond: end === 'jammed' ? expect.any(Number) : null });
    expect(row(tries, false)).toMatchObject({ end: 'ended', kneePerSecond: null });
  });

  it('of the most runs proves neither that the highest rate was kept up with, nor a knee', () => {
    const many = Array.from({ length: 40 }, (_, n) => runs(10 + n / 7, 'yes', 'yes')).flat();
    expect(row(many)).toMatchObject({ end: 'ended', failedFrom: null });
    const torn = [...many.slice(0, 78), ...runs(30, 'no', 'no')];
    expect(row(torn)).toMatchObject({ end: 'ended', kneePerSecond: null, failedFrom: 30 });
    expect(jamRateOf(triedIn(torn), shape)).toBeUndefined();
    expect(isRowOpen(row(torn), shape)).toBe(true);
  });

  it.each<[boolean, KneeTry[]]>([
    [true, runs(10, 'open', 'open', 'open')],
    [true, [...low, ...runs(10.4, 'open', 'open', 'open')]],
    [true, [...low, ...runs(20, 'no', 'no'), ...runs(40, 'yes', 'yes')]],
    [false, runs(10, 'no', 'no')],
    [false, [...low, ...runs(10.4, 'no', 'no')]],
  ])('is the rig’s affair where its runs take no side: %s', (isOpen, tries) => {
    expect(isRowOpen(row(tries), shape)).toBe(isOpen);
  });

  it('keeps the edges that were found before the target could not be reached any more, and blames no rig', () => {
    const edges = [...low, ...runs(20, 'yes', 'yes'), ...runs(20.9, 'open')];
    const last = run(20.9, 'open', { stop: 'targetUnreachable', why: ['target unreachable: so'] });
    const found = row([...edges, last], false);
    expect(found).toMatchObject({ end: 'ended', keptUpTo: 20, failedFrom: 20.9, why: ['cores-busy: so'] });
    expect(isRowOpen(found, shape)).toBe(false);
  });

  it('takes no account of runs that ended it, nor of those of the recovery', () => {
    const lost = run(20, 'open', { stop: 'shardLost' });
    expect(triedIn([...low, lost, run(5, 'no', { purpose: 'recovery' })])).toEqual([
      { ratePerSecond: 10, votes: ['yes', 'yes'] },
    ]);
  });
});

describe('a recovery', () => {
  it('is claimed or denied by runs that take a side, and else left open', () => {
    expect(hasRecovered(['no', 'yes'])).toBe(true);
    expect(hasRecovered(['no', 'no'])).toBe(false);
    expect(hasRecovered(['open', 'no', 'no'])).toBe(false);
    expect(hasRecovered(['open', 'open', 'open'])).toBeNull();
    expect(hasRecovered(['open'])).toBeNull();
    expect(hasRecovered([])).toBeNull();
  });

  it('begins with the highest rate at which every run jammed, where there is one', () => {
    const edge = runs(20, 'yes', 'no', 'no', 'no');
    const above = [...runs(40, 'no'), ...runs(22, 'no', 'no')];
    expect(jamRateOf(triedIn([...low, ...edge, ...above]), shape)).toBe(40);
    expect(jamRateOf(triedIn([...low, ...edge, ...above, run(40, 'open')]), shape)).toBe(22);
    expect(jamRateOf(triedIn([...low, ...edge]), shape)).toBe(20);
    expect(jamRateOf(triedIn([...low, ...runs(20, 'open', 'open', 'open')]), shape)).toBeUndefined();
  });
});

it.each([
  ['shardUnreachable', 'shardLost'],
  ['targetFailed', 'rig'],
  ['targetUnavailable', 'rig'],
  ['shardBusy', 'input'],
  ['portLimit', 'input'],
] as const)('a refusal in the middle of a search, %s, ends it as %s', (code, exit) => {
  expect(exitOfProblems(new ProblemError([problem(code, 'so')]))).toBe(exit);
});

it.each([
  ['clean', 'completed'],
  ['rig', 'nothingDelivered'],
  ['threshold', 'publishesShort'],
] as const)('a target that fails at the lowest rate ends the search as %s where its runs ended as %s', (exit, stop) => {
  const failed = row([run(10, 'no', { stop }), run(10, 'no', { stop })]);
  expect(exitOfRow(failed, shape)).toBe(exit);
  const jammed = row([...low, ...runs(20, 'yes', 'yes'), run(20.9, 'no', { stop }), run(20.9, 'no', { stop })]);
  expect(exitOfRow(jammed, shape)).toBe('clean');
});

const plan = (flags: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
  planKnee({ flags: { target: 'metronome', ...flags }, env, file: {} });

const messagesOf = (flags: Record<string, unknown>) => messagesBy(() => plan(flags));

describe('the plan of a search', () => {
  it('says which values the search sets, and where each other came from', () => {
    const search = plan({ durationMs: '7s' }, { RINGSIDE_DRAIN: '11s' });
    const { sources, options } = planOfRun(search, 97, 13);
    expect(options).toMatchObject({ clients: 97, ratePerSecond: 13, durationMs: 7000, drainMs: 11_000 });
    expect(sources).toMatchObject({
      ...{ clients: 'search', ratePerSecond: 'search', durationMs: 'flag', drainMs: 'environment' },
      payloadBytes: 'default',
    });
    expect(sources).not.toHaveProperty('broadcasts');
  });

  it('refuses a lowest rate that makes too few broadcasts to tell a slope by', () => {
    expect(messagesOf({ minRate: '7/s', durationMs: '1s' })).toEqual([naming('--min-rate × --duration:', 8, 7)]);
    expect(messagesOf({ minRate: '8/s', durationMs: '1s' })).toEqual([]);
  });

  it('refuses a number of clients that the scenario does not take, before the first run', () =>
    expect(messagesOf({ clients: ['7', '100000001'] })).toEqual([naming('--clients:', 100_000_001)]));
});

const info: ShardInfo = {
  ...{ contract: contractVersion, version: '0.1.0', bootId: '49ac5d31', clockId: 'another machine' },
  machine: { kernel: 'Linux', cpu: 'AMD', cores: 2, memoryBytes: 7, runtime: 'node' },
  engine: { name: 'native' },
  limits: {
    ...{
      clients: 11,
      publishesPerSecond: 10_000,
      payloadBytes: 1_000_000,
      durationMs: 3_600_000,
      bodyBytes: 1_000_000,
    },
    ...unknownLimits,
  },
  allowTargets: ['loopback'],
  allowsModules: false,
};

it('refuses a shard of another machine for a managed target, with every other problem, each once', async () => {
  const shard = { url: 'http://other:9000', info: async () => info } as ShardClient;
  const touched: string[] = [];
  const plan = planKnee({ flags: { target: 'ws', clients: ['7,13,17'] }, env: {}, file: {} });
  const error = await findKnees(plan, {
    ...{ shards: [shard], childDescriptors: null, interrupt: new AbortController().signal, notKept: () => undefined },
    progress: () => touched.push('progress'),
    begins: () => touched.push('begins'),
    tried: () => touched.push('tried'),
    finished: () => touched.push('finished'),
    tell: () => touched.push('tell'),
  }).catch((each: unknown) => each);
  const { problems } = error as ProblemError;
  expect(problems).toEqual([
    named('targetOutOfReach', 'http://other:9000'),
    named('overLimit', 'http://other:9000', 'clients', 11, 13),
    named('overLimit', 'http://other:9000', 'clients', 11, 17),
  ]);
  expect(touched).toEqual([]);
});
