import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ourName } from '../../contract/problems.js';
import { Left, type Time } from '../api.js';
import { Gates, msOf, type Wait, Waits } from './waits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function waiting() {
  const [gates, end] = [new Gates(), new AbortController()];
  let resumed = 0;
  const waits = new Waits(end.signal, () => resumed++);
  const come = (name: string, options: Parameters<Gates['come']>[1] = {}) => gates.come(name, options, waits);
  return { gates, come, end, waits, resumed: () => resumed };
}

describe('a time', () => {
  it('is a number of milliseconds, or a text with its unit', () => {
    const times: Time[] = [0, 7, 1.5, '250ms', '2s', '1.5s', '5m', '1h'];
    expect(times.map((time) => msOf(time, 'me.sleep'))).toEqual([0, 7, 1.5, 250, 2000, 1500, 300_000, 3_600_000]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '7', '', '25d', '-2s', undefined, null, {}, '600h'])(
    'is not %s',
    (time) => {
      expect(() => msOf(time as Time, 'me.sleep')).toThrow(/^me\.sleep: expected a time such as .*, received /);
    },
  );

  it('is refused in one line without escape sequences', () => {
    expect(() => msOf(`${'\u001b[31m'}\n${'x'.repeat(999)}` as Time, 'every')).toThrow(/^every: [ -~…']{1,200}$/);
  });
});

describe('a wait', () => {
  it('that sleeps ends by its timer, and says so right before', async () => {
    const { waits, resumed } = waiting();
    const slept = waits.sleep(700);
    vi.advanceTimersByTime(699);
    expect(resumed()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(resumed()).toBe(1);
    await slept;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects when the load ends, and if it begins behind that', async () => {
    const { end, waits } = waiting();
    const [cleaned, failed]: [string[], string[]] = [[], []];
    const limit = { cause: 'late', failed: ({ cause }: Left) => failed.push(cause) };
    const all = [waits.sleep(1000), waits.sleep(2000), waits.wait(() => () => void cleaned.push('wait'), limit)];
    end.abort();
    all.push(waits.sleep(7));
    vi.advanceTimersByTime(1);
    for (const each of all) await expect(each).rejects.toMatchObject({ name: 'Left', cause: 'ended' });
    expect([vi.getTimerCount(), cleaned, failed]).toEqual([0, ['wait'], ['ended']]);
  });

  it('ends once, by its first call, and cleans up behind it', async () => {
    const { end, waits, resumed } = waiting();
    let held: Wait<number> | undefined;
    let cleaned = 0;
    const begin = (wait: Wait<number>) => {
      held = wait;
      return () => cleaned++;
    };
    const waited = waits.wait(begin, { withinMs: 100, cause: 'within: a test' });
    held?.done(7);
    held?.fail(new Left('late'));
    end.abort();
    expect(await waited).toBe(7);
    expect([cleaned, resumed(), vi.getTimerCount()]).toEqual([1, 1, 0]);
    const { waits: own } = waiting();
    await own.wait<void>((wait) => {
      wait.done();
      return () => cleaned++;
    });
    expect(cleaned).toBe(2);
  });

  it('with a limit fails with its cause', async () => {
    const waited = waiting().waits.wait(() => undefined, { withinMs: 100, cause: 'within: together all' });
    vi.advanceTimersByTime(100);
    await expect(waited).rejects.toMatchObject({ cause: 'within: together all' });
  });
});

describe('a gate', () => {
  it('lets clients wait until it is open, and none later', async () => {
    const { gates, come } = waiting();
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

  it('opens for all sizes, which have their own figures', async () => {
    const { gates, come } = waiting();
    const all = [come('a', { of: 6 }), come('a', { of: '12.5%' }), come('a', { of: '100%' })];
    expect(gates.figures()).toEqual({ 'together:a:6': 1, 'together:a:1250p': 1, 'together:a:10000p': 1 });
    gates.opened('together:a');
    await Promise.all(all);
  });

  it('no longer counts a client whose limit or load is over', async () => {
    const { gates, end, come } = waiting();
    const [limited, endless] = [come('all', { within: '2s' }), come('all')];
    vi.advanceTimersByTime(2000);
    await expect(limited).rejects.toMatchObject({ cause: 'within: together all' });
    expect(gates.figures()).toEqual({ 'together:all:10000p': 1 });
    end.abort();
    await expect(endless).rejects.toMatchObject({ cause: 'ended' });
    expect(gates.figures()).toEqual({ 'together:all:10000p': 0 });
  });

  it('has a clean name, and a worker has 20 of them', async () => {
    const { gates, come } = waiting();
    const names = Array.from({ length: 20 }, (_, index) => `${index}:room/\u001b[31m${'x'.repeat(99)}`);
    const all = names.map((name) => come(name));
    for (const name of Object.keys(gates.figures())) expect(ourName.safeParse(name).success).toBe(true);
    await expect(come('one more')).rejects.toThrow(/^me\.together: expected at most 20 names and sizes in a run/);
    for (const name of Object.keys(gates.figures())) gates.opened(name.slice(0, name.lastIndexOf(':')));
    await Promise.all(all);
  });

  it('refuses a size or limit that is none', async () => {
    const { come } = waiting();
    for (const of of [0, 1.5, -1, '0%', '101%', 'half', '5'] as never[])
      await expect(come('all', { of })).rejects.toThrow(/^me\.together: of: expected a number of clients or a share/);
    await expect(come('all', { within: 'soon' as '1s' })).rejects.toThrow(/^me\.together: within: expected a time/);
  });
});
