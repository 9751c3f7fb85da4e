import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { decodeSamples } from '../../src/measure/samples/encoding.js';
import { sampleFile } from '../../src/results/store.js';
import { backoffDelayMs, defaultBackoff } from '../../src/scenarios/roster/returning.js';
import { valuesOf } from '../stage/worker-on-stage.js';
import { keptDirectory, keptResult, workplace } from '../workplace.js';

const place = workplace();
export const anycableGo = process.env.ANYCABLE_GO_BIN;
const clients = 23;
const seed = 7;

/** Every wait that such a run can draw, in whole microseconds, with its client and attempt. */
const drawable = new Map(
  Array.from({ length: clients * 12 }, (_, n): [number, [client: number, attempt: number]] => {
    const [client, attempt] = [n % clients, Math.floor(n / clients)];
    return [Math.floor(backoffDelayMs({ seed, ...defaultBackoff }, client, attempt) * 1000), [client, attempt]];
  }),
);

/** Restarts a managed target under its clients, and checks that the seed drew their waits, from the first on. */
export async function waitsAsSeeded(target: string, client: string, by: string): Promise<void> {
  const sizes = { target, client, by, seed, clients, calm: 3, rate: '10/s', deadline: '60s' };
  const flags = Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const ended = await place.measure(['run', 'avalanche', ...flags], 1, { ANYCABLE_GO_BIN: anycableGo });
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
