import { describe, expect, it } from 'vitest';
import { connect, made, parts } from '../../test/runs/connect.js';
import { keptResult } from '../../test/workplace.js';

describe.concurrent('connections that are made', () => {
  it('as fast as a bound of handshakes under way allows, whatever the rate', async () => {
    const ended = await connect(['--target', 'ws', '--clients', '211', '--rate', '1/s', '--concurrency', '7']);
    const result = keptResult(ended);
    expect(result.ledger).toMatchObject(made(211));
    expect(parts.map((name) => result.metrics[name]?.count)).toEqual([211, 211, 211, 211]);
    const perSecond = result.shards[0]?.result?.counts.establishedPerSecond ?? 0;
    // By Little's law, rate × time is how many were under way: all of the bound but for the first and the last.
    expect((perSecond * (result.metrics.handshake?.mean ?? 0)) / 1e6).toBeGreaterThan(3.5);
    // At the rate they would take 210 seconds.
    expect(211 / perSecond).toBeLessThan(60);
  });

  it('by a real library, which does not show TCP apart', async () => {
    const ended = await connect([
      ...['--target', 'socketio', '--client', 'library', '--clients', '31', '--rate', '101/s'],
    ]);
    const result = keptResult(ended);
    expect(result.ledger).toMatchObject(made(31));
    expect(parts.map((name) => result.metrics[name]?.count)).toEqual([31, 0, 31, 31]);
  });
});
