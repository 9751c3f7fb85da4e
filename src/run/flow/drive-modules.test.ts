import fc from 'fast-check';
import { expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import type { Flow } from '../../flow/api.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { FlowSetups, LoggedLines } from './drive-modules.js';
import type { PlannedModule } from './read-modules.js';

const moduleOf = (name: string, flow: Omit<Flow, 'client'>): PlannedModule => ({
  ...{ name, digest: 'd', weight: 1, metrics: {}, thresholds: [], body: new Uint8Array(), code: '', files: {} },
  flow: { client: async () => undefined, ...flow },
});

const means = (interrupt = new AbortController().signal) => {
  const notes: string[] = [];
  const note = (line: string): void => void notes.push(line);
  return {
    notes,
    means: { target: new URL('ws://127.0.0.1:7919/ws'), seed: 53, load: loadOptions.parse({}), interrupt, note },
  };
};

it('the result of setup is what JSON keeps of it, for the workers and for teardown', async () => {
  const seen: unknown[] = [];
  const setups = new FlowSetups(
    [
      moduleOf('chat.ts', {
        setup: async ({ target, seed }) => ({ port: target.port, seed, gone: undefined, at: new Date(7) }),
        teardown: async ({ shared }) => void seen.push(shared),
      }),
      moduleOf('lurker.ts', {}),
    ],
    means().means,
  );
  const made = { port: '7919', seed: 53, at: '1970-01-01T00:00:00.007Z' };
  expect(await setups.begin()).toEqual([made, undefined]);
  await setups.end();
  await setups.end();
  expect(seen).toEqual([made]);
});

const failing: [how: string, setup: () => Promise<unknown>][] = [
  ['rejects', () => Promise.reject(new Error('no'))],
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['is no JSON', async () => 7n],
];

it.each(failing)(
  'a setup that %s ends the run before any load; teardown runs for those before it',
  async (_how, setup) => {
    const torn: string[] = [];
    const teardown = (name: string) => async (): Promise<void> => void torn.push(name);
    const modules = [
      moduleOf('a.ts', { setup: async () => 7, teardown: teardown('a.ts') }),
      moduleOf('b.ts', { setup, teardown: teardown('b.ts') }),
    ];
    const setups = new FlowSetups(modules, means().means);
    await expect(setups.begin()).rejects.toMatchObject({ problems: [named('badFlow', 'b.ts')] });
    await setups.end();
    expect(torn).toEqual(['a.ts']);
  },
);

it('a signal ends a setup that never does', async () => {
  const ending = new AbortController();
  const modules = [moduleOf('chat.ts', { setup: () => new Promise(() => ending.abort()) })];
  const begun = new FlowSetups(modules, means(ending.signal).means).begin();
  await expect(begun).rejects.toMatchObject({ problems: [named('setupInterrupted', 'chat.ts')], exitCode: 130 });
});

it('a teardown that fails is noted, and the others run', async () => {
  const torn: string[] = [];
  const { notes, means: given } = means();
  const modules = [
    moduleOf('a.ts', { teardown: async () => Promise.reject(new Error('in\u001b[31m use')) }),
    moduleOf('b.ts', { teardown: async () => void torn.push('b.ts') }),
  ];
  const setups = new FlowSetups(modules, given);
  await setups.begin();
  await setups.end();
  expect(torn).toEqual(['b.ts']);
  expect(notes).toEqual([expect.stringMatching(/a\.ts: Error: in use$/)]);
});

/** What is noted of one shard's log, as its looks show it. */
function noted(looks: readonly (readonly string[])[]): string[] {
  const lines: string[] = [];
  const logged = new LoggedLines((line) => lines.push(line));
  const member = { status: { log: [] as string[] } };
  for (const log of looks) {
    member.status = { log: [...log] };
    logged.look([member]);
  }
  return lines;
}

it('notes lines of clients once, and none of the shard itself', () => {
  const [a, b] = ['client 0: a', 'client 7: b'];
  expect(noted([[], [a], [a], [a, 'asked to finish', b], [b]])).toEqual([a, b]);
});

it('notes all lines in order, though a shard shows only its last ones', () => {
  const most = 5;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: most }), { maxLength: 20 }), (news) => {
      const all: string[] = [];
      const looks = news.map((count) => {
        for (let n = 0; n < count; n++) all.push(`client 0: line ${all.length}`);
        return all.slice(-most);
      });
      expect(noted(looks)).toEqual(all);
    }),
  );
});
