import { describe, expect, it } from 'vitest';
import { goldenShard } from '../../../test/golden-result.js';
import { naming } from '../../../test/refusal.js';
import { latency } from '../../../test/scenarios.js';
import type { ShardInfo } from '../../contract/shard.js';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import type { Collected } from '../shards/collect.js';
import { advised, cutShortBy, shardFacts, stopOf } from './assess.js';

const collected = (more: Partial<Collected> = {}): Collected => ({
  parts: [],
  results: [],
  infos: [],
  counts: {},
  causes: {},
  series: {},
  timeline: {},
  longestMs: {},
  samples: {},
  ...more,
});

const stopOfLatency = (...[end, all, ledger]: [Parameters<typeof stopOf>[1], Collected, Record<string, number>]) =>
  stopOf(latency, end, all, ledger, []);

const acked = { attempted: 53, acked: 53, expected: 106, delivered: 106, answered: 53 };

describe('the end', () => {
  it('is that all was done, when nothing else was', () => {
    expect(stopOfLatency(undefined, collected(), acked)).toEqual({ code: 'completed', evidence: [] });
  });

  it('is what the driver or a shard saw, whatever the causes say', () => {
    const end = { code: 'targetGone' as const, evidence: ['the target process 7 ended by itself'] };
    expect(stopOfLatency(end, collected({ causes: { connect: { reset: 3 } } }), { attempted: 5, acked: 0 })).toEqual(
      end,
    );
  });

  it('is refused publishes if the target answered one, failed ones if it answered none', () => {
    const refused = { publish: { 'http-status:500': 1009, reset: 2003 } };
    const ledger = { attempted: 3012, acked: 0, refused: 1009, failed: 2003 };
    expect(stopOfLatency(undefined, collected({ causes: refused }), ledger)).toEqual({
      code: 'publishRefused',
      evidence: [
        naming('3,012', '0 acked', '1,009 refused', '2,003 failed', 'reset × 2,003', 'http-status:500 × 1,009'),
      ],
    });
    const causes = { publish: { 'answer-timeout': 13, ours: 7 }, warmUp: { 'answer-timeout': 3 } };
    const failed = { attempted: 20, acked: 0, refused: 0, failed: 20 };
    expect(stopOfLatency(undefined, collected({ causes }), failed)).toEqual({
      code: 'publishFailed',
      evidence: [
        naming('20', '0 acked', '0 refused', '20 failed', 'answer-timeout × 13', '× 7'),
        naming('warm-up', 'answer-timeout × 3'),
      ],
    });
  });

  it('is that it took none of the first, which the driver saw, with why those of the warm-up were not taken', () => {
    const end = { code: 'publishesUntaken' as const, evidence: ['none of the first 7 publishes was acked'] };
    const causes = { publish: { 'http-status:404': 2, ours: 49 }, warmUp: { 'http-status:404': 7 } };
    const stop = stopOfLatency(end, collected({ causes }), { attempted: 51, acked: 0, refused: 2, failed: 49 });
    expect(stop).toEqual({
      code: 'publishRefused',
      evidence: [
        end.evidence[0],
        naming('51', '0 acked', '2 refused', '49 failed', '× 49', 'http-status:404 × 2'),
        naming('warm-up', 'http-status:404 × 7'),
      ],
    });
    expect(advised(stop, collected({ causes }), 'ws-json').advice).toContain('--publish-url');
    const silent = { warmUp: { 'connect-refused': 7 } };
    const failed = stopOfLatency(end, collected({ causes: silent }), { attempted: 0, acked: 0 });
    expect([failed.code, advised(failed, collected({ causes: silent }), 'ws-json').advice]).toEqual([
      'publishFailed',
      expect.stringContaining('--publish-url'),
    ]);
  });

  it('is a shard that was lost with its samples, when all seemed done', () => {
    const why = 'its samples could not be fetched: socket hang up';
    const parts: Collected['parts'] = [
      { url: 'http://ring:7001', state: 'complete', why: '', result: goldenShard(0) },
      { url: 'http://ring:7003', state: 'lost', why, result: null },
    ];
    expect(stopOfLatency(undefined, collected({ parts }), acked)).toEqual({
      code: 'shardLost',
      evidence: [`http://ring:7003: ${why}`],
    });
  });
});

