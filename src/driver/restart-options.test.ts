import { describe, expect, it } from 'vitest';
import { ProblemError } from '../contract/problems.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';
import { planRun } from './plan.js';
import { processesProblems } from './restart-options.js';

const avalanche = scenarioByName('avalanche') as Scenario;
const latency = scenarioByName('latency') as Scenario;
const brought = {
  targetUrl: 'ws://ring.example:3001/ws',
  protocol: 'ws-json',
  publishUrl: 'https://ring.example:3003/_broadcast',
};
const plan = (scenario: Scenario, flags: Record<string, unknown>) => planRun(scenario, { flags, env: {}, file: {} });

function refusal(scenario: Scenario, flags: Record<string, unknown>): string[] {
  try {
    plan(scenario, flags);
  } catch (error) {
    if (error instanceof ProblemError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

describe('how a target is restarted', () => {
  it.each([
    [{ restartCommand: 'systemctl restart ring' }, { command: 'systemctl restart ring' }],
    [{ restartUrl: 'https://ring.example/restart' }, { url: 'https://ring.example/restart' }],
  ])('is said by who brought it: %j', (given, restart) => {
    expect(plan(avalanche, { ...brought, ...given }).target).toMatchObject({ restart });
  });

  it('must be said before the run, once', () => {
    const flags = '--restart-command and --restart-url: expected one of them';
    expect(refusal(avalanche, brought)).toEqual([
      `${flags}, as scenario avalanche restarts the target; received neither`,
    ]);
    const both = { ...brought, restartCommand: 'true', restartUrl: 'https://ring.example/restart' };
    expect(refusal(avalanche, both)).toEqual([`${flags}, received both`]);
  });

  it('need not be said for a scenario that restarts nothing, nor for a target of ours', () => {
    expect(refusal(latency, brought)).toEqual([]);
    expect(refusal(avalanche, { target: 'ws' })).toEqual([]);
    expect(refusal(avalanche, { target: 'ws', restartCommand: 'true' })).toEqual([
      '--restart-command: goes with --target-url, which is not given',
    ]);
  });

  it('leaves a target of ours one process', () => {
    const { fleet } = plan(avalanche, { target: 'uws', targetProcesses: '3' });
    expect(processesProblems(avalanche, fleet).map(({ message }) => message)).toEqual([
      '--target-processes: expected 1, received 3: scenario avalanche restarts the target, whose further processes would come back at other ports',
    ]);
    expect(processesProblems(latency, fleet)).toEqual([]);
  });
});
