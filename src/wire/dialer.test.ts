import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLookupOnce, Deadlines } from './dialer.js';

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

const addresses = [
  { address: '127.0.0.7', family: 4 },
  { address: '::1', family: 6 },
];

function scripted(answers: (typeof addresses | Error)[]) {
  const asked: unknown[] = [];
  const resolve = async (hostname: string, options: unknown) => {
    asked.push([hostname, options]);
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const lookup = createLookupOnce(resolve as unknown as Parameters<typeof createLookupOnce>[0]);
  const ask = (options: { all?: boolean; family?: number }) =>
    new Promise((settle) => lookup('a.test', options, (...answer) => settle(answer)));
  return { asked, ask };
}

it('asks once for all connections, in either form that Node wants', async () => {
  const { asked, ask } = scripted([addresses]);
  expect(await Promise.all([ask({ all: true }), ask({}), ask({ all: true })])).toEqual([
    [null, addresses],
    [null, '127.0.0.7', 4],
    [null, addresses],
  ]);
  expect(await ask({})).toEqual([null, '127.0.0.7', 4]);
  expect(asked).toEqual([['a.test', { all: true }]]);
});

it('asks again for another family, and after a failure', async () => {
  const failure = new Error('EAI_AGAIN');
  const { asked, ask } = scripted([addresses, failure, addresses]);
  await ask({ family: 0 });
  expect(await ask({ family: 6 })).toEqual([failure, '']);
  expect(await ask({ family: 6 })).toEqual([null, '127.0.0.7', 4]);
  expect(asked.length).toBe(3);
});
