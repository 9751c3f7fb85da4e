import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Left } from './api.js';
import { lineOfError, thrownInWords, UncaughtErrors, UserTime } from './user-code.js';

describe('an error that reaches nobody', () => {
  function uncaught() {
    const clock = { ns: 0 };
    const over = new AbortController();
    const [caught, unawaited, stopped]: [unknown[], unknown[], string[]] = [[], [], []];
    const means = {
      ...{ nowNs: () => clock.ns, over, user: { caught: (error: unknown) => caught.push(error) } },
      unawaited: (failure: Left) => unawaited.push(failure.cause),
    };
    const errors = new UncaughtErrors(means, (evidence) => stopped.push(evidence));
    return { errors, clock, over, caught, unawaited, stopped };
  }

  it('is counted, and a hundred in a second stop the run', () => {
    const { errors, clock, caught, stopped } = uncaught();
    for (let n = 0; n < 99; n++) errors.rejected(n);
    clock.ns = 1e9;
    for (let n = 0; n < 99; n++) errors.thrown(n);
    expect([caught.length, stopped]).toEqual([198, []]);
    for (let n = 0; n < 7; n++) errors.rejected(new TypeError('no field'));
    expect([caught.length, stopped]).toEqual([205, [expect.stringContaining('in a package: TypeError: no field')]]);
  });

  it('is none of the user if a wait of ours failed, and none at all after the end', () => {
    const { errors, over, caught, unawaited, stopped } = uncaught();
    for (let n = 0; n < 200; n++) errors.rejected(new Left('answer-timeout'));
    over.abort();
    errors.rejected(new Left('ended'));
    expect([unawaited.length, unawaited.at(-1), caught, stopped]).toEqual([200, 'answer-timeout', [], []]);
  });
});

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

function errorAt(...frames: string[]): Error {
  return Object.assign(new RangeError('no room'), { stack: `RangeError: no room\n    at ${frames.join('\n    at ')}` });
}

it.each([
  [
    ['fail (package:mqtt/lib/client.js:7:3)', 'async Object.client (flow:chat.ts:14:9)', 'flow:lib/a.ts:3:1'],
    'chat.ts:14',
  ],
  [['file:///rig/worker.js:1:2', 'async flow:lib/my words.ts:3:11'], 'lib/my words.ts:3'],
  [['words (flow:../shared/\u001b[31mx.ts:5:1)'], '../shared/x.ts:5'],
  [['workflow:chat.ts (file:///rig/worker.js:1:2)'], undefined],
])('the line of %j is that of the first frame in a file of the user: %s', (frames, line) => {
  expect(lineOfError(errorAt(...frames))).toBe(line);
});

it.each([7, undefined, 'flow:chat.ts:14:9'])('what is no error has no line: %j', (thrown) => {
  expect(lineOfError(thrown)).toBeUndefined();
});

it('says what was thrown, bounded and in one line', () => {
  expect(thrownInWords(errorAt('flow:chat.ts:14:9'), 'chat.ts')).toBe('chat.ts:14: RangeError: no room');
  expect(thrownInWords('a\n\u001b[31mb', 'chat.ts')).toBe('chat.ts: a b');
  expect(thrownInWords(new Error('x'.repeat(5003)), 'chat.ts').length).toBeLessThan(300);
});
