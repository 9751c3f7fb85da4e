import { beforeEach, expect, test } from 'vitest';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { Lifetimes } from './lifetimes.js';

let events: RecordingEvents;
let lifetimes: Lifetimes;

beforeEach(() => {
  events = new RecordingEvents();
  lifetimes = new Lifetimes(events, 3);
});

test('an attempt that fails is told once, however often the library says it', () => {
  lifetimes.started(1);
  lifetimes.ended(1, 'connect-refused');
  lifetimes.ended(1, 'end-of-stream');
  lifetimes.started(1);
  lifetimes.ended(1, 'connect-refused');
  expect(events.lines).toEqual(['1 closed connect-refused false', '1 closed connect-refused false']);
});

test('what is open is told once, and so is its end', () => {
  lifetimes.started(2);
  lifetimes.opened(2);
  lifetimes.opened(2);
  lifetimes.ended(2, 'reset');
  lifetimes.ended(2, 'end-of-stream');
  expect(events.lines).toEqual(['2 opened', '2 closed reset true']);
});

test('nobody is open who was not to be opened', () => {
  lifetimes.opened(0);
  lifetimes.started(0);
  lifetimes.ended(0, 'ours');
  lifetimes.opened(0);
  expect(events.lines).toEqual(['0 closed ours false']);
});

test('after dispose nothing is told', () => {
  lifetimes.started(0);
  lifetimes.dispose();
  lifetimes.opened(0);
  lifetimes.ended(0, 'reset');
  expect(lifetimes.isOver).toBe(true);
  expect(events.lines).toEqual([]);
});
