import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { named, naming } from '../../../test/refusal.js';
import type { Problem } from '../../contract/problems.js';
import { ownServer } from '../../targets/launch/managed-server.js';
import { readExternalTarget, readTargetFiles } from './external-targets.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-own-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** As a map refers to a variable. */
const from = (name: string): string => `\${${name}}`;

function written(text: string): string {
  const path = join(folder, 'own.yml');
  writeFileSync(path, text);
  return path;
}

const mine = { name: 'mine', targetUrl: 'wss://ring.example/ws', protocol: 'ws-json' };
const faultsOf = (map: Record<string, unknown>): string[] => {
  const read = readExternalTarget(map, { PIN: 'hush' }, folder);
  return 'faults' in read ? read.faults.map(({ key, text }) => `${key}: ${text}`) : [];
};

it('a target of the user’s own is read with the values of the environment that it names', () => {
  const map = {
    ...mine,
    header: [`Authorization: Bearer ${from('TOKEN')}`, `X-Both: ${from('A')}-${from('B')}`],
    publishUrl: from('PUBLISH'),
    publishToken: 'plain $HOME',
    restartCommand: 'systemctl restart mine',
  };
  const variables = { TOKEN: 'hush', A: '7', B: '11', PUBLISH: 'https://ring.example/_broadcast' };
  expect(readExternalTarget(map, variables, folder)).toEqual({
    target: {
      name: 'mine',
      wsUrl: 'wss://ring.example/ws',
      options: {
        protocol: 'ws-json',
        headers: ['Authorization: Bearer hush', 'X-Both: 7-11'],
        publishUrl: 'https://ring.example/_broadcast',
        publishToken: 'plain $HOME',
        restartCommand: 'systemctl restart mine',
      },
    },
  });
});

it('a target of the user’s own is refused with all that is wrong, and without what came from the environment', () => {
  expect(
    faultsOf({ ...mine, name: 'uws', publishUrl: from('PIN'), statsUrl: 7, header: from('NONE'), port: 1 }),
  ).toEqual([
    naming('name:', 'uws'),
    naming('header:', 'NONE', 'nothing'),
    naming('port:', 'targetUrl', 'protocol', 'header', 'unknown'),
    naming('publishUrl:', '(hidden)'),
    naming('statsUrl:', 7),
  ]);
  expect(faultsOf({ name: 'Mine and yours' })).toEqual([naming('name:'), naming('targetUrl:', 'ws://', 'nothing')]);
});

const login = { post: '/login', json: { user: '{name}' }, take: 'token' };

it('the clients of a server have a file beside that of the target, and a login with values of the environment', () => {
  const clients = { file: 'users.csv', reuse: true, login: { ...login, json: { pin: from('PIN') } } };
  expect(readExternalTarget({ ...mine, clients }, { PIN: 'hush' }, folder)).toMatchObject({
    target: {
      options: {
        users: join(folder, 'users.csv'),
        reusesUsers: true,
        login: JSON.stringify({ ...login, json: { pin: 'hush' } }),
      },
    },
  });
});

it('the clients of a server are refused with all that is wrong, and without a value', () => {
  const clients = { file: 7, reuse: 'maybe', login: { post: from('PIN') }, users: 'x' };
  expect(faultsOf({ ...mine, clients })).toEqual([
    naming('clients.users:', 'unknown'),
    naming('clients.file:', 'text', '(hidden)'),
    naming('clients.reuse:', 'true or false'),
    naming('clients.login:', 'post'),
    naming('clients.login:', 'take'),
  ]);
  expect(faultsOf({ ...mine, clients: 'hush' })).toEqual([naming('clients:', 'unknown')]);
});

const here = { targetUrl: 'ws://127.0.0.1:{port}/ws', publishUrl: 'http://127.0.0.1:{port}/_broadcast' };
const startable = { ...mine, ...here, start: { command: 'node server.js' } };

