import { expect, it } from 'vitest';
import { drilled } from '../../../test/drilled.js';
import { expectGolden } from '../../../test/golden.js';
import { problem } from '../../contract/problems.js';
import { thisTool, version } from '../../contract/version.js';
import { resultVersion } from '../../results/result.js';
import { mostClients, mostDeliveries } from './capacity.js';
import { drillExit, judgeDrill, type WholeDrill } from './judge.js';
import { renderDrill } from './print.js';
import type { ShardDrill } from './schema.js';

const elsewhere = { host: undefined, prefersNative: false };

interface Asked {
  columns?: number;
  engine?: string;
}

function text(
  shards: ShardDrill[],
  { columns = 120, engine = 'js', ...more }: Asked & Partial<WholeDrill> = {},
): string {
  const { absent = [], driverStepsMs = [] } = more;
  const findings = judgeDrill(shards, { absent, driverStepsMs });
  const there = shards.filter(({ lost }) => lost === undefined);
  const found = {
    ...({ schema: resultVersion, tool: thisTool, startedAt: '2026-11-23T09:40:15.682Z', elapsedMs: 23_011 } as const),
    ...{ isReady: drillExit(findings) === 'clean', engine, shards, findings },
    absent: absent.map(({ url }) => url),
    carries: { ...mostClients(there, elsewhere), ...mostDeliveries(there) },
  };
  return renderDrill(found, { isColored: false, columns });
}

it('names the engines that `auto` finds', () => {
  const [native, js] = [drilled({ engine: { name: 'native' } }), drilled({ engine: { name: 'js' } })];
  const titleOf = (shards: ShardDrill[]) => text(shards, { engine: 'auto' }).split('\n')[0];
  expect(titleOf([native, native])).toBe('drill  2 shards, 23 s, native engine');
  expect(titleOf([native, js])).toBe('drill  2 shards, 23 s, js and native engine');
});

it('says what a fleet can carry, in its golden file', async () => {
  const of = (name: string, more: Partial<ShardDrill> = {}) =>
    drilled({ version, url: `https://${name}.example.com`, clockId: name, ...more });
  const [one, two, three] = [of('one'), of('two'), of('three')];
  const { clock, cpu, loop, link, limits } = one;
  const silent = 'https://two.example.com did not answer (connection refused)';
  const weak = { ...cpu, quotaCores: 0.2, throttledShare: 0.31, coreWaitShare: 0.53 };
  const slow = { ...loop, perSecondOfLoop: 30_000, freeCores: 0.2, perSecond: 6000 } as ShardDrill['loop'];
  const notAllowed = {
    isMeasured: false as const,
    isAllowed: false,
    why: 'its own loopback is not among the allowed targets: *.internal',
  };
  await expectGolden('drill.txt', {
    'a fleet that is ready': text([one, two, three]),
    'one shard in a narrow terminal': text([one], { columns: 80 }),
    'one shard in a very narrow terminal': text([one], { columns: 60 }),
    'a slow shard of three': text([one, of('two', { cpu: weak, loop: slow }), three]),
    'loopback is not allowed': text([of('one', { loop: notAllowed }), of('two', { loop: notAllowed })]),
    'clocks and links that are off': text(
      [
        of('one', { clock: { ...clock!, offsetMs: -61_003, stepsMs: [-2003] } }),
        of('two', { clock: { ...clock!, drift: { ppm: 701, uncertaintyPpm: 31, overMs: 20_011 } } }),
        of('three', { roundTrip: { medianMs: 601, worstMs: 2503, asked: 42 } }),
        of('four', { link: { ...link, bytesPerSecond: 307_000, lost: 97 } }),
      ],
      { driverStepsMs: [307] },
    ),
    'what differs': text([one, of('two', { version: '0.0.7', engine: { name: 'native' } })]),
    'a path that loses': text([
      of('one', { path: { isMeasured: true, lateShare: 0, lost: 0, segments: 1130, tcp: '' } }),
      of('two', {
        path: {
          isMeasured: true,
          lateShare: 0.02,
          lost: 7,
          segments: 1130,
          tcp: '7 of 601 segments received out of order',
        },
      }),
    ]),
    'a target that is not there': text([of('one', { path: { isMeasured: false, why: 'the target refused' } })]),
    'a shard was lost': text([one, of('two', { lost: 'https://two.example.com did not answer (no answer in time)' })]),
    'a shard is silent from the start': text([one, three], {
      absent: [{ url: 'https://two.example.com', problem: problem('shardUnreachable', silent) }],
    }),
    'every shard was lost': text([
      of('one', {
        ...{ lost: 'https://one.example.com did not answer (connection refused)', clock: null, roundTrip: null },
        ...{ link: { bytes: 0, bytesPerSecond: 0, lost: null, segments: null }, loop: notAllowed },
      }),
    ]),
    'deliveries were lost': text([of('one', { loop: { ...loop, delivered: 14_993 } as ShardDrill['loop'] })]),
    'nothing limits the clients': text([
      of('one', { limits: { ...limits, clients: 1e9, descriptors: null, descriptorsUsed: null, sourcePorts: null } }),
    ]),
    'connections are tracked': text([
      of('one', { limits: { ...limits, connectionTracking: { tracked: 7, most: 2003 }, memoryAvailableBytes: 7e9 } }),
    ]),
  });
});
