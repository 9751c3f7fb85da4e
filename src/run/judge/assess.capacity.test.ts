import { expect, it } from 'vitest';
import { goldenShard } from '../../../test/golden-result.js';
import { naming } from '../../../test/refusal.js';
import { scenarioCalled } from '../../../test/scenarios.js';
import type { ShardResult } from '../../contract/shard.js';
import { type StopCode, standsShort, stopCodes, stopReasons } from '../../contract/stop-reasons.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { TargetWall, WallSign } from '../../targets/observe/evidence.js';
import { cutShortBy, runExit, stopOf } from './assess.js';

const nothing = {
  parts: [],
  results: [],
  infos: [],
  causes: {},
  series: {},
  timeline: {},
  longestMs: {},
  samples: {},
  counts: {},
};

const [idle, connect, latency] = ['idle', 'connect', 'latency'].map((name) => scenarioCalled(name)) as [
  Scenario,
  Scenario,
  Scenario,
];

const asked = 1009;

/** What one shard of two opened of 503, its worker so busy. */
function shard(index: number, opened: number, utilization = 0.31): ShardResult {
  const whole = goldenShard(index, { counts: { asked: 503, opened } });
  const [worker, publisher] = whole.rig.workers;
  // The publisher's loop says nothing of how many connections there can be.
  const workers = [
    { ...worker!, utilization },
    { ...publisher!, utilization: 0.97 },
  ];
  return { ...whole, rig: { ...whole.rig, workers } };
}

const walls = (...signs: TargetWall[]): WallSign[] => signs.map((wall) => ({ wall, evidence: `signs of ${wall}` }));

/** By default all that was opened is held, and nothing was cut. */
interface Seen {
  opened?: number;
  open?: number;
  held?: number;
  close?: Record<string, number>;
  connect?: Record<string, number>;
  walls?: WallSign[];
  results?: ShardResult[];
}

function stopFor(
  { opened = 911, open = opened, held = open, connect: failed = {}, close = {}, walls: signs = [], results = [] }: Seen,
  scenario = idle,
) {
  const counts = { asked, opened, open, ...(scenario === idle ? { held } : {}) };
  const collected = { ...nothing, results, counts, causes: { connect: failed, close } };
  return stopOf(scenario, undefined, collected, {}, signs);
}

const deaf = { 'connect-timeout': 98 };

