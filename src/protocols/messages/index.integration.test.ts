import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nativeAddon } from '../../../test/doubles/engines.js';
import { recordOf } from '../../../test/known-truth.js';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();

const orders = ['--drop=0.14', '--duplicate=0.2', '--delay=constant:43ms', '--seed=7'];

const posted = (port: number): string =>
  `{ post: "http://127.0.0.1:${port}/_broadcast", json: { stream: "{stream}", data: '"{data}"' } }`;
const sent = (): string =>
  String.raw`{ send: '{"type":"broadcast","stream":"{stream}","data":"\"{data}\""}', joins: false }`;

/** Checks that drops, duplicates and delays are found to the last delivery through a description. */
async function foundOut(publish: (port: number) => string, engine: string, shards: number): Promise<void> {
  const target = await place.serve('servers/metronome/main.js', orders);
  const file = join(place.folder, `described-${target.port}.yml`);
  const subscribe = `{ send: '{"type":"subscribe","stream":"{stream}"}', confirmed: '"subscribed"' }`;
  const messages = `messages:\n  subscribe: ${subscribe}\n  publish: ${publish(target.port)}\n`;
  writeFileSync(file, `name: described\ntargetUrl: ws://127.0.0.1:${target.port}/ws\n${messages}`);
  const flags = ['--target-file', file, '--engine', engine, ...latencyFlags(31, 23), '--drain', '2s'];
  const result = soundResult(await place.measureWhole(['run', 'latency', ...flags], shards));
  const { totals } = await recordOf(target, 3);
  expect(totals).toMatchObject({ broadcasts: 23, owed: 31 * 23, pending: 0, isWhole: true });
  expect(totals.dropped * totals.duplicated).toBeGreaterThan(0);
  expect(result.ledger).toMatchObject({
    ...{ attempted: 23, acked: 23, refused: 0, failed: 0, expected: 31 * 23, outOfOrder: 0, late: 0 },
    ...{ delivered: totals.delivered, lost: totals.dropped, duplicate: totals.duplicated },
  });
  expect([result.stop.code, result.target.protocol]).toEqual(['completed', 'messages']);
  expect(result.metrics.delivery?.min).toBeGreaterThanOrEqual(43_000);
}

describe.concurrent('a described server that does wrong by a known rule', () => {
  // Each engine, each way to publish and each number of shards once.
  const cases: [way: string, engine: string, shards: number, publish: (port: number) => string][] = [
    ['are posted', 'native', 3, posted],
    ['come from a client', 'js', 1, sent],
  ];
  const here = cases.filter(([, engine]) => engine === 'js' || nativeAddon !== undefined);
  it.each(here)('is found out where publishes %s (%s, %i shards)', (_way, engine, shards, publish) =>
    foundOut(publish, engine, shards),
  );
});
