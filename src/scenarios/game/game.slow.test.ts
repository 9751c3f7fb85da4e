import { expect, it } from 'vitest';
import { keptResult, workplace } from '../../../test/workplace.js';

const place = workplace();

it('players of two shards play in the same rooms, and every key reaches everybody', async () => {
  const flags = ['--stages', '3s:17,8s:17', '--drain', '2s'];
  const ended = await place.measureWhole(['run', 'game', '--target', 'socketio', ...flags], 2);
  const { ledger, stop, verdict, metrics } = keptResult(ended);
  expect(stop).toEqual({ code: 'completed', evidence: [] });
  expect(verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
  expect(ledger).toMatchObject({
    arrivals: 17,
    playersStayed: 17,
    playersCut: 0,
    arrivalsFailed: 0,
    lost: 0,
    duplicate: 0,
    stray: 0,
  });
  expect(ledger.delivered).toBe(ledger.expected);
  expect(ledger.untimed).toBeGreaterThan(0);
  expect(ledger.unanswered).toBe(0);
  expect(metrics.ping?.count).toBe(ledger.answered);
  expect(metrics.delivery?.count).toBe(Number(ledger.delivered) - Number(ledger.untimed));
});

it('the real library plays the same game', async () => {
  const flags = ['--stages', '1s:5,8s:5', '--drain', '2s', '--client', 'library'];
  const ended = await place.measureWhole(['run', 'game', '--target', 'socketio', ...flags], 1);
  const { ledger, verdict } = keptResult(ended);
  expect(verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
  expect(ledger).toMatchObject({ playersStayed: 5, arrivalsFailed: 0, lost: 0, duplicate: 0, unanswered: 0 });
  expect(ledger.typed).toBeGreaterThan(0);
});