it.each<[StopCode, string, Seen]>([
  ['completed', 'all are held, whatever else was seen', { opened: 1009, walls: walls('corePinned') }],
  ['connectionsLost', 'one of all was cut', { opened: 1009, open: 1008, close: { 'close-code:1001': 1 } }],
  [
    'targetGone',
    'all were cut without a word, and nothing listens any more',
    { open: 0, close: { reset: 900, 'end-of-stream': 11 }, connect: { 'connect-refused': 98 } },
  ],
  [
    'refused',
    'all but one were cut, and nothing listens any more',
    { open: 1, close: { reset: 910 }, connect: { 'connect-refused': 98 } },
  ],
  [
    'handshakeTimeouts',
    'all were cut, and something may still listen',
    { open: 0, close: { reset: 911 }, connect: deaf },
  ],
  ['handshakeTimeouts', 'all but one were opened, and timeouts are all there is', { opened: 1008, connect: deaf }],
  ['handshakeTimeouts', 'no subscription was confirmed', { connect: { 'subscribe-timeout': 98 } }],
  ['handshakeTimeouts', 'the handshake of the protocol stayed away', { connect: { 'heartbeat-timeout': 98 } }],
  ['refused', 'nothing but resets is there to tell', { connect: { reset: 98 } }],
  [
    'targetUnreachable',
    'nothing listens, though a core is pinned',
    { opened: 0, connect: { 'connect-refused': 1009 }, walls: walls('corePinned') },
  ],
  ['targetUnreachable', 'the host has no address', { opened: 0, connect: { 'network:ENOTFOUND': 1009 } }],
  ['refused', 'nothing listens any more', { opened: 1, connect: { 'connect-refused': 1008 } }],
  [
    'acceptOverflow',
    'its accept queue was full from the first on',
    { opened: 0, connect: { 'connect-refused': 1009 }, walls: walls('acceptOverflow') },
  ],

  [
    'portsExhausted',
    'ports were what most were missing, before all that was seen',
    { connect: { 'connect-timeout': 47, 'ports-exhausted': 51 }, walls: walls('memoryWall') },
  ],
  [
    'handshakeTimeouts',
    'ports were missing, but not to most',
    { connect: { 'connect-timeout': 51, 'ports-exhausted': 47 } },
  ],
  [
    'portsExhausted',
    'ports ran out on both shards at one count',
    { connect: { 'ports-exhausted': 98 }, results: [shard(0, 451), shard(1, 451)], walls: walls('memoryWall') },
  ],
  [
    'descriptorsExhausted',
    'descriptors were what most were missing, though the target refused, too',
    { connect: { 'descriptors-exhausted': 51, 'http-status:503': 47 } },
  ],
  [
    'refused',
    'descriptors were missing, but most were refused',
    { connect: { 'descriptors-exhausted': 47, 'http-status:503': 51 } },
  ],

  [
    'uniformCeiling',
    'both shards stopped at one count, without a word of the target',
    { connect: deaf, results: [shard(0, 451), shard(1, 451)], walls: walls('corePinned', 'memoryWall') },
  ],
  ['handshakeTimeouts', 'they stopped one apart', { connect: deaf, results: [shard(0, 451), shard(1, 452)] }],
  ['handshakeTimeouts', 'there is one shard only', { connect: deaf, results: [shard(0, 451)] }],
  ['handshakeTimeouts', 'neither opened any', { opened: 0, connect: deaf, results: [shard(0, 0), shard(1, 0)] }],
  [
    'refused',
    'both shards stopped at one count because the target said no',
    { connect: { 'http-status:503': 98 }, results: [shard(0, 451), shard(1, 451)] },
  ],
  [
    'refused',
    'the target said no to everybody',
    { opened: 0, connect: { 'http-status:403': 1009 }, results: [shard(0, 0), shard(1, 0)] },
  ],
  [
    'corePinned',
    'one of two had all it asked',
    { walls: walls('corePinned'), results: [shard(0, 503), shard(1, 503)] },
  ],

  [
    'memoryWall',
    'memory ran out, though the target refused',
    { connect: { 'http-status:503': 98 }, walls: walls('memoryWall') },
  ],
  ['memoryWall', 'memory ran out with the descriptors', { walls: walls('descriptorWall', 'memoryWall') }],
  ['targetDescriptors', 'its descriptors ran out', { connect: deaf, walls: walls('corePinned', 'descriptorWall') }],

  [
    'refused',
    'a status is there, though a core is pinned',
    { connect: { 'http-status:503': 98 }, walls: walls('corePinned') },
  ],
  ['refused', 'the protocol refused', { connect: { 'rejected:unauthorized': 98, 'connect-timeout': 7 } }],
  ['refused', 'it closed before it confirmed', { connect: { 'close-code:1013': 98, 'connect-timeout': 7 } }],

  [
    'acceptOverflow',
    'connections were dropped, beside a pinned core',
    { connect: deaf, walls: walls('corePinned', 'acceptOverflow') },
  ],
  ['corePinned', 'one core of it was busy', { connect: deaf, walls: walls('corePinned') }],
  [
    'corePinned',
    'its core was busy, and so was the rig',
    { connect: deaf, walls: walls('corePinned'), results: [shard(0, 911, 0.97)] },
  ],

  ['rigSaturated', 'a worker was busy', { connect: deaf, results: [shard(0, 452), shard(1, 459, 0.91)] }],
  ['handshakeTimeouts', 'no worker was that busy', { connect: deaf, results: [shard(0, 452), shard(1, 459, 0.9)] }],
])('the stop is %s when %s', (code, _when, seen) => {
  expect(stopFor(seen).code).toBe(code);
  expect(stopFor(seen, connect).code).toBe(code);
});

