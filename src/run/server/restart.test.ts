import { describe, expect, it } from 'vitest';
import { plannedRun } from '../../../test/planned.js';
import { naming } from '../../../test/refusal.js';
import { messagesBy } from '../../../test/refusals.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { inTurn, redeploymentOf, redeployProblems } from './restart.js';

const avalanche = scenarioByName('avalanche') as Scenario;
const deploy = scenarioByName('deploy') as Scenario;
const latency = scenarioByName('latency') as Scenario;
const brought = {
  targetUrl: 'ws://ring.example:3001/ws',
  protocol: 'ws-json',
  publishUrl: 'https://ring.example:3003/_broadcast',
};
const plan = (scenario: Scenario, flags: Record<string, unknown>) => plannedRun(scenario, { flags, env: {}, file: {} });

const refusal = (scenario: Scenario, flags: Record<string, unknown>): string[] =>
  messagesBy(() => plan(scenario, flags));

describe('how a target is restarted', () => {
  it.each([
    [{ restartCommand: 'systemctl restart ring' }, { command: 'systemctl restart ring' }],
    [{ restartUrl: 'https://ring.example/restart' }, { url: 'https://ring.example/restart' }],
  ])('is said by who brought it: %j', (given, restart) => {
    expect(plan(avalanche, { ...brought, ...given }).target).toMatchObject({ restart });
  });

  it('must be said before the run, once', () => {
    const flags = '--restart-command and --restart-url:';
    expect(refusal(avalanche, brought)).toEqual([naming(flags, 'avalanche', 'neither')]);
    const both = { ...brought, restartCommand: 'true', restartUrl: 'https://ring.example/restart' };
    expect(refusal(avalanche, both)).toEqual([naming(flags, 'both')]);
  });

  it('need not be said for a scenario that restarts nothing, nor for a target of ours', () => {
    expect(refusal(latency, brought)).toEqual([]);
    expect(refusal(avalanche, { target: 'ws' })).toEqual([]);
    expect(refusal(avalanche, { target: 'ws', restartCommand: 'true' })).toEqual([
      naming('--restart-command:', '--target-url'),
    ]);
  });
});

describe('an application', () => {
  const redeployment = (flags: Record<string, unknown>) => redeploymentOf(plan(deploy, flags));
  const problems = (flags: Record<string, unknown>) =>
    redeployProblems(plan(deploy, flags)).map(({ message }) => message);

  it.each([
    ['socketio', undefined, 'embedded'],
    ['uws', undefined, 'embedded'],
    ['anycable', undefined, 'standalone'],
    ['anycable-pro', undefined, 'standalone'],
    ['socketio', 'standalone', 'standalone'],
  ])('of %s, said to be %s, is %s', (target, application, expected) => {
    expect(redeployment({ target, application })).toMatchObject({ application: expected });
  });

  it('is redeployed as the options say, one process after the other unless they say otherwise', () => {
    expect(redeployment({ target: 'ws' })).toEqual({
      ...{ application: 'embedded', applicationProcesses: 1, signal: 'SIGTERM' },
      ...{ isRolling: true, pauseMs: 1000, downMs: 0 },
    });
    const flags = { applicationProcesses: '3', rollout: 'at-once', pauseMs: '7s', endedBy: 'kill' };
    const expected = { applicationProcesses: 3, isRolling: false, pauseMs: 7000, signal: 'SIGKILL' };
    expect(redeployment({ target: 'anycable', ...flags })).toMatchObject(expected);
  });

  it.each([
    [{ target: 'anycable', application: 'embedded' }, ['--application', 'standalone', 'embedded']],
    [{ target: 'ws', applicationProcesses: '3' }, ['--application-processes', '1', '3']],
    [
      { ...brought, restartCommand: 'true', application: 'standalone', applicationProcesses: '2' },
      ['--application-processes', '1', '2'],
    ],
    [{ target: 'ws', targetProcesses: '2' }, ['--rollout', 'at-once', 'rolling']],
  ])('can not be %j', (flags, [option, expected, received]) => {
    expect(problems(flags)).toEqual([naming(`${option}:`, expected!, received!)]);
  });

  it.each([
    [{ target: 'anycable', downMs: '25s' }, '25s', '1 process', '25s'],
    [{ target: 'anycable', applicationProcesses: '3', pauseMs: '5s', downMs: '5s' }, '25s', '3 processes', '25s'],
    [{ target: 'uws', targetProcesses: '2', pauseMs: '25001ms' }, '25001ms', '2 processes', '25s'],
  ])('can not take longer than its broadcasts: %j', (flags, leastMs, processes, left) => {
    expect(problems(flags)).toEqual([naming('--broadcasts:', leastMs, processes, left)]);
    expect(problems({ ...flags, broadcasts: '70' })).toEqual([]);
  });

  it('is not held against waits that are not ours', () => {
    expect(problems({ ...brought, restartCommand: 'true', downMs: '60s' })).toEqual([]);
  });

  it('is refused where nothing is left to publish after the order', () => {
    expect(refusal(deploy, { target: 'ws', broadcasts: '10' })).toEqual([naming('--broadcasts:', 11, 10)]);
  });

  it('may be of several processes', () => {
    expect(problems({ target: 'uws', targetProcesses: '3' })).toEqual([]);
    expect(problems({ target: 'anycable', applicationProcesses: '3' })).toEqual([]);
  });

  it('is no concern of a scenario that restarts the target, nor of one that restarts nothing', () => {
    expect(redeploymentOf(plan(avalanche, { target: 'uws' }))).toMatchObject({
      application: 'embedded',
      isRolling: false,
    });
    expect(redeploymentOf(plan(latency, { target: 'uws' }))).toBeUndefined();
    expect(redeployProblems(plan(avalanche, { target: 'uws', targetProcesses: '3' }))).toEqual([]);
  });
});

const going = new AbortController().signal;

function actions(log: string[], over?: AbortController) {
  return [7, 11, 13].map((value) => async () => {
    log.push(`begin ${value}`);
    await new Promise(setImmediate);
    log.push(`end ${value}`);
    if (value === 11) over?.abort();
    return value;
  });
}

it('several things are done one after the other where that is rolling', async () => {
  const log: string[] = [];
  expect(await inTurn(actions(log), { isRolling: true, pauseMs: 0 }, going)).toBe(31);
  expect(log).toEqual(['begin 7', 'end 7', 'begin 11', 'end 11', 'begin 13', 'end 13']);
});

it('several things are done at once where it is not', async () => {
  const log: string[] = [];
  expect(await inTurn(actions(log), { isRolling: false, pauseMs: 0 }, going)).toBe(31);
  expect(log.slice(0, 3)).toEqual(['begin 7', 'begin 11', 'begin 13']);
});

it('several things are left undone from the end of the run on', async () => {
  const log: string[] = [];
  const over = new AbortController();
  expect(await inTurn(actions(log, over), { isRolling: true, pauseMs: 0 }, over.signal)).toBe(18);
  expect(log).not.toContain('begin 13');
});
