import { describe, expect, it } from 'vitest';
import { connect, made, parts } from '../../../test/runs/connect.js';
import { keptResult } from '../../../test/workplace.js';

describe.concurrent('connections that are made', () => {
  it('as fast as a bound of handshakes under way allows, whatever the rate', async () => {
    const ended = await connect(['--target', 'ws', '--connections', '211', '--rate', '1/s', '--concurrency', '7']);
    const result = keptResult(ended);
    expect(result.ledger).toMatchObject(made(211));
    expect(parts.map((name) => result.metrics[name]?.count)).toEqual([211, 211, 211, 211]);
    // At one a second they would take 210 seconds.
    expect(result.environment.elapsedMs).toBeLessThan(210_000);
  });

  it('by a real library, which does not show TCP apart', async () => {
    const ended = await connect([
      ...['--target', 'socketio', '--client', 'library', '--connections', '31', '--rate', '101/s'],
    ]);
    const result = keptResult(ended);
    expect(result.ledger).toMatchObject(made(31));
    expect(parts.map((name) => result.metrics[name]?.count)).toEqual([31, 0, 31, 31]);
  });
});
