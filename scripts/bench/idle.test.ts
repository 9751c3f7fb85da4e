import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../src/options/option.js';
import { runSchema } from '../../src/run/plan/plan.js';
import { scenarioByName } from '../../src/scenarios/list.js';
import { idleRun } from './idle.js';

const three = 'https://a.example.com,https://b.example.com, http://127.0.0.1:7919';

function argsOf(env: Record<string, string>, ...flags: string[]): string {
  const run = idleRun(flags, env);
  if (!run.ok) throw new Error(run.problems.join('\n'));
  return run.args.join(' ');
}

describe('the idle test of a fleet', () => {
  it('multiplies counts and rates of one shard by the shards', () => {
    const env = { SHARDS: three, PER_SHARD_N: '701', HOLD_SEC: '127', RAMP_PER_SEC: '211', TARGET: 'ws' };
    expect(argsOf(env, '--json')).toBe('run idle --target ws --clients 2103 --ramp-rate 633/s --duration 127s --json');
    expect(argsOf({ SHARDS: 'http://x', RINGSIDE_SHARD: three, PER_SHARD_N: '7' })).toContain('--clients 21 ');
  });

  it('uses two shards of this machine with 5,000 connections each by default', () => {
    const args = 'run idle --target uws --local-shards 2 --clients 10000 --ramp-rate 2000/s --duration 30s';
    expect(argsOf({})).toBe(args);
    expect(argsOf({ SHARDS: '', PER_SHARD_N: '', HOLD_SEC: '', RAMP_PER_SEC: '', TARGET: '' })).toBe(args);
  });

  it('gives only flags that the idle run has', () => {
    const flags = optionsOf(runSchema(scenarioByName('idle')!)).map(({ flag }) => `--${flag}`);
    const args = argsOf({ PER_SHARD_N: '20000' }).split(' ');
    expect(args.filter((arg) => arg.startsWith('--') && !flags.includes(arg))).toEqual([]);
  });

  it.each([
    ['uws', '7500', ''],
    ['uws', '7501', ' --target-processes 2'],
    ['uws', '15001', ' --target-processes 3'],
    ['socketio', '20000', ''],
  ])('starts %s for twice %s connections with processes of 15,000 each:%s', (TARGET, PER_SHARD_N, processes) => {
    expect(argsOf({ TARGET, PER_SHARD_N })).toContain(`--target ${TARGET}${processes} --local-shards`);
  });

  it('prefers the long name of the target', () => {
    expect(argsOf({ TARGET: 'ws', RINGSIDE_TARGET: 'socketio' })).toContain('--target socketio ');
  });

  it.each([
    [{ RINGSIDE_TARGET_URL: 'ws://10.0.0.7:3000/ws' }, []],
    [{}, ['--target-url=ws://10.0.0.7:3000/ws']],
  ])('ignores TARGET beside %j %j', (env, flags) => {
    expect(argsOf({ ...env, TARGET: 'ws' } as Record<string, string>, ...flags)).toMatch(/^run idle --local-shards 2 /);
  });

  it('starts no target of its own beside a file', () => {
    expect(argsOf({}, '--file', 'job.yml')).toMatch(/^run idle --local-shards 2 /);
    expect(argsOf({ TARGET: 'ws' }, '--file', 'job.yml')).toContain('--target ws ');
  });

  it('reports every wrong variable at once', () => {
    const run = idleRun([], { PER_SHARD_N: '0', HOLD_SEC: '2m', RAMP_PER_SEC: '-7' });
    expect(run.ok ? [] : run.problems.map((problem) => problem.split(':')[0])).toEqual([
      'PER_SHARD_N',
      'HOLD_SEC',
      'RAMP_PER_SEC',
    ]);
  });
});
