import { describe, expect, it } from 'vitest';
import { books, owed, run, sizes, sound, whispering } from '../../../test/runs/whisper.js';
import { keptResult } from '../../../test/workplace.js';

describe.concurrent('whispers of our targets', () => {
  it('over several processes: members of a room are at different ones', async () => {
    const result = sound(keptResult(await run(['--target', 'uws', ...sizes, '--target-processes', '3'])));
    expect(result.ledger).toMatchObject(books);
  });
});

describe.concurrent('whispers of a target that does wrong by a known rule', () => {
  it.each([1, 3])('are found out to the last by %i shard(s)', async (shards) => {
    const { flags, counted } = await whispering((n) => (n % 7 === 6 ? 0 : n % 5 === 4 ? 3 : 1));
    const drained = ['--drain', '5s', '--local-shards', String(shards)];
    const result = sound(keptResult(await run([...flags, ...sizes, ...drained])));
    const { dropped = 0, doubled = 0 } = counted;
    expect(dropped * doubled).toBeGreaterThan(0);
    const spoilt = { delivered: owed - dropped, lost: dropped, duplicate: doubled };
    expect(result.ledger).toMatchObject({ ...books, ...spoilt });
  });
});
