import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Ended } from '../../test/command.js';
import { LoginServer } from '../../test/login-server.js';
import { exitOf, keptDirectory, keptResult, workplace } from '../../test/workplace.js';

const place = workplace();
const clients = 101;
let server: LoginServer;

afterEach(() => server.close());

/** A target file of a server with a login; with `more` lines for its clients. */
async function targetFile(name: string, login: string, more = ''): Promise<string> {
  const port = await server.listen();
  const file = join(place.folder, `${name}.yml`);
  writeFileSync(file, `name: ${name}\nprotocol: ws-json\ntargetUrl: ws://127.0.0.1:${port}${login}\n${more}`);
  return file;
}

/** Nothing of a token, a row or a login is told; a failure does not tell it either. */
function expectNothingTold(...ended: Ended[]): void {
  const kept = ended.flatMap((each) => {
    const directory = keptDirectory(each);
    const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((path) => join(directory, path));
    return paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, 'latin1'));
  });
  const told = [...kept, ...ended.flatMap(({ stdout, stderr }) => [stdout, stderr])];
  expect(told.filter((text) => /hush/.test(text)).length).toBe(0);
}

const json = `{ user: 'hush-{name}', n: '{client}' }`;
const login = `clients: { login: { post: /login, json: ${json}, take: token }, file: users.csv }\n`;
const rows = (count: number): string =>
  `\ufeffname,city\r\n${Array.from({ length: count }, (_, row) => `"hush-row ${row}",x\r\n`).join('')}`;

it('clients that log in have a token each, and none is used twice', async () => {
  server = new LoginServer();
  writeFileSync(join(place.folder, 'users.csv'), rows(clients));
  const file = await targetFile('mine', '/ws?token={token}', login);
  const flags = ['--clients', String(clients), '--workers', '2', '--duration', '2s', '--rate', '1/s', '--seed', '7'];
  const ended = await place.measure(['run', 'echo', '--target-file', file, ...flags], 2);
  const result = keptResult(ended);
  const { ledger, metrics, stop, target } = result;
  expect([ended.code, stop.code]).toEqual([exitOf(result), 'completed']);
  expect(ledger).toMatchObject({ loginsAsked: clients, loggedIn: clients, loginsFailed: 0, sent: 2 * clients });
  expect(metrics.login?.count).toBe(clients);
  expect(server.uses.size).toBe(clients);
  expect([...server.uses.values()].every((uses) => uses === 1)).toBe(true);
  const users = server.logins.map(({ body }) => JSON.parse(body) as { user: string; n: string });
  expect(new Set(users.map(({ user }) => user)).size).toBe(clients);
  expect(users.map(({ n }) => Number(n)).sort((a, b) => a - b)).toEqual(Array.from({ length: clients }, (_, n) => n));
  expect(target.settings).toMatchObject({ users: `${clients} lines`, login: '(hidden)' });
  expectNothingTold(ended);
});

it('clients that log in fail by cause where a login is refused, and never connect', async () => {
  server = new LoginServer((number) => number % 7 === 6);
  const failed = Math.floor(clients / 7);
  const file = await targetFile(
    'strict',
    '/ws',
    `header: "Authorization: Bearer {token}"
clients: { login: { post: /login, form: { user: 'hush-{client}' }, take: token } }`,
  );
  const load = ['--clients', String(clients), '--rate', '200/s'];
  const ended = await place.measure(['run', 'connect', '--target-file', file, ...load], 2);
  const { ledger } = keptResult(ended);
  const cause = { 'login-failed:http-status:401': failed };
  expect(ledger).toMatchObject({
    ...{ asked: clients, opened: clients - failed, failed, failedByCause: cause },
    ...{ loginsAsked: clients, loggedIn: clients - failed, loginsFailed: failed, loginsFailedByCause: cause },
  });
  expect(server.upgrades).toHaveLength(clients - failed);
  expectNothingTold(ended);
});
