import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { ProblemError } from '../../contract/problems.js';
import { type Given, planRun, runSchema } from '../../run/plan/plan.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { addFileFlag, addFlags } from './flags.js';
import { gather } from './given.js';
import { checkVariables } from './variables.js';

const latency = scenarioByName('latency') as Scenario;
const schema = runSchema(latency);
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringside-given-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

function given(...args: string[]): Given {
  const command = new Command().exitOverride();
  addFileFlag(command);
  addFlags(command, schema);
  return gather(command.parse(args, { from: 'user' }), schema);
}

function jobFile(content: string): string {
  const path = join(folder, 'job.yaml');
  writeFileSync(path, content);
  return path;
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ProblemError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('what a user gave', () => {
  it('is flags, environment and nothing else without a file', () => {
    vi.stubEnv('RINGSIDE_RATE', '7/s');
    const { flags, env, file } = given('--subscribers', '101');
    expect(flags).toEqual({ subscribers: '101' });
    expect(env.RINGSIDE_RATE).toBe('7/s');
    expect(file).toEqual({});
  });

  it.each([
    ['YAML', 'subscribers: 101\nrate: 7/s\nshard: [http://127.0.0.1:7001]\n'],
    ['JSON', '{"subscribers": 101, "rate": "7/s", "shard": ["http://127.0.0.1:7001"]}'],
  ])('may be a job file in %s', (_form, content) => {
    const all = given('--target', 'ws', '--file', jobFile(content));
    expect(all.file).toEqual({ subscribers: 101, rate: '7/s', shard: ['http://127.0.0.1:7001'] });
    const { options, fleet, sources } = planRun(latency, all);
    expect(options).toMatchObject({ subscribers: 101, ratePerSecond: 7 });
    expect(fleet.shards).toEqual(['http://127.0.0.1:7001']);
    expect(sources).toMatchObject({ target: 'flag', ratePerSecond: 'file', shards: 'file' });
  });

  it('may use the short names of the environment, which the long ones outrank', () => {
    vi.stubEnv('SHARDS', 'http://127.0.0.1:7001,http://127.0.0.1:7003');
    vi.stubEnv('TARGET', 'uws');
    expect(planRun(latency, given())).toMatchObject({
      fleet: { shards: ['http://127.0.0.1:7001', 'http://127.0.0.1:7003'] },
      target: { name: 'uws' },
    });
    vi.stubEnv('RINGSIDE_TARGET', 'ws');
    expect(planRun(latency, given()).target.name).toBe('ws');
  });
});

describe('a file that is not a job file', () => {
  it.each([
    ['', 'nothing'],
    ['- subscribers\n', 'list'],
    ['hush-hush\n', 'string'],
    ['7', 'number'],
  ])('is refused, and what it holds is not told: %j', (content, kind) => {
    const path = jobFile(content);
    const [before, told] = messageOf(() => given('--file', path)).split(path);
    expect([before, told]).toEqual(['--file ', naming(kind)]);
    expect(told).not.toMatch(/subscribers|hush|7/);
  });

  it('is refused where it cannot be read or parsed', () => {
    const missing = join(folder, 'missing.yaml');
    expect(messageOf(() => given('--file', missing))).toContain(`--file ${missing}: ENOENT`);
    expect(messageOf(() => given('--file', jobFile('subscribers: [7')))).toMatch(/^--file .*job\.yaml: \S/);
  });

  it('is refused with every wrong entry at once', () => {
    const path = jobFile('subscribers: 0\nrates: 7/s\n');
    const [unknown, wrong] = messageOf(() => planRun(latency, given('--target', 'ws', '--file', path))).split('\n');
    expect([unknown, wrong]).toEqual([naming('rates in the file:', 'rate'), naming('subscribers in the file:', 1, 0)]);
  });
});

it('a misspelt variable is refused', async () => {
  vi.stubEnv('RINGSIDE_ALLOW_TARGETS', 'example.org');
  await expect(checkVariables()).rejects.toThrow(/^RINGSIDE_ALLOW_TARGETS: /);
});
