import { run, shard, withLedger, withShards, withTimed, worker } from '../../../test/doubles/golden-facts.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import { fleetRules, voidRules } from './run-rules.js';

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

holdPairs(fleetRules, {
  'uniform-ceiling': {
    speaks: [
      withShards({ ready: 97 }, { ready: 97 }),
      withShards({ ready: 1 }, { ready: 1 }),
      // The target turned away clients of one alone.
      withShards({ ready: 97, refused: 4 }, { ready: 97 }),
    ],
    silent: [
      withShards({ ready: 97, refused: 4 }, { ready: 97, refused: 1 }),
      withShards({ ready: 0 }, { ready: 0 }),
      withShards({ ready: 97 }, { ready: 89 }),
      withShards({ ready: 100 }, { ready: 100 }),
      withShards({ ready: 97 }),
    ],
  },
  'schedule-missed': {
    speaks: [run({ achievedPerSecond: 9.79 }), run({ achievedPerSecond: 0 })],
    silent: [
      run({ achievedPerSecond: 9.81 }),
      run({ achievedPerSecond: null }),
      run({ offeredPerSecond: null }),
      // The target was away for half of the schedule.
      run({ achievedPerSecond: 5, unmetPerSecond: 4.9 }),
    ],
  },
  'loop-paused': {
    speaks: [
      withShards({}, { workers: [worker(), worker({ loopDelayP99Ms: 1001 })] }),
      withShards({}, { workers: [worker(), worker({ holdsSubscribers: false, loopDelayP99Ms: 1001 })] }),
    ],
    silent: [
      withShards({}, { workers: [worker(), worker({ loopDelayP99Ms: 1000 })] }),
      // Clients that only receive: their frames waited in the sockets, and the brackets say how long.
      withShards({}, { workers: [worker({ loopDelayP99Ms: 1001 }), worker({ holdsSubscribers: false })] }),
    ],
  },
  'publishes-withheld': { speaks: [run({ withheld: 1 })], silent: [run({ withheld: 0 })] },
  'descriptor-headroom': {
    speaks: [withShards({}, { descriptorsUsed: 901, descriptorLimit: 1000 })],
    silent: [
      withShards({}, { descriptorsUsed: 900, descriptorLimit: 1000 }),
      withShards({}, { descriptorsUsed: 900, descriptorLimit: null }),
      withShards({}, { descriptorsUsed: null, descriptorLimit: 1000 }),
    ],
  },
  'port-headroom': {
    speaks: [withShards({}, { timeWait: 901, sourcePorts: 1000 })],
    silent: [
      withShards({}, { timeWait: 900, sourcePorts: 1000 }),
      withShards({}, { timeWait: 900, sourcePorts: null }),
      withShards({}, { timeWait: null, sourcePorts: 1000 }),
    ],
  },
});
