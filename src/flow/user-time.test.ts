import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { UserTime } from './user-time.js';

/** A clock that stands still unless work moves it. */
function clock() {
  let ms = 0;
  const caught: unknown[] = [];
  const user = new UserTime(
    () => ms * 1e6,
    (error) => caught.push(error),
  );
  const work = (lastsMs: number) => (): void => {
    ms += lastsMs;
  };
  return { user, work, caught };
}

it('counts calls, nested ones once, and nothing between them', async () => {
  const { user, work } = clock();
  user.entered(() => {
    work(3)();
    user.entered(work(4));
  });
  await turn();
  work(100)();
  user.entered(work(1));
  await turn();
  expect(user.ms).toBe(8);
});

it('counts the promises that continue a call, to the last', async () => {
  const { user, work } = clock();
  user.entered(async () => {
    work(1)();
    await undefined;
    work(2)();
    await undefined;
    work(4)();
  });
  await turn();
  work(100)();
  await turn();
  expect(user.ms).toBe(7);
});

it('counts what a settled promise continues', async () => {
  const { user, work } = clock();
  let settle: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    settle = resolve;
  }).then(work(5));
  user.resumed();
  settle();
  await waiting;
  await turn();
  expect(user.ms).toBe(5);
});

it('hands over what a call throws, and goes on', async () => {
  const { user, caught } = clock();
  const error = new Error('of the user');
  const thrown = user.entered((): number => {
    throw error;
  });
  expect([thrown, user.entered(() => 7), caught]).toEqual([undefined, 7, [error]]);
  await turn();
});
