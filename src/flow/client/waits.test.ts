import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Wait, Waits } from './waits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function waits() {
  const end = new AbortController();
  let resumed = 0;
  return { end, waits: new Waits(end.signal, () => resumed++), resumed: () => resumed };
}

it('a sleep ends by its timer, and says so right before', async () => {
  const { waits: own, resumed } = waits();
  const slept = own.sleep(700);
  vi.advanceTimersByTime(699);
  expect(resumed()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(resumed()).toBe(1);
  await slept;
  expect(vi.getTimerCount()).toBe(0);
});

it('all waits reject when the load ends, and those begun behind it', async () => {
  const { end, waits: own } = waits();
  const cleaned: string[] = [];
  const all = [own.sleep(1000), own.sleep(2000), own.wait(() => () => void cleaned.push('wait'))];
  end.abort();
  all.push(own.sleep(7));
  vi.advanceTimersByTime(1);
  for (const each of all) await expect(each).rejects.toMatchObject({ name: 'Left', cause: 'ended' });
  expect([vi.getTimerCount(), cleaned]).toEqual([0, ['wait']]);
});

it('a wait ends once, by its first call', async () => {
  const { end, waits: own, resumed } = waits();
  let held: Wait<number> | undefined;
  let cleaned = 0;
  const waited = own.wait<number>(
    (wait) => {
      held = wait;
      return () => cleaned++;
    },
    { withinMs: 100, cause: 'within: a test' },
  );
  held?.done(7);
  held?.fail(new Error('late'));
  end.abort();
  expect(await waited).toBe(7);
  expect([cleaned, resumed(), vi.getTimerCount()]).toEqual([1, 1, 0]);
});

it('a wait cleans up if it ends while it begins', async () => {
  const { waits: own } = waits();
  let cleaned = 0;
  await own.wait<void>((wait) => {
    wait.done();
    return () => cleaned++;
  });
  expect(cleaned).toBe(1);
});

it('a wait with a limit fails with its cause', async () => {
  const { waits: own } = waits();
  const waited = own.wait(() => undefined, { withinMs: 100, cause: 'within: together all' });
  vi.advanceTimersByTime(100);
  await expect(waited).rejects.toMatchObject({ cause: 'within: together all' });
});