it('a server that Ringside starts has its command, and addresses with the port that it will have', () => {
  const health = 'http://127.0.0.1:{port}/health';
  const start = { command: `node --key ${from('KEY')}`, directory: '.', environment: { LEVEL: 7 }, health };
  const read = readExternalTarget({ ...startable, start }, { KEY: 'hush' }, folder);
  const server = 'target' in read ? read.target.server : undefined;
  expect(server).toEqual({
    command: 'node --key hush',
    directory: folder,
    environment: { LEVEL: '7' },
    settings: { command: `node --key ${from('KEY')}` },
    urls: { wsUrl: here.targetUrl, publishUrl: here.publishUrl, healthUrl: health },
  });
  const target = ownServer({ name: 'mine', protocol: 'ws-json', ...server! });
  expect(target.endpoints({ host: '127.0.0.1', port: 7001 })).toEqual({
    wsUrl: 'ws://127.0.0.1:7001/ws',
    wsUrls: ['ws://127.0.0.1:7001/ws'],
    publishUrl: 'http://127.0.0.1:7001/_broadcast',
    healthUrl: 'http://127.0.0.1:7001/health',
  });
  expect(target.start({ host: '127.0.0.1', port: 7001 }).env).toEqual({ PORT: '7001', LEVEL: '7' });
});

it('a server that Ringside starts is asked for a connection where it has no address for its health', () => {
  const read = readExternalTarget(startable, {}, folder);
  const target = ownServer({
    name: 'mine',
    protocol: 'ws-json',
    ...('target' in read ? read.target.server! : never()),
  });
  expect(target.endpoints({ host: '127.0.0.1', port: 7001 }).healthUrl).toBe('tcp://127.0.0.1:7001');
});

it('a server that Ringside starts is refused with all that is wrong', () => {
  const start = { directory: 7, environment: { 'A-B': 'x', LIST: [] }, health: 'ftp://{port}', shell: 'bash' };
  const wrong = { targetUrl: 'wss://ring.example/ws', restartCommand: 'true', statsUrl: 'http://127.0.0.1:7/_stats' };
  expect(faultsOf({ ...startable, ...wrong, start })).toEqual([
    naming('start.command:', 'nothing'),
    naming('start.directory:', 'text'),
    naming('start.environment.A-B:'),
    naming('start.environment.LIST:', 'text'),
    naming('start.health:', 'http://'),
    naming('start.shell:', 'command', 'unknown'),
    naming('restartCommand:', 'start'),
    naming('targetUrl:', '127.0.0.1:{port}'),
    naming('statsUrl:', '127.0.0.1:{port}'),
  ]);
  expect(faultsOf({ ...startable, start: { command: 'true', directory: 'nowhere' } })).toEqual([
    naming('start.directory:', join(folder, 'nowhere')),
  ]);
  expect(faultsOf({ ...startable, start: 'node server.js' })).toEqual([naming('start:', 'command')]);
  expect(faultsOf({ ...startable, start: { command: from('NONE') } })).toEqual([naming('start:', 'NONE')]);
});

function never(): never {
  throw new Error('the map was refused');
}

it('a file of targets holds one, or a list', () => {
  const problems: Problem[] = [];
  const one = written('{ name: mine, targetUrl: ws://a.test, protocol: ws-json }');
  expect(readTargetFiles([one], {}, problems).map(({ name }) => name)).toEqual(['mine']);
  const two = written(
    `- { name: mine, targetUrl: ws://a.test }\n- { name: staging, targetUrl: "ws://b.test/${from('A')}" }\n`,
  );
  expect(readTargetFiles([two], { A: 'ws' }, problems).map(({ wsUrl }) => wsUrl)).toEqual([
    'ws://a.test',
    'ws://b.test/ws',
  ]);
  expect(problems).toEqual([]);
});

it.each([
  ['- { name: mine, targetUrl: ws://a }\n- { name: mine, targetUrl: ws://b }', ['mine']],
  ['{ name: mine, targetUrl: http://a }', ['mine: targetUrl:']],
  ['hush', []],
  ['[]', []],
])('a file of targets is refused: %s', (text, names) => {
  const problems: Problem[] = [];
  const path = written(text);
  readTargetFiles([path], {}, problems);
  expect(problems).toEqual([named('badFile', `--target-file ${path}:`, ...names)]);
});

it('a file of targets must be there', () => {
  const problems: Problem[] = [];
  expect(readTargetFiles(['/nowhere/own.yml'], {}, problems)).toEqual([]);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('/nowhere/own.yml')]);
});
