import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { clean, foundOut, run, servers, sizes, sound } from '../../test/runs/echo.js';
import { keptResult } from '../../test/workplace.js';

describe.concurrent('echoes of our targets', () => {
  it('in a closed loop: one after the other, with no intended instant', async () => {
    // On an open schedule of one a second it would be 31.
    const result = sound(keptResult(await run(['--target', 'ws', ...sizes, '--rate', '1/s', '--loop', 'closed'])));
    expect(result.ledger).toMatchObject(clean);
    expect(result.ledger.sent).toBeGreaterThan(31);
    expect([result.metrics.roundTripFromIntended?.count, result.metrics.sendLag?.count]).toEqual([0, 0]);
    expect(result.environment.offeredPerSecond).toBeNull();
  });
});

describe.concurrent('echoes of a target that does wrong by a known rule', () => {
  it('are found out to the last by 3 shards', () => foundOut(3));

  it('end the run before it begins, where there are none', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/ws' });
    servers.push(server);
    await once(server, 'listening');
    const at = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
    const flags = ['--target-url', at, '--protocol', 'ws-json', '--subscribe-timeout', '503ms'];
    const ended = await run([...flags, ...sizes]);
    const result = keptResult(ended);
    expect(result.stop.code).toBe('handshakeTimeouts');
    expect(result.stop.evidence.join()).toContain('subscribe-timeout × 31');
    expect([ended.code, result.verdict.rig, result.ledger.sent]).toEqual([4, 'void', 0]);
  });
});
