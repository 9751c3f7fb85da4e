import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { called } from '../../../test/called.js';
import { flowFiles } from '../../../test/flow-files.js';
import { named, problemsIn } from '../../../test/refusal.js';
import { commandLineOf, type SubmittedFiles, type SubmittedJob, submitted } from '../../../test/runs/submit.js';

const run = ['run', 'latency', '--shard', 'http://bench-runner-0:8080', '--target-url', 'ws://ring.test/ws'];

describe('a driver', () => {
  it('is a Job that runs the command line once, and leaves the result under the id that was printed', async () => {
    const { stdout, stderr, code } = await called(submitted(run));
    expect(code).toBe(0);
    const job = parse(stdout) as SubmittedJob;
    const args = commandLineOf(job);
    expect(args.slice(0, run.length)).toEqual(run);
    expect(args.slice(run.length)).toEqual(['--leave', '--run-id', expect.stringMatching(/^[0-9a-f]{8}$/)]);
    expect(stderr).toContain(`attach ${args.at(-1)} `);
    expect(stderr).toContain('kubectl create -f -');
    const { spec, metadata } = job;
    expect(metadata.name).toBe(`ringside-${args.at(-1)}`);
    expect(spec.backoffLimit).toBe(0);
    const [container] = spec.template.spec.containers;
    expect(container?.env).toEqual([
      { name: 'RINGSIDE_TOKEN', valueFrom: { secretKeyRef: { name: 'ringside', key: 'token', optional: true } } },
    ]);
  });

  it.each([
    ['no run', ['compare', 'latency', '--shard', 'http://a'], named('badOption', 'compare')],
    ['a run without shards', ['run', 'latency', '--shard-cert', 'a.pem'], named('badOption', '--shard')],
    ['a source that needs a program', ['run', 'latency', '--shards-from', 'compose'], named('badOption', '--shard')],
    ['a secret', [...run, '--publish-token', 'hush'], named('badOption', '--publish-token', 'RINGSIDE_PUBLISH_TOKEN')],
  ])('is refused with %s', async (_what, args, expected) => {
    const ended = await called(submitted(args));
    expect(ended.code).toBe(2);
    expect(problemsIn(ended)).toEqual([expected]);
    expect(ended.stdout).not.toContain('hush');
  });
});

const at = flowFiles({
  'chat.ts': `import { csv, defineFlow } from 'ringside-bench/flow';
export default defineFlow({ data: csv('users.csv'), async client(me) { await me.open(me.row.path); } });`,
  'users.csv': 'path\n/of-a-user\n',
  'lurker.mjs': 'export default { async client(me) { await me.open(); } };',
  'acme.ts': `export default { name: 'acme', summary: 'x', verbs: ['subscribe'],
session: () => ({ opened() {}, received() {}, subscribe() {} }) };`,
  'large.ts': `import { csv, defineFlow } from 'ringside-bench/flow';
export default defineFlow({ data: csv('large.csv'), async client() {} });`,
  'large.csv': `noise\n${randomBytes(2 ** 20).toString('base64')}\n`,
});
const shard = ['--shard', 'http://bench-runner-0:8080', '--target-url', 'ws://ring.test/ws'];

describe('files of a run', () => {
  it('are bundled here, and go with the Job in a Secret that it mounts', async () => {
    const flows = ['--clients', '70', `${at('chat.ts')}=9`, at('lurker.mjs')];
    const { stdout, stderr, code } = await called(submitted(['run', 'flow', ...flows, ...shard]));
    expect([code, stderr]).toEqual([0, expect.stringContaining('kubectl delete secret ringside-')]);
    const { items } = parse(stdout) as { items: [SubmittedFiles, SubmittedJob] };
    const [secret, job] = items;
    const args = commandLineOf(job);
    expect(args.slice(0, 6)).toEqual([
      'run',
      'flow',
      '--clients',
      '70',
      '/modules/4/chat.ts=9',
      '/modules/5/lurker.mjs',
    ]);
    expect(args.slice(6, 10)).toEqual(shard);
    const { volumes, containers } = job.spec.template.spec;
    expect(volumes?.[0]).toEqual({
      name: 'modules',
      secret: {
        secretName: secret.metadata.name,
        items: [
          { key: 'module-0', path: '4/chat.ts' },
          { key: 'module-1', path: '5/lurker.mjs' },
        ],
      },
    });
    expect(containers[0]?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/modules', '/tmp']);
    const texts = Object.values(secret.data).map((each) => gunzipSync(Buffer.from(each, 'base64')).toString());
    expect(texts[0]).toContain('/of-a-user');
    expect(texts[1]).toContain('me.open()');
    expect(stdout).not.toContain(at('').slice(0, -1));
  });

  it.each([['--protocol', at('acme.ts')], [`--protocol=${at('acme.ts')}`]])(
    'may be a protocol: %s',
    async (...given) => {
      const { stdout, code } = await called(submitted([...run, ...given]));
      expect(code).toBe(0);
      const { items } = parse(stdout) as { items: [SubmittedFiles, SubmittedJob] };
      expect(commandLineOf(items[1]).join(' ')).toMatch(/ --protocol[ =]\/modules\/\d\/acme\.ts --leave /);
      expect(Object.keys(items[0].data)).toEqual(['module-0']);
    },
  );

  it('are refused where a Secret is too small', async () => {
    const large = ['run', 'flow', at('large.ts'), ...shard];
    expect(problemsIn(await called(submitted(large)))).toEqual([named('badFlow', 'large.ts', '1.00 MiB')]);
  });
});
