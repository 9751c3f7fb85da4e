import { describe, it } from 'vitest';
import { waitsAsSeeded } from '../../../test/runs/waits.js';

describe.concurrent('clients that are cut wait as the seed says', () => {
  it.each([
    ['ws', 'wire', 'term'],
    ['socketio', 'library', 'term'],
    ['metronome-anycable', 'library', 'kill'],
  ])('before %s, by %s, ended by %s', async (target, client, by) => waitsAsSeeded(target, client, by));
});
