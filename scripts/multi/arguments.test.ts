import { describe, expect, it } from 'vitest';
import { multi } from './arguments.js';

function argsOf(what: string, flags: readonly string[] = [], env: Record<string, string> = {}): string {
  const asked = multi(what, flags, env);
  if (!asked.ok) throw new Error(asked.problems.join('\n'));
  return asked.args.join(' ');
}

describe('a bench over several shards', () => {
  it('runs a scenario, or the search for the knee, with flags that come last', () => {
    expect(argsOf('latency')).toBe('run latency --target uws --local-shards 2');
    expect(argsOf('knee', ['--local-shards', '3'])).toBe('knee --target uws --local-shards 3');
    expect(argsOf('jitter')).toContain('--target socketio-csr ');
    expect(argsOf('steps')).toContain('--target uws-shootout ');
  });

  it.each([
    [['--target', 'ws'], {}],
    [['--target=ws'], {}],
    [['--rate', '7/s', '--target-url', 'ws://a'], { TARGET: 'socketio' }],
    [['--target-url=ws://a'], {}],
    [['--file', 'job.yml'], {}],
    [[], { RINGSIDE_TARGET_URL: 'ws://a', TARGET: 'socketio' }],
  ])('starts nothing beside what %j and %j name', (flags, env) => {
    expect(argsOf('echo', flags, env as Record<string, string>)).toBe(
      ['run', 'echo', '--local-shards', '2', ...flags].join(' '),
    );
  });

  it('starts no shards beside those that are named', () => {
    expect(argsOf('echo', ['--shard=http://a'])).toBe('run echo --target uws --shard=http://a');
    expect(argsOf('echo', [], { SHARDS: 'http://a' })).toBe('run echo --target uws');
    expect(argsOf('echo', [], { RINGSIDE_LOCAL_SHARDS: '3' })).toBe('run echo --target uws');
  });

  it('takes the target of the environment, the long name before the short one', () => {
    expect(argsOf('echo', [], { TARGET: 'ws' })).toContain('--target ws ');
    expect(argsOf('echo', [], { TARGET: 'ws', RINGSIDE_TARGET: 'socketio' })).toContain('--target socketio ');
    expect(argsOf('echo', ['--file', 'job.yml'], { TARGET: 'ws' })).toContain('--target ws ');
    expect(argsOf('echo', ['--target-processes', '3'], { TARGET: '' })).toContain('--target uws ');
  });

  it('hands on an environment without the target that it read', () => {
    expect(multi('echo', [], { TARGET: 'ws', SHARDS: 'http://a', HOME: '/h' })).toMatchObject({
      env: { SHARDS: 'http://a', HOME: '/h' },
    });
    expect(multi('echo', [], { TARGET: 'ws' })).not.toHaveProperty('env.TARGET');
  });

  it.each([undefined, 'echos'])('refuses %j', (what) => {
    expect(multi(what, [], {})).toEqual({
      ok: false,
      problems: [expect.stringMatching(/^first argument: expected one of latency, .*knee, received "/)],
    });
  });
});
