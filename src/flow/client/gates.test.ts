import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ourName } from '../../contract/problems.js';
import { Gates } from './gates.js';
import { Waits } from './waits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function coming() {
  const [gates, end] = [new Gates(), new AbortController()];
  const waits = new Waits(end.signal, () => undefined);
  const come = (name: string, options: Parameters<Gates['come']>[1] = {}) => gates.come(name, options, waits);
  return { gates, end, come };
}

it('clients wait until their gate is open, and none waits later', async () => {
  const { gates, come } = coming();
  const all = [come('all'), come('all'), come('all-too')];
  expect(gates.figures()).toEqual({ 'together:all:10000p': 2, 'together:all-too:10000p': 1 });
  gates.opened('together:all');
  await Promise.all(all.slice(0, 2));
  await come('all');
  await come('all', { of: 7 });
  expect(gates.figures()).toMatchObject({ 'together:all:10000p': 0, 'together:all-too:10000p': 1 });
  gates.opened('together:all');
  gates.opened('together:all-too');
  await all[2];
});

it('each size has its figure, and one gate opens for all', async () => {
  const { gates, come } = coming();
  const all = [come('a', { of: 6 }), come('a', { of: '12.5%' }), come('a', { of: '100%' })];
  expect(gates.figures()).toEqual({ 'together:a:6': 1, 'together:a:1250p': 1, 'together:a:10000p': 1 });
  gates.opened('together:a');
  await Promise.all(all);
});

it('a wait ends by its limit or with the load, and then counts no more', async () => {
  const { gates, end, come } = coming();
  const limited = come('all', { within: '2s' });
  const endless = come('all');
  vi.advanceTimersByTime(2000);
  await expect(limited).rejects.toMatchObject({ cause: 'within: together all' });
  expect(gates.figures()).toEqual({ 'together:all:10000p': 1 });
  end.abort();
  await expect(endless).rejects.toMatchObject({ cause: 'ended' });
  expect(gates.figures()).toEqual({ 'together:all:10000p': 0 });
});

it('names are cleaned, and a worker has 20 of them', async () => {
  const { gates, come } = coming();
  const names = Array.from({ length: 20 }, (_, index) => `${index}:room/\u001b[31m${'x'.repeat(99)}`);
  const all = names.map((name) => come(name));
  for (const name of Object.keys(gates.figures())) expect(ourName.safeParse(name).success).toBe(true);
  await expect(come('one more')).rejects.toThrow(/^me\.together: expected at most 20 names and sizes in a run/);
  for (const name of Object.keys(gates.figures())) gates.opened(name.slice(0, name.lastIndexOf(':')));
  await Promise.all(all);
});

it('a size or limit is refused with what is expected', async () => {
  const { come } = coming();
  for (const of of [0, 1.5, -1, '0%', '101%', 'half', '5'] as never[])
    await expect(come('all', { of })).rejects.toThrow(/^me\.together: of: expected a number of clients or a share/);
  await expect(come('all', { within: 'soon' as '1s' })).rejects.toThrow(/^me\.together: within: expected a time/);
});
