import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plannedComparison, plannedRun } from '../../../test/planned.js';
import { naming } from '../../../test/refusal.js';
import { ProblemError } from '../../contract/problems.js';
import { protocolByName } from '../../protocols/list.js';
import { latency as declared } from '../../scenarios/latency.js';
import { scenarioByName } from '../../scenarios/list.js';
import { loadOptions } from '../../scenarios/load-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { targets } from '../../targets/list.js';
import { type GivenForRun, planRun, readingWithout, readOptions, runSchema, valuesOf } from './plan.js';
import { targetOptions, watchOptions } from './run-options.js';

const latency = scenarioByName('latency') as Scenario;
const given = (flags: Record<string, unknown>, more: Partial<GivenForRun> = {}): GivenForRun => ({
  flags,
  env: {},
  file: {},
  ...more,
});
const brought = {
  targetUrl: 'ws://ring.example:3001/ws',
  protocol: 'ws-json',
  publishUrl: 'https://ring.example:3003/_broadcast',
};

function messages(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.exitCode).toBe(2);
    return error.problems.map(({ message }) => message);
  }
  throw new Error('nothing was refused');
}

const refusal = (flags: Record<string, unknown>): string[] => messages(() => plannedRun(latency, given(flags)));

describe('the values of a plan', () => {
  it('are of one reading: options that its command does not list stand at their defaults, and its own stay out', () => {
    const listed = z.strictObject({ ...targetOptions.shape, ...loadOptions.shape, ...watchOptions.shape });
    const read = readOptions(listed, given({ target: 'ws', isWatched: true, client: 'library', seed: '7' }));
    const { fleet, load, sources } = planRun(latency, read);
    expect([load.client, fleet.resultsDir, fleet.thresholds]).toEqual(['library', 'results', []]);
    expect(Object.keys(sources)).toEqual(Object.keys(runSchema(latency).shape));
    expect([sources.client, sources.thresholds]).toEqual(['flag', 'default']);
    expect(valuesOf(watchOptions, read)).toEqual({ isWatched: true, watchPort: 0 });
    expect(valuesOf(watchOptions, readingWithout(watchOptions, read)).isWatched).toBe(false);
  });

  it('come from flag, environment, file and default, in that order, and it is told from where', () => {
    const env = { RINGSIDE_CLIENTS: '103', RINGSIDE_BROADCASTS: '37', RINGSIDE_RATE: '' };
    const file = { clients: 107, broadcasts: 41, rate: '17/s', drain: '3s' };
    const { options, sources } = plannedRun(latency, given({ target: 'ws', clients: '101' }, { env, file }));
    expect(options).toMatchObject({ clients: 101, broadcasts: 37, ratePerSecond: 17, drainMs: 3000, warmUp: 10 });
    expect(sources).toMatchObject({
      target: 'flag',
      clients: 'flag',
      broadcasts: 'environment',
      ratePerSecond: 'file',
      drainMs: 'file',
      warmUp: 'default',
      token: 'default',
    });
  });

  it('are kept apart by whom they concern', () => {
    const { options, load, fleet } = plannedRun(
      latency,
      given({ target: 'ws', clients: '7', client: 'library', shards: ['http://127.0.0.1:7001'], token: 'abc' }),
    );
    expect(Object.keys(options).sort()).toEqual(Object.keys(declared.options.shape).sort());
    expect(load.client).toBe('library');
    expect(fleet).toMatchObject({ shards: ['http://127.0.0.1:7001'], token: 'abc', localShards: 1 });
    expect(JSON.stringify([options, load])).not.toContain('abc');
  });

  it('have the seed that was given, or a fresh one', () => {
    expect(plannedRun(latency, given({ target: 'ws', seed: '7919' })).fleet.seed).toBe(7919);
    const { seed } = plannedRun(latency, given({ target: 'ws' })).fleet;
    expect(Number.isInteger(seed) && seed >= 0 && seed <= 0xffff_ffff).toBe(true);
  });

  it('are refused with every problem at once', () => {
    expect(refusal({ target: 'ws', clients: '0', ratePerSecond: 'fast', isJson: true })).toEqual([
      naming('--clients:', 1, '"0"'),
      naming('--rate:', '"fast"'),
    ]);
    expect(refusal({ localAddresses: ['127.0.0.9-127.0.0.2', 'here'], caPem: '/nowhere/ca.pem' })).toEqual([
      expect.stringMatching(/^--local-address: .*"127\.0\.0\.9-127\.0\.0\.2"/),
      expect.stringMatching(/^--local-address: .*"here"/),
      naming('--ca:', '/nowhere/ca.pem'),
      naming('--target:', '--target-url', '--protocol', '--publish-url'),
    ]);
  });

  it('offer compression by wire clients alone', () => {
    expect(refusal({ target: 'ws', client: 'library', compression: 'require' })).toEqual([
      naming('--compression:', 'library'),
    ]);
  });

  it('are checked as far as they are right where others are not', () => {
    expect(
      refusal({ protocol: 'shotout', thresholds: ['foo', 'delivery.p99<200'], clients: '1O', shards: ['box:80'] }),
    ).toEqual([
      naming('--clients:', '"1O"'),
      naming('--shard:', 'http://', '["box:80"]'),
      naming('--threshold:', 'foo'),
      naming('--threshold:', '200 in delivery.p99<200'),
      naming('--protocol:', '--target-url'),
      naming('--target:', '--target-url', '--protocol', '--publish-url'),
    ]);
    expect(refusal({ ...brought, targetUrl: '127.0.0.1:4100/ws', clients: '0' })).toEqual([
      naming('--target-url:', 'ws://', '"127.0.0.1:4100/ws"'),
      naming('--clients:', 1, '"0"'),
    ]);
  });

  it('never show a secret', () => {
    expect(refusal({ target: 'ws', token: '', publishToken: 'hush' }).join('\n')).not.toContain('hush');
  });
});

