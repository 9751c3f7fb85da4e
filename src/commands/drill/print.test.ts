import { expect, it } from 'vitest';
import { drilled, drilledCost } from '../../../test/drilled.js';
import { expectGolden } from '../../../test/golden.js';
import { problem } from '../../contract/problems.js';
import { thisTool, version } from '../../contract/version.js';
import { terminalText } from '../../render/document/terminal.js';
import { resultVersion } from '../../results/result.js';
import { loopCapacity, mostClients, mostDeliveries } from './capacity.js';
import { type AbsentShard, drillExit, judgeDrill, type ShardDrill } from './findings.js';
import { drillDocument } from './print.js';

const elsewhere = { host: undefined, prefersNative: false };

interface Asked {
  columns?: number;
  engine?: string;
  absent?: AbsentShard[];
}

function text(shards: ShardDrill[], { columns = 120, engine = 'js', absent = [] }: Asked = {}): string {
  const findings = judgeDrill(shards, absent);
  const there = shards.filter(({ lost }) => lost === undefined);
  const found = {
    ...({ schema: resultVersion, tool: thisTool, startedAt: '2026-11-23T09:40:15.682Z', elapsedMs: 23_011 } as const),
    ...{ isReady: drillExit(findings) === 'clean', engine, shards, findings },
    absent: absent.map(({ url }) => url),
    carries: { ...mostClients(there, elsewhere), ...mostDeliveries(there) },
  };
  return terminalText(drillDocument(found), { isColored: false, columns });
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
  const { loop, limits } = one;
  const silent = 'https://two.example.com did not answer (connection refused)';
  const weak = { ...drilledCost, quotaCores: 0.2 };
  const slow = { ...weak, ...loopCapacity(weak, 2, { machine: 1, quota: 1 }) };
  const notAllowed = {
    isMeasured: false as const,
    isAllowed: false,
    why: 'its own loopback is not among the allowed targets: *.internal',
  };
  await expectGolden('drill.txt', {
    'a fleet that is ready': text([one, two, three]),
    'one shard in a narrow terminal': text([one], { columns: 80 }),
    'one shard in a very narrow terminal': text([one], { columns: 60 }),
    'a slow shard of three': text([one, of('two', { loop: slow }), three]),
    'loopback is not allowed': text([of('one', { loop: notAllowed }), of('two', { loop: notAllowed })]),
    'a clock that is off': text([of('one', { clock: { offsetMs: -61_003, uncertaintyMs: 1.307 } }), two]),
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
        loop: notAllowed,
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
