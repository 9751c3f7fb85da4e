import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { called } from '../../../test/called.js';
import { named, problemsIn } from '../../../test/refusal.js';
import { commandLineOf, type SubmittedJob, submitted } from '../../../test/runs/submit.js';

const run = ['run', 'latency', '--shard', 'http://bench-runner-0:8080', '--target-url', 'ws://ring.test/ws'];

describe('a driver', () => {
  it('is a Job that runs the command line once, and leaves the result under the id that was printed', async () => {
    const { stdout, stderr, code } = await called(submitted('kubernetes', run));
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
    ['compose', /docker compose .* run .* bench-runner run latency .*--leave/],
    ['railway', /railway add .*RINGSIDE_ROLE=run latency .*--leave/],
  ])('is started on %s by one command', async (engine, command) => {
    const { stdout, stderr } = await called(submitted(engine, run));
    expect(stdout).toBe('');
    expect(stderr).toMatch(command);
  });

  it.each([
    ['no run', ['compare', 'latency', '--shard', 'http://a'], named('badOption', 'compare')],
    ['a run without shards', ['run', 'latency', '--shard-cert', 'a.pem'], named('badOption', '--shard')],
    ['a source that needs a program', ['run', 'latency', '--shards-from', 'compose'], named('badOption', '--shard')],
    ['a secret', [...run, '--publish-token', 'hush'], named('badOption', '--publish-token', 'RINGSIDE_PUBLISH_TOKEN')],
  ])('is refused with %s', async (_what, args, expected) => {
    const ended = await called(submitted('kubernetes', args));
    expect(ended.code).toBe(2);
    expect(problemsIn(ended)).toEqual([expected]);
    expect(ended.stdout).not.toContain('hush');
  });

  it('can have no spaces on Railway, whose variable is split at them', async () => {
    const ended = await called(submitted('railway', [...run, '--threshold', 'lost == 0']));
    expect(problemsIn(ended)).toEqual([named('badOption', 'lost == 0')]);
  });
});