describe('the target of a plan', () => {
  it('may be one of ours', () => {
    expect(plannedRun(latency, given({ target: 'socketio-csr' })).target).toMatchObject({
      isOurs: true,
      name: 'socketio-csr',
      protocol: 'socketio',
    });
  });

  it('may be one that runs already, and is then called by its address', () => {
    const { target } = plannedRun(latency, given({ ...brought, publishToken: 'hush' }));
    expect(target).toEqual({
      isOurs: false,
      name: 'ring.example:3001',
      protocol: 'ws-json',
      protocolOptions: {},
      wsUrl: brought.targetUrl,
      publishUrl: brought.publishUrl,
      statsUrl: undefined,
      publishHeaders: { authorization: 'Bearer hush' },
    });
    expect(plannedRun(latency, given(brought)).target).toMatchObject({ publishHeaders: {} });
  });

  it.each([
    [{ target: 'wz' }, [naming('--target:', '"wz"')]],
    [{}, [naming('--target:', '--target-url', '--protocol', '--publish-url')]],
    [{ ...brought, target: 'ws' }, [naming('--target and --target-url:')]],
    [
      { targetUrl: brought.targetUrl },
      [naming('--protocol:', '`ringside list protocols`', 'nothing'), naming('--publish-url:', 'latency', 'nothing')],
    ],
    [{ ...brought, protocol: undefined }, [naming('--protocol:', '`ringside list protocols`', 'nothing')]],
    [{ ...brought, protocol: 'smoke' }, [naming('--protocol:', '`ringside list protocols`', 'smoke')]],
    [
      { target: 'ws', protocol: 'ws-json', statsUrl: 'http://127.0.0.1/' },
      [naming('--protocol, --stats-url:', '--target-url')],
    ],
  ])('is refused: %j', (flags, expected) => {
    expect(refusal(flags)).toEqual(expected);
  });

  it('is the one that is brought where a weaker source names another', () => {
    const env = { TARGET: 'x86_64-unknown-linux-gnu' };
    expect(plannedRun(latency, given(brought, { env })).target.name).toBe('ring.example:3001');
    expect(messages(() => plannedRun(latency, given({}, { env })))).toEqual([
      naming('TARGET:', '"x86_64-unknown-linux-gnu"'),
    ]);
    expect(messages(() => plannedRun(latency, given({}, { env, file: brought })))).toEqual([
      naming('TARGET and targetUrl in the file:'),
    ]);
    expect(messages(() => plannedComparison(latency, given({}, { env })))).toEqual([
      naming('TARGET:', '"x86_64-unknown-linux-gnu"'),
    ]);
  });

  it('must speak a protocol that has what the scenario needs', () => {
    const whispering = { ...latency, needs: () => ['subscribe', 'smoke'] } as unknown as Scenario;
    expect(messages(() => plannedRun(whispering, given({ target: 'ws' })))).toEqual([naming('latency', '"smoke"')]);
    const steps = scenarioByName('steps') as Scenario;
    expect(() => plannedRun(steps, given({ target: 'ws' }))).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({
            hint: expect.stringMatching(/shootout, shootout-cable; targets .*: ws-shootout, /),
          }),
        ],
      }),
    );
  });
});

