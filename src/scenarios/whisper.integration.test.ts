import { describe, expect, it } from 'vitest';
import { books, foundOut, run, sizes, sound } from '../../test/runs/whisper.js';
import { keptResult } from '../../test/workplace.js';

describe.concurrent('whispers', () => {
  it('of a target of several processes: members of a room are at different ones', async () => {
    const result = sound(keptResult(await run(['--target', 'uws', ...sizes, '--target-processes', '3'])));
    expect(result.ledger).toMatchObject(books);
  });

  it('of a target that does wrong by a known rule are found out to the last by 3 shards', () => foundOut(3));
});