describe('a run that its user ended', () => {
  const end = { code: 'endedByUser' as const, evidence: [], afterMs: 8009 };
  const ended = (ledger: Record<string, number>, more: Partial<Collected> = {}) =>
    stopOfLatency(end, collected(more), ledger);

  it('stands for what it had measured, and says of how much', () => {
    const many = ended({ ...acked, acked: 1499 });
    expect(many).toEqual({ code: 'endedByUser', evidence: [naming('these 1,499 broadcasts')], afterMs: 8009 });
    expect(ended({ ...acked, acked: 1 }).evidence).toEqual([naming('this broadcast')]);
    expect(cutShortBy(many, latency)).toBeUndefined();
  });

  it('has no figures before the first broadcast, or without a shard', () => {
    const early = ended({ attempted: 7, acked: 0 });
    expect(early).toMatchObject({ code: 'interrupted', evidence: [naming('first broadcast')] });
    const parts: Collected['parts'] = [{ url: 'http://ring:7003', state: 'lost', why: 'gone', result: null }];
    expect(ended(acked, { parts })).toMatchObject({ code: 'interrupted', evidence: ['by you', naming('7003')] });
    expect(cutShortBy(early, latency)).toBeDefined();
  });

  it('says that it did not await all that was under way', () => {
    const results = [{ ...goldenShard(0), stop: { code: 'endedByDriver' as const, evidence: [] } }];
    expect(ended(acked, { results }).evidence).toHaveLength(2);
  });
});

describe('a later round that found too few clients', () => {
  const short = { code: 'clientsShort' as const, evidence: ['round 3: 21 clients asked, 14 subscribers'] };

  it('is an end with its causes, of a run that stands', () => {
    const found = stopOfLatency(short, collected({ causes: { connect: { 'http-status:503': 7 } } }), acked);
    expect(found).toEqual({ code: 'clientsShort', evidence: [...short.evidence, 'http-status:503 × 7'] });
    expect(cutShortBy(found, latency)).toBeUndefined();
  });

  it.each([
    ['ports-exhausted', 'portsExhausted'],
    ['descriptors-exhausted', 'descriptorsExhausted'],
  ])('is void where the rig had none to give: %s', (cause, code) => {
    const found = stopOfLatency(short, collected({ causes: { connect: { [cause]: 7 } } }), acked);
    expect(found.code).toBe(code);
    expect(cutShortBy(found, latency)).toBeDefined();
  });
});

describe('an audience that fell short', () => {
  const short = { code: 'audienceShort' as const, evidence: ['101 clients asked, 89 subscribers'] };
  const stop = (causes: Collected['causes']) => stopOfLatency(short, collected({ causes }), {});

  it.each<[StopCode, Record<string, number>]>([
    ['refused', { 'http-status:503': 12 }],
    ['targetUnreachable', { 'connect-refused': 12 }],
    ['targetUnreachable', { 'network:ENOTFOUND': 12 }],
    ['targetUnreachable', { 'tls:ERR_SSL_WRONG_VERSION_NUMBER': 7, 'connect-timeout': 5 }],
    ['targetUnreachable', { 'bad-upgrade:status line': 12 }],
    ['sourceAddressLost', { 'source-address': 12 }],
    ['refused', { 'http-status:503': 7, 'connect-refused': 5 }],
    ['refused', { 'close-code:1008': 7, 'connect-timeout': 5 }],
    ['handshakeTimeouts', { 'connect-timeout': 7, 'close-code:1008': 5 }],
    ['handshakeTimeouts', { 'subscribe-timeout': 12 }],
    ['handshakeTimeouts', { 'heartbeat-timeout': 12 }],
    ['portsExhausted', { 'ports-exhausted': 7, 'connect-timeout': 5 }],
    ['descriptorsExhausted', { 'descriptors-exhausted': 12 }],
  ])('ends as %s by its commonest cause: %j', (code, connect) => {
    expect(stop({ connect }).code).toBe(code);
  });

  it('tells all causes, the commonest first', () => {
    expect(stop({ connect: { reset: 1, 'http-status:503': 11 } })).toEqual({
      code: 'refused',
      evidence: ['101 clients asked, 89 subscribers', 'http-status:503 × 11, reset × 1'],
    });
  });

  it('counts clients that were cut with those that never came in', () => {
    expect(stop({ connect: { 'connect-timeout': 1, reset: 2 }, close: { 'close-code:1013': 7, reset: 3 } })).toEqual({
      code: 'refused',
      evidence: [short.evidence[0], 'close-code:1013 × 7, reset × 5, connect-timeout × 1'],
    });
    expect(stop({ connect: { reset: 1 }, close: { 'heartbeat-timeout': 11 } }).code).toBe('handshakeTimeouts');
  });

  it('was reached where one client came in', () => {
    const causes = { connect: { 'connect-refused': 12 } };
    expect(stopOfLatency(short, collected({ causes, counts: { opened: 89 } }), {}).code).toBe('refused');
  });

  it('without a cause has none told', () => {
    expect(stop({})).toEqual({ code: 'refused', evidence: short.evidence });
  });
});

