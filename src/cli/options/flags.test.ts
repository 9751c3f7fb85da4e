import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { plannedRun } from '../../../test/planned.js';
import { naming } from '../../../test/refusal.js';
import { calibrateOptions } from '../../commands/calibrate/calibration-grid.js';
import { reproduceOptions } from '../../commands/reproduce/plan.js';
import { kneeSchema } from '../../commands/search/knee/plan.js';
import { suiteOptions } from '../../commands/suite/command.js';
import { listenOptions } from '../../commands/target/command.js';
import { ProblemError } from '../../contract/problems.js';
import { type Option, optionsOf } from '../../options/option.js';
import { compareSchema, type GivenForRun, runSchema } from '../../run/plan/plan.js';
import { runnerOptions } from '../../runner/allow-list.js';
import { scenarioByName, scenarios } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { addFileFlag, addFlags, gather, givenFlags } from './flags.js';
import { checkVariables } from './variables.js';

/** What `run` and `compare` of every scenario, and all other commands, take. */
const schemas = [
  ['target', listenOptions] as const,
  ['calibrate', calibrateOptions] as const,
  ['knee', kneeSchema] as const,
  ['reproduce', reproduceOptions] as const,
  ['suite run', suiteOptions] as const,
  ['bench-runner', runnerOptions] as const,
  ...scenarios.flatMap((scenario) => [
    [`run ${scenario.name}`, runSchema(scenario)] as const,
    [`compare ${scenario.name}`, compareSchema(scenario)] as const,
  ]),
];

/** What a user types for an option, and what must come of it. */
function typed({ flag, kind }: Option): { args: string[]; value: unknown } {
  if (kind === 'boolean') return { args: [`--${flag}`], value: true };
  if (kind === 'list') return { args: [`--${flag}`, 'one', `--${flag}`, 'two'], value: ['one', 'two'] };
  return { args: [`--${flag}`, '7'], value: '7' };
}

describe.each(schemas)('the flags of %s', (_name, schema) => {
  const parsed = (args: readonly string[]): Record<string, unknown> => {
    const command = new Command().exitOverride();
    addFlags(command, schema);
    command.parse(args, { from: 'user' });
    return givenFlags(command, schema);
  };

  it('are one for every option, which is given under its key', () => {
    for (const option of optionsOf(schema)) {
      const { args, value } = typed(option);
      expect(parsed(args)).toEqual({ [option.key]: value });
    }
  });

  it('have short forms for clients, duration and rate, and none stands for two', () => {
    const short = optionsOf(schema).flatMap(({ flag, letter }) => (letter === undefined ? [] : [[flag, letter]]));
    const meant = Object.entries({ clients: 'c', duration: 'd', rate: 'r', verbose: 'v' });
    expect(meant).toEqual(expect.arrayContaining(short));
    for (const [flag, letter] of short) expect(parsed([`-${letter}`, '7'])).toEqual(parsed([`--${flag}`, '7']));
  });

  it('of one value take the last of several and say so, unless another command takes several', () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    for (const option of optionsOf(schema).filter(({ kind }) => kind !== 'boolean')) {
      const command = new Command().exitOverride();
      addFlags(command, schema);
      said.mockClear();
      const twice = () => command.parse([`--${option.flag}`, '7', `--${option.flag}`, '11'], { from: 'user' });
      if (option.severalIn !== undefined) {
        expect(twice).toThrow(`--${option.flag}:`);
        continue;
      }
      twice();
      const isList = option.kind === 'list';
      expect(givenFlags(command, schema)).toEqual({ [option.key]: isList ? ['7', '11'] : '11' });
      expect([option.key, said.mock.calls.length]).toEqual([option.key, isList ? 0 : 1]);
    }
    said.mockRestore();
  });

  it('may all be given at once, and none', () => {
    const all = optionsOf(schema).map((option) => ({ key: option.key, ...typed(option) }));
    expect(parsed(all.flatMap(({ args }) => args))).toEqual(
      Object.fromEntries(all.map(({ key, value }) => [key, value])),
    );
    expect(parsed([])).toEqual({});
  });

  it('are in the help with their form and default', () => {
    const command = new Command();
    addFlags(command, schema);
    const help = command.helpInformation().replaceAll(/\s+/g, ' ');
    for (const option of optionsOf(schema)) {
      const { flag, placeholder, kind, defaultText } = option;
      expect(help).toContain(kind === 'boolean' ? ` --${flag} ` : ` --${flag} <${placeholder}> `);
      if (defaultText && kind !== 'boolean') expect(help).toContain(` (default: ${defaultText})`);
    }
  });

  it('take no duration that overflows a timer', () => {
    for (const { key, unit } of optionsOf(schema)) {
      if (unit !== 'duration') continue;
      const field = (schema.shape as Record<string, z.ZodType>)[key];
      expect([key, field?.safeParse(2 ** 31).success]).toEqual([key, false]);
    }
  });

  it('have no switch that is on by default: it could not be turned off', () => {
    const on = optionsOf(schema).filter(({ kind, defaultText }) => kind === 'boolean' && defaultText === 'true');
    expect(on).toEqual([]);
  });
});

