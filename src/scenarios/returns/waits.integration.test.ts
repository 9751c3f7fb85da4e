import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { keptDirectory, keptResult, workplace } from '../../../test/workplace.js';
import { decodeSamples } from '../../measure/samples/sample-body.js';
import { sampleFile } from '../../results/store.js';
import { backoffDelayMs, defaultBackoff } from './backoff.js';

const place = workplace();
const anycableGo = process.env.ANYCABLE_GO_BIN;
const clients = 23;
const seed = 7;

/** Every wait that a client can draw in such a run, in whole microseconds, with who draws it for which attempt. */
const drawable = new Map(
  Array.from({ length: clients * 12 }, (_, n): [number, [client: number, attempt: number]] => {
    const [client, attempt] = [n % clients, Math.floor(n / clients)];
    return [Math.floor(backoffDelayMs({ seed, ...defaultBackoff }, client, attempt) * 1000), [client, attempt]];
  }),
);

/**
 * Restarts a target of ours under its clients: whatever cut them, they waited as the seed says, from the first wait on.
 */
async function holds(target: string, client: string, by: string): Promise<void> {
  const sizes = { target, client, by, seed, subscribers: clients, calm: 3, rate: '10/s', deadline: '60s' };
  const flags = Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const ended = await place.run(['run', 'avalanche', ...flags], { ANYCABLE_GO_BIN: anycableGo });
  const { ledger, verdict } = keptResult(ended);
  const books = ledger as Record<string, number>;
  const { attempts, cutAgain = 0, returns = 0, failedAttempts = 0 } = books;
  expect(verdict.evidence.filter(({ rule }) => rule === 'ledger-broken')).toEqual([]);
  expect(books).toMatchObject({ cut: clients, proven: clients, notBack: 0, underWay: 0 });
  expect(attempts).toBe(returns + failedAttempts);
  const waits = valuesOf(decodeSamples(readFileSync(join(keptDirectory(ended), sampleFile('wait')))));
  expect(waits).toHaveLength(clients + cutAgain + failedAttempts);
  const drawn = waits.map((us) => drawable.get(us)?.join());
  expect(drawn).not.toContain(undefined);
  for (const each of new Set(drawn)) {
    const [who, attempt] = (each as string).split(',').map(Number) as [number, number];
    if (attempt > 0) expect(drawn).toContain(`${who},${attempt - 1}`);
  }
  expect(drawn.filter((each) => each?.endsWith(',0')).length).toBeGreaterThanOrEqual(clients);
}

describe.concurrent('who is cut waits as the seed says', () => {
  it.each([
    ['ws', 'wire', 'term'],
    ['uws', 'library', 'kill'],
    ['socketio', 'library', 'term'],
    ['socketio-csr', 'wire', 'kill'],
    ['metronome', 'library', 'term'],
    ['metronome-socketio', 'wire', 'term'],
    ['metronome-anycable', 'library', 'kill'],
  ])('before %s, by %s, ended by %s', async (target, client, by) => holds(target, client, by));

  it.skipIf(anycableGo === undefined).each([
    ['wire', 'term'],
    ['library', 'term'],
    ['wire', 'kill'],
    ['library', 'kill'],
  ])('by %s of AnyCable, by %s (a real one, where ANYCABLE_GO_BIN names it)', async (client, by) =>
    holds('anycable', client, by),
  );
});