describe('advice', () => {
  const advice = (code: StopCode, causes: Collected['causes'], counts = {}) =>
    advised({ code, evidence: ['so'] }, collected({ causes, counts }), 'anycable').advice;

  it('goes with the commonest cause for which nobody was connected', () => {
    expect(advice('targetUnreachable', { connect: { 'tls:EPROTO': 7, reset: 5 } })).toMatch(/wss:.*ws:/);
    expect(advice('targetUnreachable', { connect: { 'network:ENOTFOUND': 7 } })).toContain('resolve');
    expect(advice('refused', { connect: { 'http-status:404': 7, 'connect-timeout': 5 } })).toContain('path');
    expect(advice('handshakeTimeouts', { connect: { 'subscribe-timeout': 7 } })).toContain('anycable');
    expect(advice('refused', { connect: { 'end-of-stream': 7 } })).toMatch(/\bws:.*wss:/);
    expect(advice('refused', { connect: { 'http-status:503': 7 } })).toBeUndefined();
    expect(advice('refused', { connect: { 'http-status:503': 7, 'http-status:404': 5 } })).toBeUndefined();
    expect(advice('completed', {})).toBeUndefined();
  });

  it('is the publish address where no publish was taken, and nothing where clients were connected', () => {
    const refused = { publish: {}, warmUp: { 'http-status:404': 7 } };
    expect(advice('publishRefused', refused, { opened: 97 })).toContain('--publish-url');
    expect(advice('handshakeTimeouts', { connect: { 'subscribe-timeout': 7 } }, { opened: 1 })).toBeUndefined();
  });

  it('is the old process where no restart was seen, though clients were connected', () => {
    expect(advice('noRestart', {}, { opened: 97, cut: 0 })).toBe(stopReasons.noRestart.advice);
  });
});

const before = { infos: [], portRanges: 1, demand: { clients: 202, broadcasts: 1006 } };

it('the facts of a shard are what the verdict needs, by the figure of those that are ready', () => {
  const [first] = shardFacts([goldenShard(0), goldenShard(1)], before);
  expect(first).toMatchObject({
    label: 'shard 0',
    asked: 101,
    ready: 101,
    refused: 0,
    published: 503,
    received: 101_606,
    descriptorsUsed: 227,
    descriptorLimit: 20_000,
    coreBusy: [0.31, 0.29],
    timeWait: 11,
  });
  expect(first?.workers).toMatchObject([
    { label: 'worker 0', holdsSubscribers: true, utilization: 0.23, gcMaxMs: 3.7 },
    { label: 'publisher', holdsSubscribers: false, runQueueWaitMs: null },
  ]);
});

it('the facts of a shard have how many the target itself turned away, before or after they were in', () => {
  const causes = {
    connect: {
      'http-status:503': 7,
      'rejected:unauthorized': 2,
      'connect-timeout': 97,
      reset: 89,
      'connect-refused': 3,
    },
    close: { 'close-code:1013': 5, 'end-of-stream': 83 },
  };
  expect(shardFacts([goldenShard(0, { causes })], before)).toMatchObject([{ refused: 7 + 2 + 5 }]);
  expect(shardFacts([goldenShard(0, { causes: {} })], before)).toMatchObject([{ refused: 0 }]);
});

it('the facts of a shard have the clock and the ports that each shard reported before the run', () => {
  const limits = { sourcePorts: 28_232 } as ShardInfo['limits'];
  const infos = [
    { clockId: 'boot-7/time:[11]', limits },
    { clockId: 'boot-13/time:[11]', limits: { ...limits, sourcePorts: null } },
  ] as ShardInfo[];
  const results = [goldenShard(0), goldenShard(1)];
  const { clockId } = goldenShard(0);
  expect(shardFacts(results, { ...before, infos, portRanges: 8 })).toMatchObject([
    { clockId, clockIdBefore: 'boot-7/time:[11]', sourcePorts: 8 * 28_232 },
    { clockId, clockIdBefore: 'boot-13/time:[11]', sourcePorts: null },
  ]);
  expect(shardFacts(results, before)).toMatchObject([
    { clockId, clockIdBefore: null, sourcePorts: null },
    { clockId, clockIdBefore: null, sourcePorts: null },
  ]);
});