const latency = scenarioByName('latency') as Scenario;
const schema = runSchema(latency);
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringside-given-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

function given(...args: string[]): GivenForRun {
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
    const { flags, env, file } = given('--clients', '101');
    expect(flags).toEqual({ clients: '101' });
    expect(env.RINGSIDE_RATE).toBe('7/s');
    expect(file).toEqual({});
  });

  it.each([
    ['YAML', 'clients: 101\nrate: 7/s\nshard: [http://127.0.0.1:7001]\n'],
    ['JSON', '{"clients": 101, "rate": "7/s", "shard": ["http://127.0.0.1:7001"]}'],
  ])('may be a job file in %s', (_form, content) => {
    const all = given('--target', 'ws', '--file', jobFile(content));
    expect(all.file).toEqual({ clients: 101, rate: '7/s', shard: ['http://127.0.0.1:7001'] });
    const { options, fleet, sources } = plannedRun(latency, all);
    expect(options).toMatchObject({ clients: 101, ratePerSecond: 7 });
    expect(fleet.shards).toEqual(['http://127.0.0.1:7001']);
    expect(sources).toMatchObject({ target: 'flag', ratePerSecond: 'file', shards: 'file' });
  });

  it('may use the short names of the environment, which the long ones outrank', () => {
    vi.stubEnv('SHARDS', 'http://127.0.0.1:7001,http://127.0.0.1:7003');
    vi.stubEnv('TARGET', 'uws');
    expect(plannedRun(latency, given())).toMatchObject({
      fleet: { shards: ['http://127.0.0.1:7001', 'http://127.0.0.1:7003'] },
      target: { name: 'uws' },
    });
    vi.stubEnv('RINGSIDE_TARGET', 'ws');
    expect(plannedRun(latency, given()).target.name).toBe('ws');
  });
});

describe('a file that is not a job file', () => {
  it.each([
    ['', 'nothing'],
    ['- clients\n', 'list'],
    ['hush-hush\n', 'string'],
    ['7', 'number'],
  ])('is refused, and what it holds is not told: %j', (content, kind) => {
    const path = jobFile(content);
    const [before, told] = messageOf(() => given('--file', path)).split(path);
    expect([before, told]).toEqual(['--file ', naming(kind)]);
    expect(told).not.toMatch(/clients|hush|7/);
  });

  it('is refused where it cannot be read or parsed', () => {
    const missing = join(folder, 'missing.yaml');
    expect(messageOf(() => given('--file', missing))).toContain(`--file ${missing}: ENOENT`);
    expect(messageOf(() => given('--file', jobFile('clients: [7')))).toMatch(/^--file .*job\.yaml: \S/);
  });

  it('is refused with every wrong entry at once', () => {
    const path = jobFile('clients: 0\nrates: 7/s\n');
    const [unknown, wrong] = messageOf(() => plannedRun(latency, given('--target', 'ws', '--file', path))).split('\n');
    expect([unknown, wrong]).toEqual([naming('rates in the file:', 'rate'), naming('clients in the file:', 1, 0)]);
  });
});

it('a misspelt variable is refused', async () => {
  vi.stubEnv('RINGSIDE_ALLOW_TARGETS', 'example.org');
  await expect(checkVariables([])).rejects.toThrow(/^RINGSIDE_ALLOW_TARGETS: /);
});
