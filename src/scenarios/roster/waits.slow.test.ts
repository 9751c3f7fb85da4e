import { describe, it } from 'vitest';
import { anycableGo, waitsAsSeeded } from '../../../test/runs/waits.js';

describe.concurrent('clients that are cut wait as the seed says', () => {
  it.each([
    ['uws', 'library', 'kill'],
    ['socketio', 'library', 'term'],
    ['socketio-csr', 'wire', 'kill'],
    ['metronome', 'library', 'term'],
    ['metronome-socketio', 'wire', 'term'],
    ['metronome-anycable', 'library', 'kill'],
    ['metronome-pusher', 'wire', 'term'],
    ['metronome-pusher', 'library', 'kill'],
  ])('before %s, by %s, ended by %s', async (target, client, by) => waitsAsSeeded(target, client, by));

  it.skipIf(anycableGo === undefined).each([
    ['wire', 'term'],
    ['library', 'term'],
    ['wire', 'kill'],
    ['library', 'kill'],
  ])('by %s of AnyCable, by %s (a real one, where ANYCABLE_GO_BIN names it)', async (client, by) =>
    waitsAsSeeded('anycable', client, by),
  );
});
