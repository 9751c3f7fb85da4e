import { vi } from 'vitest';

/**
 * Timers that are set by the global function from now on and have neither run nor been cleared, until mocks are restored. Those of the test runner, which
 * keeps the function of its own, are not among them.
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
