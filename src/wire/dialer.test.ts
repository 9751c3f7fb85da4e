import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadlines } from './dialer.js';

const timeoutMs = 1009;
let due: string[];
let deadlines: Deadlines<string>;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  due = [];
  deadlines = new Deadlines(
    timeoutMs,
    (member: string) => due.push(member),
    () => Date.now() * 1e6,
  );
});

afterEach(() => {
  vi.useRealTimers();
});

it('gives every member the same time from its own start, by one timer', () => {
  deadlines.add('a');
  vi.advanceTimersByTime(307);
  deadlines.add('b');
  deadlines.add('c');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(timeoutMs - 308);
  expect(due).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(due).toEqual(['a']);
  vi.advanceTimersByTime(306);
  expect(due).toEqual(['a']);
  vi.advanceTimersByTime(1);
  expect(due).toEqual(['a', 'b', 'c']);
  expect(vi.getTimerCount()).toBe(0);
});

it('leaves deleted members alone and starts again after an empty time', () => {
  deadlines.add('a');
  deadlines.delete('a');
  vi.advanceTimersByTime(timeoutMs * 3);
  deadlines.add('b');
  vi.advanceTimersByTime(timeoutMs);
  expect(due).toEqual(['b']);
});

it('lets a due member be added again', () => {
  const again = new Deadlines<string>(
    timeoutMs,
    (member) => {
      due.push(member);
      if (due.length < 3) again.add(member);
    },
    () => Date.now() * 1e6,
  );
  again.add('a');
  vi.advanceTimersByTime(timeoutMs * 7);
  expect(due).toEqual(['a', 'a', 'a']);
  expect(vi.getTimerCount()).toBe(0);
});

it('gives back who was waiting when cleared, and runs no more', () => {
  deadlines.add('a');
  deadlines.add('b');
  expect(deadlines.clear()).toEqual(['a', 'b']);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(timeoutMs);
  expect(due).toEqual([]);
});
