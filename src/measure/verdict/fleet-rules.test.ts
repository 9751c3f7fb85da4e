import { run, withShards, worker } from '../../../test/doubles/golden-facts.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import { fleetRules } from './fleet-rules.js';

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
  'rig-paused': {
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
