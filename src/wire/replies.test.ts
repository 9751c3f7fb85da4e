import { expect, test } from 'vitest';
import { Pings } from './replies.js';

test('a pong answers the last ping of its client, once', () => {
  const pings = new Pings();
  const [first, second, other] = [pings.payload(1), pings.payload(1), pings.payload(2)];
  expect(pings.isAnswer(1, first)).toBe(false);
  expect(pings.isAnswer(1, other)).toBe(false);
  expect(pings.isAnswer(1, new Uint8Array())).toBe(false);
  expect(pings.isAnswer(1, second)).toBe(true);
  expect(pings.isAnswer(1, second)).toBe(false);
});

test('nothing answers the ping of a connection before', () => {
  const pings = new Pings();
  const payload = pings.payload(3);
  pings.forget(3);
  expect(pings.isAnswer(3, payload)).toBe(false);
});

test('a payload fits a ping', () => {
  expect(new Pings().payload(0).length).toBeLessThanOrEqual(125);
});
