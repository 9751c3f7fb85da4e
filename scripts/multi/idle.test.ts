import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../src/options/option.js';
import { runSchema } from '../../src/run/plan/plan.js';
import { scenarioByName } from '../../src/scenarios/list.js';
import { type Multi, multi } from './arguments.js';

const three = 'https://a.example.com,https://b.example.com, http://127.0.0.1:7919';

const idle = (env: Record<string, string>, ...flags: string[]): Multi => multi('idle', flags, env);

function argsOf(env: Record<string, string>, ...flags: string[]): string {
  const asked = idle(env, ...flags);
  if (!asked.ok) throw new Error(asked.problems.join('\n'));
  return asked.args.join(' ');
}

describe('the idle test of a fleet', () => {
  it('makes counts and rates of one shard those of all', () => {
    const args = argsOf({ SHARDS: three, PER_SHARD_N: '701', HOLD_SEC: '127', RAMP_PER_SEC: '211', TARGET: 'ws' });
    expect(args).toBe(
      'run idle --target ws --shard https://a.example.com --shard https://b.example.com --shard http://127.0.0.1:7919 ' +
        '--connections 2103 --ramp-rate 633/s --hold 127s',
    );
  });

  it('asks two shards of this machine for 5,000 connections each when nothing is given', () => {
    const args = 'run idle --target uws --local-shards 2 --connections 10000 --ramp-rate 2000/s --hold 30s';
    expect(argsOf({})).toBe(args);
    expect(argsOf({ SHARDS: '', PER_SHARD_N: '', HOLD_SEC: '', RAMP_PER_SEC: '', TARGET: '' })).toBe(args);
  });

  it('gives only flags that the idle run has', () => {
    const flags = optionsOf(runSchema(scenarioByName('idle')!)).map(({ flag }) => `--${flag}`);
    const args = [{ SHARDS: three }, { PER_SHARD_N: '20000' }]
      .map((env) => argsOf(env))
      .join(' ')
      .split(' ');
    expect(args.filter((arg) => arg.startsWith('--') && !flags.includes(arg))).toEqual([]);
  });

  it.each([
    ['uws', '7500', ''],
    ['uws', '7501', ' --target-processes 2'],
    ['uws', '15001', ' --target-processes 3'],
    ['socketio', '20000', ''],
  ])('gives %s with twice %s connections the processes that hold 15,000 each', (TARGET, PER_SHARD_N, processes) => {
    expect(argsOf({ TARGET, PER_SHARD_N })).toContain(`--target ${TARGET}${processes} --local-shards`);
  });

  it('starts no target beside one that has an address', () => {
    const url = { RINGSIDE_TARGET_URL: 'ws://10.0.0.7:3000/ws' };
    expect(argsOf({ ...url, TARGET: 'ws' })).not.toContain('--target');
    expect(argsOf({ ...url, TARGET: 'of another recipe' })).toMatch(/^run idle --local-shards 2 /);
    expect(argsOf({ TARGET: 'ws' }, '--target-url', 'ws://10.0.0.7:3000/ws')).not.toContain('--target ');
  });

  it('counts the shards, and takes the target, that the long names give', () => {
    const args = argsOf({ SHARDS: 'http://x', RINGSIDE_SHARD: three, PER_SHARD_N: '7', RINGSIDE_TARGET: 'ws' });
    expect(args).toContain('--connections 21 ');
    expect(args).toContain('--target ws ');
    expect(args).not.toContain('http://x');
  });

  it('says everything that is wrong at once: variable, expected, received', () => {
    const env = { SHARDS: 'http://a,ftp://b,c', PER_SHARD_N: '0', HOLD_SEC: '2m', RAMP_PER_SEC: '-7', TARGET: 'nginx' };
    expect(idle(env)).toEqual({
      ok: false,
      problems: [
        'PER_SHARD_N: expected a whole number from 1 on, such as 5000, received "0"',
        expect.stringMatching(/^HOLD_SEC: expected a whole number from 0 on.*received "2m"$/),
        expect.stringMatching(/^RAMP_PER_SEC: expected a whole number from 1 on.*received "-7"$/),
        expect.stringMatching(/^SHARDS: expected http:.*received "ftp:\/\/b"$/),
        expect.stringMatching(/^SHARDS: .*received "c"$/),
        expect.stringMatching(/^TARGET: expected one of ws, uws,.*received "nginx"$/),
      ],
    });
  });
});
