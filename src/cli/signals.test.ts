import { afterEach, expect, it, vi } from 'vitest';
import { onSignals } from './signals.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('takes signals within a second of the first for the same press', () => {
  vi.useFakeTimers();
  const on = vi.spyOn(process, 'on').mockReturnThis();
  const [end, again] = [vi.fn(), vi.fn()];
  onSignals(end, again);
  const [interrupted, terminated] = on.mock.calls.map(([, listener]) => listener);
  interrupted?.('SIGINT');
  vi.advanceTimersByTime(990);
  terminated?.('SIGTERM');
  // One that waited while the loop was busy is read behind the timer, and before its immediate.
  vi.advanceTimersByTime(10);
  terminated?.('SIGTERM');
  expect([end.mock.calls, again.mock.calls]).toEqual([[['SIGINT']], []]);
  vi.advanceTimersByTime(20);
  interrupted?.('SIGINT');
  expect([end.mock.calls, again.mock.calls]).toEqual([[['SIGINT']], [['SIGINT']]]);
});