describe('a target that is to publish by itself', () => {
  const throughput = scenarioByName('throughput') as Scenario;
  const refused = (flags: Record<string, unknown>): string[] =>
    messages(() => plannedRun(throughput, given({ publish: 'in-process', ...flags })));

  it('must be one that does', () => {
    expect(refused({ target: 'metronome' })).toEqual([naming('--target:', 'metronome')]);
    expect(plannedRun(throughput, given({ publish: 'in-process', target: 'uws' })).target.name).toBe('uws');
    expect(plannedRun(throughput, given({ target: 'metronome' })).target.name).toBe('metronome');
  });

  it('must say where, when it runs already', () => {
    expect(refused(brought)).toEqual([naming('--in-process-url:', 'http://', 'nothing')]);
    const inProcessUrl = 'https://ring.example:3003/_publish-in-process';
    const { target } = plannedRun(throughput, given({ ...brought, publish: 'in-process', inProcessUrl }));
    expect(target).toMatchObject({ inProcessUrl });
  });

  it('is compared by default with those that do, too', () => {
    const { plans } = plannedComparison(throughput, given({ publish: 'in-process' }));
    expect(plans.map(({ target }) => target.name)).toEqual([
      ...[
        'ws',
        'uws',
        'socketio',
        'socketio-csr',
        'socketio-uws',
        'socketio-bun',
        'socketio-bun-engine',
        'socketio-redis',
        'socketio-redis-streams',
        'bun',
      ],
    ]);
  });
});

describe('the plans of a comparison', () => {
  it('has every able target by default, in the order of the list, with one shape and seed', () => {
    const speaksStreams = (protocol: string) => protocolByName(protocol)?.verbs.includes('subscribe');
    const { plans, repeat } = plannedComparison(latency, given({ clients: '101' }));
    expect(plans.map(({ target }) => target.name)).toEqual(
      targets.filter((each) => each.isKnownTruth !== true && speaksStreams(each.protocol)).map(({ name }) => name),
    );
    expect(repeat).toBe(3);
    expect(new Set(plans.map(({ fleet }) => fleet.seed)).size).toBe(1);
    for (const { options } of plans) expect(options.clients).toBe(101);
  });

  it('leave out what lacks a verb of its protocol', () => {
    const { plans } = plannedComparison(scenarioByName('game')!, given({}));
    expect(plans.map(({ target }) => target.name)).toEqual([
      ...['socketio', 'socketio-csr', 'socketio-uws', 'socketio-bun', 'socketio-bun-engine'],
    ]);
  });

  it('are of those named', () => {
    const { plans, repeat } = plannedComparison(latency, given({ targets: ['uws', 'ws'], repeat: '7' }));
    expect(plans.map(({ target }) => target.name)).toEqual(['uws', 'ws']);
    expect(repeat).toBe(7);
  });

  it('are refused with every unknown name at once', () => {
    expect(
      messages(() => plannedComparison(latency, given({ targets: ['wz', 'ws', 'uwz'], localAddresses: ['x'] }))),
    ).toEqual([expect.stringMatching(/^--local-address: /), naming('--target:', '"wz"'), naming('--target:', '"uwz"')]);
  });
});
