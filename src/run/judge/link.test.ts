import { expect, it } from 'vitest';
import { goldenShard } from '../../../test/golden-result.js';
import { summarize } from '../../measure/samples/distribution.js';
import type { Samples } from '../../measure/samples/samples.js';
import { type TcpCounts, tcpNames } from '../../measure/tcp.js';
import type { ShardPart } from '../../results/result.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { linkFacts } from './compose.js';

const latency = scenarioByName('latency') as Scenario;
const delivery: Samples = { kind: 'raw', values: Uint32Array.from({ length: 1000 }, (_, at) => at + 1) };

/** What is known of a run of two shards that counted so in namespaces of theirs. */
function factsOf(...tcp: (Partial<TcpCounts> | undefined)[]) {
  const parts = tcp.map((more, index): ShardPart => {
    const whole = goldenShard(index);
    const counts = { ...(Object.fromEntries(tcpNames.map((name) => [name, 0])) as TcpCounts), ...more };
    const shard = { ...whole.rig.shard, ...(more && { tcp: { namespace: `net:[${index}]`, counts } }) };
    return { url: '', state: 'complete', why: '', result: { ...whole, rig: { ...whole.rig, shard } } };
  });
  const names = ['delivery', 'publishAck', 'publishInTarget', 'connect', 'publishLag'];
  const samples = Object.fromEntries(names.map((name) => [name, delivery]));
  return linkFacts(latency, parts, samples, { delivery: summarize(delivery) });
}

it('figures without their slowest share stand at the ranks below it', () => {
  const facts = factsOf({ dataSent: 300, sentAgain: 3 }, { dataSent: 200, sentAgain: 2 });
  expect(facts?.lateShare).toBeCloseTo(0.02);
  expect(facts?.least.delivery).toEqual({ p50: 480, p90: 880, p95: 930, p99: 970, p999: 979, max: 980 });
});

it('is of the metrics that the network is in: none of the rig, of the ramp, and of the target’s own clock', () => {
  expect(Object.keys(factsOf({ received: 500, outOfOrder: 5 })?.least ?? {})).toEqual(['delivery', 'publishAck']);
});

it('is nothing where nothing was lost, or nobody counted', () => {
  expect(factsOf({ dataSent: 500, received: 500 }, {})).toBeUndefined();
  expect(factsOf(undefined, undefined)).toBeUndefined();
});
