import { expect, it } from 'vitest';
import { asJson, problemsIn } from '../../test/refusal.js';
import { jobTo, RunnerHttp } from '../../test/runner-http.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();
/** Nothing listens there. */
const missing = ['--shard', 'http://127.0.0.1:9', '--wait-shards', '1'];

async function interrupted(args: readonly string[], word: RegExp) {
  const command = place.ringside(args, asJson);
  await command.said('stderr', word);
  command.kill('SIGINT');
  const ended = await command.ended;
  expect(command.family()).toEqual([]);
  return { code: ended.code, problems: problemsIn(ended).map(({ code }) => code) };
}

it.concurrent.each(['run latency --target ws', 'drill', 'attach 5eed0007', 'fleet status'])(
  'a wait for shards of `%s` ends with Ctrl-C',
  async (command) => {
    const ended = await interrupted([...command.split(' '), ...missing], /127\.0\.0\.1:9/);
    expect(ended).toEqual({ code: 130, problems: ['waitInterrupted'] });
  },
);

it.concurrent.each(['run latency --target ws', 'drill'])(
  'a wait for held shards of `%s` ends with Ctrl-C',
  async (command) => {
    const { port } = await place.benchRunner();
    await new RunnerHttp(port).take(jobTo(1, { load: { leaseMs: 600_000 } }));
    const shard = ['--shard', `http://127.0.0.1:${port}`, '--wait', '10m'];
    const ended = await interrupted([...command.split(' '), ...shard], new RegExp(`:${port}`));
    expect(ended).toEqual({ code: 130, problems: ['waitInterrupted'] });
  },
);

it.concurrent('a drill ends with Ctrl-C, and has no document', async () => {
  expect(await interrupted(['drill'], /^drill: /m)).toEqual({ code: 130, problems: ['drillInterrupted'] });
});
