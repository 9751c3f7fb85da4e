import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../src/units/package-files.js';
import { flowFiles } from '../test/flow-files.js';
import { served } from '../test/flow-libraries.js';
import { latencyFlags, soundResult } from '../test/latency.js';
import { named } from '../test/refusal.js';
import { keptDirectory, keptResult, voidedBy, workplace } from '../test/workplace.js';

const place = workplace();
const folder = 'examples/protocols/';
const names = readdirSync(packageFile(folder)).map((file) => file.replace(/\.ts$/, ''));

/** Starts the server of a protocol. Returns the flags of both. `protocol`: another file than the example. */
async function speaking(name: string, protocol = packageFile(`${folder}${name}.ts`)): Promise<string[]> {
  const port = await served(place, packageFile(`examples/servers/${name}.mjs`));
  return ['--protocol', protocol, '--target-url', `ws://127.0.0.1:${port}`];
}

/** A protocol whose sessions throw. `more` stands in line 3. */
const throwing = (more: string): string => `import { defineProtocol } from 'ringside-bench/flow';
import { isMainThread } from 'node:worker_threads';
${more}
export default defineProtocol({
  name: 'thrower',
  summary: 'throws as soon as it may subscribe',
  verbs: ['subscribe'],
  publishesByClients: { joins: false, isAnswered: false },
  session: (sink) => ({
    opened: () => sink.ready(),
    received() {},
    subscribe(stream: string) {
      throw new TypeError('no way to ' + stream.slice(0, 8));
    },
  }),
});`;

const at = flowFiles({
  'wrong.ts': "export default { name: 'wrong', summary: 'x', verbs: ['sing'], session: () => ({}) };",
  'thrower.ts': throwing(''),
  'thread.ts': throwing("if (!isMainThread) throw new Error('no thread');"),
  'frames.ts': readFileSync(packageFile(`${folder}frames.ts`), 'utf8'),
});

describe.concurrent.each(names)('the protocol %s, over two shards', (name) => {
  it('delivers each broadcast', async () => {
    const ended = await place.measure(['run', 'latency', ...(await speaking(name)), ...latencyFlags(7, 20)], 2);
    const result = soundResult(ended);
    expect(result.ledger).toMatchObject({ attempted: 20, acked: 20, expected: 140, delivered: 140, lost: 0 });
    expect(result.target.protocol).toMatch(new RegExp(`^${name}@[0-9a-f]{16}$`));
    expect(result.target.versions).toEqual({ [`${name}.ts`]: result.target.protocol.split('@')[1] });
    expect([result.stop.code, result.shards.length]).toEqual(['completed', 2]);
  });

  it('holds connections', async () => {
    const load = ['--clients', '7', '--settle', '1s', '--duration', '1s'];
    const result = keptResult(await place.measure(['run', 'idle', ...(await speaking(name)), ...load], 2));
    expect(result.ledger).toMatchObject({ asked: 7, opened: 7, held: 7, lost: 0 });
    expect([result.stop.code, voidedBy(result)]).toEqual(['completed', []]);
  });

  it('runs on the package ws', async () => {
    const client = ['--client', 'library', ...latencyFlags(3, 20)];
    const result = soundResult(await place.measure(['run', 'latency', ...(await speaking(name)), ...client]));
    expect(result.ledger).toMatchObject({ attempted: 20, expected: 60, delivered: 60, lost: 0 });
  });
});

it('a kept result is shown without its module', async () => {
  const own = at('frames.ts');
  const load = ['--clients', '3', '--rate', '5/s', '--duration', '1s'];
  const ended = await place.measure(['run', 'echo', ...(await speaking('frames', own)), ...load]);
  expect(keptResult(ended).ledger).toMatchObject({ sent: 15, delivered: 15, lost: 0 });
  rmSync(own);
  const shown = await place.run(['show', keptDirectory(ended), '--json']);
  expect(JSON.parse(shown.stdout).target.protocol).toMatch(/^frames@/);
});

describe('a protocol of a user', () => {
  const url = ['--target-url', 'ws://127.0.0.1:1'];

  it('is refused if it is wrong', async () => {
    const problems = await place.refused(['run', 'latency', '--protocol', at('wrong.ts'), ...url]);
    expect(problems).toEqual([named('badFlow', 'wrong.ts: verbs.0')]);
  });

  it('needs a bench-runner with --allow-modules', async () => {
    const { port } = await place.benchRunner();
    const shard = ['--shard', `http://127.0.0.1:${port}`];
    const problems = await place.refused(['run', 'idle', '--protocol', at('thrower.ts'), ...url, ...shard]);
    expect(problems).toEqual([named('modulesNotAllowed', port, 'thrower.ts')]);
  });

  it('that throws loses its client, with the line', async () => {
    const run = ['run', 'latency', ...(await speaking('frames', at('thrower.ts'))), ...latencyFlags(3, 20)];
    const result = keptResult(await place.measure(run));
    expect(result.stop.code).toBe('refused');
    expect(JSON.stringify(result.stop.evidence)).toContain(
      'the session threw at thrower.ts:13: TypeError: no way to ringside',
    );
  });

  it('that fails on the bench-runner ends the run with its line', async () => {
    const run = ['run', 'idle', ...(await speaking('frames', at('thread.ts'))), '--clients', '3', '--duration', '1s'];
    const { code, evidence } = keptResult(await place.measure(run)).stop;
    expect([code, evidence]).toEqual(['flowFailed', [expect.stringContaining('thread.ts:3: Error: no thread')]]);
  });
});
