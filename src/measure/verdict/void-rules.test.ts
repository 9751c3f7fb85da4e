import { run, shard, withLedger, withShards, withTimed } from '../../../test/doubles/golden-facts.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import { voidRules } from './run-rules.js';

holdPairs(voidRules, {
  'cut-short': { speaks: [run({ cutShortBy: 'target process gone' })], silent: [run()] },
  'work-missing': {
    speaks: [
      // A worker that vanished took its clients with it.
      withShards({ asked: 51 }, {}),
      withLedger({ attempted: 105 }),
      withLedger({ attempted: 107 }),
    ],
    silent: [
      run(),
      run({ ledger: { ...run().ledger, attempted: 7 }, demanded: { clients: 202, broadcasts: null } }),
      run({ ledger: { ...run().ledger, attempted: 7 }, cutShortBy: 'interrupted' }),
    ],
  },
  'ledger-broken': { speaks: [run({ ledgerBreaks: ['attempted 7 is not 5'] })], silent: [run()] },
  'nothing-connected': {
    speaks: [withShards({ ready: 0 }, { ready: 0 }), run({ shards: [] })],
    silent: [
      withShards({ ready: 0 }, { ready: 1 }),
      // What a lost shard had is not known, be it all of them.
      run({ shards: [], lostShards: 2 }),
      run({ shards: [shard(0, { ready: 0 })], lostShards: 1 }),
    ],
  },
  'nothing-published': {
    speaks: [withLedger({ acked: 0 })],
    silent: [withLedger({ acked: 1 }), run({ ledger: { attempted: 0, acked: 0 }, lostShards: 1 })],
  },
  'nothing-delivered': { speaks: [run({ nothingDelivered: '0 delivered, 21,412 lost' })], silent: [run()] },
  'delivery-over-100': {
    speaks: [withLedger({ delivered: 21_413 })],
    silent: [withLedger({ delivered: 21_412 })],
  },
  'clock-fault': { speaks: [run({ clockFaults: 1 })], silent: [run({ clockFaults: 0 })] },
  'clock-id': {
    speaks: [
      withShards({}, { clockId: 'boot-13/time:[11]' }),
      // 2 × 53 × 101 of their own.
      withTimed(10_707),
      withTimed(1, { published: 0 }, { ready: 0 }),
    ],
    silent: [
      withTimed(10_706),
      withTimed(0, { ready: 0 }, { ready: 0 }),
      withShards({}, { clockIdBefore: null }),
      // Machines of a fleet have a clock each.
      withShards({}, { clockId: 'boot-13/time:[11]', clockIdBefore: 'boot-13/time:[11]' }),
      run({ metrics: {} }),
    ],
  },
  'silent-shard': {
    speaks: [
      withShards({}, { received: 0 }),
      withShards({}, { published: 0 }),
      // Fewer broadcasts than shards, and this one was dealt the one.
      run({
        ledger: { attempted: 0, acked: 0, expected: 0, delivered: 0 },
        shards: [
          shard(0, { published: 0, dealt: { clients: 101, broadcasts: 0 } }),
          shard(1, { published: 0, dealt: { clients: 101, broadcasts: 1 } }),
        ],
      }),
      // Clients that send by themselves: as many as a shard has clients, at least.
      withShards({}, { published: 0, dealt: { clients: 101, broadcasts: null } }),
    ],
    silent: [
      withShards({}, { received: 1 }),
      withShards({}, { ready: 0, received: 0 }),
      // One broadcast over two shards: one has none to send.
      run({
        ledger: { attempted: 1, acked: 1, expected: 202, delivered: 202 },
        shards: [shard(0), shard(1, { published: 0, dealt: { clients: 101, broadcasts: 0 } })],
      }),
      // A shard without clients, where clients send.
      withShards({}, { ready: 0, received: 0, published: 0, dealt: { clients: 0, broadcasts: null } }),
      // Cut short before its turn came.
      run({
        cutShortBy: 'interrupted',
        ledger: { attempted: 1, acked: 1, expected: 202, delivered: 202 },
        shards: [shard(0), shard(1, { published: 0 })],
      }),
      // Nobody got anything: that is the target's.
      run({
        ledger: { ...run().ledger, delivered: 0 },
        shards: [shard(0, { received: 0 }), shard(1, { received: 0 })],
      }),
    ],
  },
  'elapsed-overrun': { speaks: [run({ elapsedMs: 20_001 })], silent: [run({ elapsedMs: 20_000 })] },
});
