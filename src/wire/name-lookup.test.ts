import { expect, it } from 'vitest';
import { createLookupOnce } from './dialer.js';

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
