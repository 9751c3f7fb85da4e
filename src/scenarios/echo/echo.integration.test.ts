import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { countNth } from '../../../test/latency.js';
import { clean, echoing, run, servers, sizes, sound } from '../../../test/runs/echo.js';
import { keptResult } from '../../../test/workplace.js';

describe.concurrent('echoes of our targets', () => {
  it('in a closed loop: one after the other, with no intended instant', async () => {
    // On an open schedule of one a second it would be 31.
    const result = sound(keptResult(await run(['--target', 'ws', ...sizes, '--rate', '1/s', '--loop', 'closed'])));
    expect(result.ledger).toMatchObject(clean);
    expect(result.ledger.sent).toBeGreaterThan(31);
    expect([result.metrics.roundTripFromIntended?.count, result.metrics.sendLag?.count]).toEqual([0, 0]);
    expect(result.environment.offeredPerSecond).toBeNull();
  });

  it('are not to be had of a protocol without them', async () => {
    const ended = await run(['--target', 'metronome-anycable', ...sizes]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('scenario echo needs "echo"');
  });
});

describe.concurrent('echoes of a target that does wrong by a known rule', () => {
  it.each([1, 3])('are found out to the last by %i shard(s)', async (shards) => {
    const target = await echoing((n) => (n % 7 === 6 ? 0 : n % 5 === 4 ? 3 : 1));
    const result = sound(
      keptResult(await run([...target, ...sizes, '--drain', '5s', '--local-shards', String(shards)])),
    );
    const lost = countNth(0, 310, 7);
    const duplicate = 2 * (countNth(0, 310, 5) - countNth(0, 310, 35));
    expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 - lost, lost, duplicate });
  });

  it('end the run before it begins, where there are none', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/ws' });
    servers.push(server);
    await once(server, 'listening');
    const at = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
    const ended = await run([
      ...['--target-url', at, '--protocol', 'ws-json', ...sizes, '--subscribe-timeout', '503ms'],
    ]);
    const result = keptResult(ended);
    expect(result.stop.code).toBe('handshakeTimeouts');
    expect(result.stop.evidence.join()).toContain('subscribe-timeout × 31');
    expect([ended.code, result.verdict.rig, result.ledger.sent]).toEqual([4, 'void', 0]);
  });
});
