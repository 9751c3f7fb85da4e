import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { plannedComparison, plannedRun } from '../../../test/planned.js';
import { naming } from '../../../test/refusal.js';
import { messagesBy } from '../../../test/refusals.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { startPlanned } from './start-target.js';

const latency = scenarioByName('latency') as Scenario;
const throughput = scenarioByName('throughput') as Scenario;
const brought = {
  targetUrl: 'ws://ring.example/ws',
  protocol: 'ws-json',
  publishUrl: 'http://ring.example/_broadcast',
};
const { publishUrl: _none, ...posted } = brought;

const run = (flags: Record<string, unknown>, scenario = latency, env: Record<string, string> = {}) =>
  plannedRun(scenario, { flags, env, file: {} });
const refusal = (flags: Record<string, unknown>, scenario = latency): string[] =>
  messagesBy(() => run(flags, scenario));

const folder = mkdtempSync(join(tmpdir(), 'ringside-planned-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'own.yml');
const map = (name: string): string =>
  `{ name: ${name}, targetUrl: ws://${name}.test/ws, protocol: ws-json, publishUrl: http://${name}.test/, header: "X-Pin: \${PIN}" }`;
writeFileSync(file, `- ${map('mine')}\n- ${map('staging')}\n`);
const PIN = 'hush';

describe('the headers of a target that runs already', () => {
  it('are of every upgrade, from flags or from the environment', () => {
    const header = ['Authorization: Bearer hush-{client}', 'Origin: https://ring.example'];
    expect(run({ ...brought, headers: header }).target).toMatchObject({
      protocolOptions: { headers: header },
    });
    expect(run(brought, latency, { RINGSIDE_HEADER: 'A: b, c\nD: e' }).target).toMatchObject({
      protocolOptions: { headers: ['A: b, c', 'D: e'] },
    });
  });

  it('are of no shape, and in no part of the plan that is kept', () => {
    const { options, load, fleet, sources } = run({ ...brought, headers: ['A: hush'] });
    expect(JSON.stringify([options, load, fleet, sources])).not.toContain('hush');
  });

  it('may go beside any path that a URL can have', () => {
    for (const path of ['/100%/x', '/%E9', '/%257Bclient%257D'])
      expect(run({ ...brought, targetUrl: `ws://ring.example${path}` }).target).toMatchObject({
        wsUrl: `ws://ring.example${path}`,
      });
  });

  it('are refused together with all else', () => {
    const flags = { ...brought, repeat: 0, headers: ['hush', 'Upgrade: hush'] };
    expect(refusal(flags)).toEqual([
      naming('--header:'),
      naming('--header:', 'Upgrade'),
      expect.stringMatching(/^--repeat: /),
    ]);
    expect(refusal(flags).join()).not.toContain('hush');
    expect(refusal({ target: 'ws', headers: ['A: b'] })).toEqual([naming('--header:', '--target-url')]);
  });
});

describe('the options of a protocol', () => {
  const socketio = { ...brought, protocol: 'socketio', targetUrl: 'ws://ring.example' };
  const given = { socketioNamespace: '/chat', socketioAuth: '{"token":"hush-{client}"}', socketioEvent: 'news' };

  it('are those of the target, each with its source', () => {
    const planned = run({ ...socketio, socketioNamespace: '/chat' }, latency, { RINGSIDE_SOCKETIO_EVENT: 'news' });
    expect(planned.target).toMatchObject({ protocolOptions: { socketioNamespace: '/chat', socketioEvent: 'news' } });
    expect(planned.sources).toMatchObject({
      socketioNamespace: 'flag',
      socketioEvent: 'environment',
      socketioAuth: 'default',
    });
    const own = join(folder, 'socketio.yml');
    const { targetUrl, publishUrl } = socketio;
    writeFileSync(own, JSON.stringify({ name: 'mine', targetUrl, publishUrl, protocol: 'socketio', ...given }));
    expect(run({ targetFiles: [own] }).target).toMatchObject({ protocolOptions: given });
  });

  it('are shown with the target, but for what is secret', async () => {
    const { target } = run({ ...socketio, ...given });
    const live = await startPlanned(target, { processes: 1, redeployment: undefined });
    expect((await live.describe('wire')).settings).toEqual({ ...given, socketioAuth: '(hidden)' });
  });

  it('are refused where the target speaks another protocol, or is one of ours', () => {
    expect(refusal({ ...brought, ...given })).toEqual(
      ['namespace', 'auth', 'event'].map((name) => naming(`--socketio-${name}:`, '--protocol socketio', 'ws-json')),
    );
    expect(refusal({ target: 'socketio', ...given })).toEqual([
      naming('--socketio-namespace, --socketio-auth, --socketio-event:', '--target-url'),
    ]);
  });

  it('can take away what a scenario needs', () => {
    const pusher = { ...brought, protocol: 'pusher' };
    const whisper = scenarioByName('whisper') as Scenario;
    const withPublic = () => run({ ...pusher, pusherChannel: 'public' }, whisper);
    expect(withPublic).toThrow(
      expect.objectContaining({
        exitCode: 2,
        problems: [expect.objectContaining({ code: 'missingVerb', hint: naming('--pusher-channel', 'presence') })],
      }),
    );
    expect(refusal({ ...pusher, pusherChannel: 'public' })).toEqual([]);
    expect(refusal(pusher, whisper)).toEqual([]);
  });

  it('that are about clients alone may go with a target of ours', () => {
    const whisper = scenarioByName('whisper') as Scenario;
    const target = 'metronome-pusher';
    expect(refusal({ target, pusherChannel: 'presence' })).toEqual([]);
    expect(refusal({ target, pusherChannel: 'presence' }, whisper)).toEqual([]);
    expect(refusal({ target, pusherChannel: 'public' }, whisper)).toHaveLength(1);
    expect(refusal({ target: 'ws', pusherChannel: 'public' })).toEqual([
      naming('--pusher-channel:', '--protocol pusher', 'ws-json'),
    ]);
    expect(refusal({ target, pusherChannel: 'public', pusherKey: 'k' })).toEqual([
      naming('--pusher-key:', '--target-url'),
    ]);
  });

  it('are refused where they can’t be right, without what is secret', () => {
    const wrong = { socketioNamespace: 'chat', socketioAuth: 'hush' };
    expect(refusal({ ...socketio, ...wrong })).toEqual([
      naming('--socketio-namespace:', '"chat"'),
      naming('--socketio-auth:', '(hidden)'),
    ]);
    for (const socketioNamespace of ['/a,b', '/a?b=1', '/a b', '/a#b'])
      expect(refusal({ ...socketio, socketioNamespace })).toHaveLength(1);
  });
});

it('an address holds no user, and no slot without a value', () => {
  expect(refusal({ ...brought, targetUrl: 'ws://me:hush@ring.example/{foo}?a={client}' })).toEqual([
    naming('--target-url:', '--header'),
    naming('--target-url:', '{client}', '{foo}'),
  ]);
  expect(refusal({ ...brought, targetUrl: 'ws://ring.example/ws?x={client}&y={foo}' })).toEqual([
    naming('--target-url:', '{client}', '{foo}'),
  ]);
  const { target } = run({ ...brought, targetUrl: 'ws://ring.example/ws?token={client}' });
  expect(target).toMatchObject({ wsUrl: 'ws://ring.example/ws?token={client}' });
});

it('a file of users has a line for each client, and its columns are slots', () => {
  const users = join(folder, 'users.csv');
  writeFileSync(users, `name\n${'u\n'.repeat(31)}`);
  const asked = { ...brought, users, targetUrl: 'ws://ring.example/{name}' };
  expect(refusal({ ...asked, clients: '32' })).toEqual([naming('--users:', 32, 31)]);
  expect(refusal({ ...asked, clients: '32', reusesUsers: true })).toEqual([]);
  expect(run({ ...asked, clients: '31' }).target.protocolOptions).toMatchObject({
    users: expect.stringMatching(/^name/),
  });
  // Those that publish are clients, too.
  expect(refusal({ ...asked, clients: '31', publish: 'clients', publishers: '3' }, throughput)).toEqual([
    naming('--users:', 34, 31),
  ]);
  expect(refusal({ ...brought, users: join(folder, 'none.csv') })).toEqual([naming('--users:', 'none.csv', 'ENOENT')]);
});

describe('where broadcasts are handed over', () => {
  it('must be said where the driver posts them, and only there', () => {
    expect(refusal({ ...posted, publish: 'clients' }, throughput)).toEqual([]);
    expect(
      refusal({ ...posted, publish: 'in-process', inProcessUrl: 'http://ring.example/_batch' }, throughput),
    ).toEqual([]);
    expect(refusal({ ...posted, publish: 'in-process' }, throughput)).toEqual([
      expect.stringMatching(/^--in-process-url: /),
    ]);
    expect(refusal(posted, throughput)).toEqual([naming('--publish-url:', 'throughput')]);
  });
});

describe('batches', () => {
  const batches = (flags: Record<string, unknown>): string[] => refusal({ ...flags, publish: 'batches' }, throughput);

  it('need a protocol, a target and an address that take them', () => {
    expect(batches({ target: 'soketi' })).toEqual([]);
    expect(batches({ target: 'ws' })).toEqual([naming('"batch"', 'ws-json')]);
    expect(batches({ target: 'anycable-pusher' })).toEqual([naming('"batch"', 'anycable-pusher')]);
    const pusher = { ...posted, protocol: 'pusher' };
    expect(batches(pusher)).toEqual([naming('--publish-url:')]);
    expect(batches({ ...pusher, publishUrl: 'http://ring.example' })).toEqual([]);
    expect(batches({ ...pusher, publishUrl: 'http://ring.example/_broadcast' })).toEqual([naming('--publish-url:')]);
  });

  it('are compared of targets that take them', () => {
    const { plans } = plannedComparison(throughput, { flags: { publish: 'batches' }, env: {}, file: {} });
    const names = plans.map(({ target }) => target.name);
    expect(names).toContain('soketi');
    expect(names.filter((name) => name.startsWith('anycable') || name === 'ws')).toEqual([]);
  });
});

describe('targets of a file', () => {
  const compared = (flags: Record<string, unknown>): string[] =>
    plannedComparison(latency, { flags: { targetFiles: [file], ...flags }, env: { PIN }, file: {} }).plans.map(
      ({ target }) => target.name,
    );

  it('are compared by themselves, or beside those that are named', () => {
    expect(compared({})).toEqual(['mine', 'staging']);
    expect(compared({ targets: ['uws', 'mine'] })).toEqual(['uws', 'mine', 'staging']);
    expect(compared({ targets: ['all'] })).toEqual(
      expect.arrayContaining(['ws', 'uws', 'socketio', 'mine', 'staging']),
    );
  });

  it('are run by their name, which may be left out where there is but one', () => {
    const { target } = run({ targetFiles: [file], target: 'staging' }, latency, { PIN });
    expect(target).toMatchObject({ isOurs: false, name: 'staging', protocolOptions: { headers: ['X-Pin: hush'] } });
    const one = join(folder, 'one.yml');
    writeFileSync(one, map('mine'));
    expect(run({ targetFiles: [one] }, latency, { PIN }).target.name).toBe('mine');
  });

  it('outrank a name that a weaker source has for something else', () => {
    const one = join(folder, 'alone.yml');
    writeFileSync(one, map('mine'));
    const named = (TARGET: string): string => run({ targetFiles: [one] }, latency, { PIN, TARGET }).target.name;
    expect([named('x86_64-unknown-linux-gnu'), named('mine')]).toEqual(['mine', 'mine']);
    const { plans } = plannedComparison(latency, {
      flags: { targetFiles: [one] },
      env: { PIN, TARGET: 'ws' },
      file: {},
    });
    expect(plans.map(({ target }) => target.name)).toEqual(['mine']);
    expect(messagesBy(() => run({ targetFiles: [] }))).toContainEqual(naming('--target:'));
  });

  it('are refused under their names, and where it is not said which', () => {
    const withPin = (flags: Record<string, unknown>, scenario = latency): string[] =>
      messagesBy(() => run({ targetFiles: [file], ...flags }, scenario, { PIN }));
    expect(withPin({})).toEqual([naming('--target:', '--target-file', 'nothing')]);
    expect(withPin({ target: 'ws', statsUrl: 'http://a/' })).toEqual([
      naming('--stats-url:', '--target-file'),
      naming('--target:', '--target-file', 'ws'),
    ]);
    expect(withPin({ target: 'mine' }, scenarioByName('avalanche'))).toEqual([
      naming('mine: --restart-command and --restart-url:'),
    ]);
    expect(messagesBy(() => run({ targetFiles: [file], target: 'mine' }))).toEqual(
      ['mine', 'staging'].map((name) =>
        naming(`--target-file ${file}:`, `line `, `${name}: header:`, 'PIN', 'nothing'),
      ),
    );
  });
});
