import { describe, expect, it } from 'vitest';
import { nativeAddon } from '../../test/doubles/engines.js';
import { clean, foundOut, run, sizes, sound } from '../../test/runs/echo.js';
import { keptResult } from '../../test/workplace.js';

describe.concurrent('echoes of our targets', () => {
  const targets = ['ws', 'uws', 'socketio', 'socketio-csr', 'metronome', 'metronome-socketio'];
  it.each(targets)('%s: every client gets back all that it sent', async (target) => {
    const result = sound(keptResult(await run(['--target', target, ...sizes, '--workers', '2'], 2)));
    expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 });
    const { roundTripFromIntended, sendLag, firstEcho } = result.metrics;
    expect([roundTripFromIntended?.count, sendLag?.count, firstEcho?.count]).toEqual([310, 310, 31]);
  });

  it.each(['ws', 'socketio'])('%s: by its real library, too', async (target) => {
    const result = sound(keptResult(await run(['--target', target, ...sizes, '--client', 'library'])));
    expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 });
  });

  it('over several processes: each client has its own', async () => {
    const result = sound(keptResult(await run(['--target', 'uws', ...sizes, '--target-processes', '2'])));
    expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 });
  });
});

it('echoes of a target that does wrong by a known rule are found out to the last by one shard', () => foundOut(1));

describe.skipIf(nativeAddon === undefined).concurrent('echoes that leave natively', () => {
  it('are found out to the last before a target that does wrong by a known rule', async () => {
    const { metrics, environment } = await foundOut(1, ['--engine', 'native', '--workers', '2']);
    expect(metrics.sendLag?.count).toBe(310);
    expect(metrics.sendLag?.min).toBeGreaterThanOrEqual(0);
    expect(environment.offeredPerSecond).not.toBeNull();
  });
});
