import { beforeEach, expect, test } from 'vitest';
import { RecordingEvents } from '../recorders.js';
import { Lifetimes } from './lifetimes.js';

let events: RecordingEvents;
let lifetimes: Lifetimes;

beforeEach(() => {
  events = new RecordingEvents();
  lifetimes = new Lifetimes(events, 3);
});

test('an attempt that fails is told once, however often the library retries', () => {
  lifetimes.started(1);
  lifetimes.ended(1, 'connect-refused');
  lifetimes.attempted(1);
  lifetimes.ended(1, 'connect-refused');
  expect(events.lines).toEqual(['1 closed connect-refused false']);
});

test('a library that comes back by itself is told as opened again', () => {
  lifetimes.started(2);
  lifetimes.opened(2);
  lifetimes.opened(2);
  lifetimes.ended(2, 'reset');
  lifetimes.ended(2, 'end-of-stream');
  lifetimes.opened(2);
  expect(events.lines).toEqual(['2 opened', '2 closed reset true', '2 opened']);
});

test('opening a client that is open changes nothing', () => {
  expect(lifetimes.started(2)).toBe(true);
  lifetimes.opened(2);
  expect(lifetimes.started(2)).toBe(false);
  lifetimes.ended(2, 'reset');
  expect(events.lines).toEqual(['2 opened', '2 closed reset true']);
});

test('a dropped client ends by us, and only that once', () => {
  lifetimes.started(0);
  lifetimes.opened(0);
  lifetimes.dropping(0);
  lifetimes.ended(0, 'close-code:1005');
  lifetimes.opened(0);
  lifetimes.ended(0, 'reset');
  expect(events.lines.filter((line) => line.includes('closed'))).toEqual(['0 closed ours true', '0 closed reset true']);
});

test('after dispose nothing is told', () => {
  lifetimes.started(0);
  lifetimes.dispose();
  lifetimes.opened(0);
  lifetimes.ended(0, 'reset');
  expect(lifetimes.isOver).toBe(true);
  expect(events.lines).toEqual([]);
});
