import { vi } from 'vitest';

/**
 * Timers that the global function sets from now on, and that have neither run nor been cleared, until mocks are
 * restored. The test runner sets its own by another function.
 */
export function pendingTimers(): ReadonlySet<unknown> {
  const pending = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    const timer = set(() => {
      pending.delete(timer);
      run();
    }, ms);
    pending.add(timer);
    return timer;
  }) as typeof setTimeout);
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    pending.delete(timer);
    clear(timer);
  });
  return pending;
}
