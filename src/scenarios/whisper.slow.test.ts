import { describe, expect, it } from 'vitest';
import { anycableGo, books, foundOut, run, sendsEach, sizes, sound } from '../../test/runs/whisper.js';
import { keptResult } from '../../test/workplace.js';

describe.concurrent('whispers of our targets', () => {
  const metronomes = ['metronome', 'metronome-socketio', 'metronome-anycable', 'metronome-pusher'];
  const targets = ['ws', 'uws', 'socketio', 'socketio-csr', ...metronomes];
  it.each(targets)('%s: each reaches all others in its room, over two shards with two workers each', async (target) => {
    const result = sound(keptResult(await run(['--target', target, ...sizes, '--workers', '2'], 2)));
    expect(result.ledger).toMatchObject(books);
    // Shards have 17 and 16 clients. The border cuts a room of five, into 2 + 3.
    expect(result.ledger.untimed).toBe(2 * 2 * 3 * sendsEach);
  });

  it.each(['ws', 'socketio', 'metronome-anycable', 'metronome-pusher'])(
    '%s: by its real library, too',
    async (target) => {
      const result = sound(
        keptResult(await run(['--target', target, ...sizes, '--client', 'library', '--workers', '1'])),
      );
      expect(result.ledger).toMatchObject({ ...books, untimed: 0 });
    },
  );

  it.runIf(anycableGo !== undefined).each(['wire', 'library'])(
    'anycable: on its public streams, %s',
    async (client) => {
      const flags = ['--target', 'anycable', ...sizes, '--client', client];
      expect(sound(keptResult(await run(flags, 1, { ANYCABLE_GO_BIN: anycableGo }))).ledger).toMatchObject(books);
    },
  );
});

it('whispers of a target that does wrong by a known rule are found out to the last by one shard', () => foundOut(1));