it('the stop is told with the counts, the causes, and what was seen', () => {
  expect(stopFor({ connect: { reset: 3, 'connect-timeout': 95 }, walls: walls('corePinned') })).toEqual({
    code: 'corePinned',
    evidence: ['1009 asked, 911 opened, 911 held', naming('connect-timeout × 95', 'reset × 3'), naming('corePinned')],
  });
  expect(stopFor({ results: [shard(0, 452, 0.97)] }).evidence).toEqual([
    '1009 asked, 911 opened, 911 held',
    naming('shard 0', 'worker 0', '97 %'),
  ]);
  expect(stopFor({ opened: asked }).evidence).toEqual([]);
  expect(stopFor({ opened: asked, open: 1002, held: 991, close: { reset: 2, 'end-of-stream': 5 } })).toEqual({
    code: 'connectionsLost',
    evidence: [
      '1009 asked, 1009 opened, 991 held',
      naming('cut', 'end-of-stream × 5', 'reset × 2'),
      naming('probe', 11),
    ],
  });
});

it('the stop is a target that is gone, with its observed memory, as the kernel may have killed it', () => {
  const end = { code: 'targetGone' as const, evidence: ['signal SIGKILL'] };
  const collected = { ...nothing, counts: { asked } };
  for (const scenario of [idle, latency]) {
    expect(stopOf(scenario, end, collected, {}, walls('corePinned', 'memoryWall'))).toEqual({
      code: 'targetGone',
      evidence: ['signal SIGKILL', 'signs of memoryWall'],
    });
  }
  const cut = { open: 0, close: { reset: 911 }, connect: { 'connect-refused': 98 } };
  expect(stopFor({ ...cut, walls: walls('memoryWall') })).toMatchObject({
    code: 'targetGone',
    evidence: expect.arrayContaining(['signs of memoryWall']),
  });
});

it('the stop is what the driver saw, before all of it', () => {
  const end = { code: 'targetGone' as const, evidence: ['signal SIGKILL'] };
  const collected = { ...nothing, counts: { asked } };
  expect(stopOf(idle, end, collected, {}, walls('acceptOverflow', 'corePinned'))).toEqual(end);
  const interrupted = { code: 'interrupted' as const, evidence: ['ended by the user'] };
  expect(stopOf(idle, interrupted, collected, {}, walls('memoryWall'))).toBe(interrupted);
  expect(stopOf(latency, undefined, collected, { delivered: 7 }, walls('memoryWall')).code).toBe('completed');
});

const findings = stopCodes.filter((code) => 'isFinding' in stopReasons[code]);
const exit = (code: StopCode, scenario: Scenario, rig: 'clean' | 'limited' = 'clean') =>
  runExit({ stop: { code, evidence: [] }, verdict: { rig, evidence: [] }, thresholds: [] }, scenario, false);

it('the findings of a search for a wall are these', () => {
  expect(findings.sort()).toEqual([
    'acceptOverflow',
    'connectionsLost',
    'corePinned',
    'handshakeTimeouts',
    'memoryWall',
    'refused',
    'targetDescriptors',
  ]);
});

it.each(findings)('%s is the finding of a run that looks for it, and cuts any other short', (code) => {
  const stop = { code, evidence: [] };
  for (const scenario of [idle, connect]) {
    expect([cutShortBy(stop, scenario), exit(code, scenario), exit(code, scenario, 'limited')]).toEqual([
      undefined,
      'clean',
      'rig',
    ]);
  }
  expect([cutShortBy(stop, latency), exit(code, latency)]).toEqual([stopReasons[code].title, 'rig']);
});

it.each(stopCodes.filter((code) => !stopReasons[code].isComplete && !findings.includes(code)))(
  '%s is no finding, and ends every run by its own exit code',
  (code) => {
    for (const scenario of [idle, connect, latency]) {
      const title = standsShort(code) ? undefined : stopReasons[code].title;
      expect(cutShortBy({ code, evidence: [] }, scenario)).toBe(title);
      expect(exit(code, scenario)).toBe(stopReasons[code].exit);
    }
  },
);
