import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import { keptResult, workplace } from '../../../test/workplace.js';
import { packageFile } from '../../units/package-files.js';

const place = workplace();
const folder = mkdtempSync(join(tmpdir(), 'ringside-init-flow-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a flow against the example of a chat server, which has no other clients. Returns its ledger. */
async function ledgerOf(file: string, ...args: string[]) {
  const server = place.start(process.execPath, [packageFile('examples/servers/chat.mjs')], { PORT: '0' });
  const [, port] = await server.said('stdout', /port (\d+)/);
  const ended = await place.measure(['run', 'flow', file, '--target-url', `ws://127.0.0.1:${port}/`, ...args]);
  const { stop, ledger } = keptResult(ended);
  expect(stop.code).toBe('completed');
  return ledger;
}

it.concurrent('init flow writes a new file, and replaces none', async () => {
  const file = join(folder, 'chat.ts');
  expect(await place.run(['init', 'flow', '--file', file])).toMatchObject({ code: 0, stdout: '' });
  expect(await place.run(['init', 'flow', '--file', '-'])).toMatchObject({ stdout: readFileSync(file, 'utf8') });
  expect(await place.refused(['init', 'flow', '--file', file])).toEqual([named('badOption', '--file', file)]);
  // Seven in the first room of ten.
  const ledger = await ledgerOf(file, '--clients', '7', '--arrivals', '70');
  expect(ledger).toMatchObject({ sent: 350, delivered: 2450, asksAnswered: 14, checksKept: 7 });
});

it.concurrent('init flow --har writes one only of a recording', async () => {
  const [file, har] = [join(folder, 'recorded.ts'), join(folder, 'chat.har')];
  const refused = () => place.refused(['init', 'flow', '--har', har, '--file', file]);
  expect(await refused()).toEqual([named('badFile', har)]);
  writeFileSync(har, '{}');
  expect(await refused()).toEqual([named('badFile', har, 'HAR')]);
  expect(existsSync(file)).toBe(false);
});

it.concurrent('a flow of a recording does what the browser did, with secrets of its rows', async () => {
  const [file, har] = [join(folder, 'session.ts'), join(folder, 'session.har')];
  const message = (type: string, time: number, data: object) => ({ type, time, opcode: 1, data: JSON.stringify(data) });
  const beat = [3, 4, 5].map((time) => message('send', time, { op: 'ping' }));
  const opened = {
    startedDateTime: new Date(1000).toISOString(),
    time: 4000,
    _resourceType: 'websocket',
    request: { method: 'GET', url: 'ws://chat.example.com/', headers: [] },
    response: { status: 101 },
    _webSocketMessages: [
      message('send', 1.1, { op: 'ping', id: 'one', token: 'a secret' }),
      message('receive', 1.2, { op: 'pong', id: 'one' }),
      message('send', 2, { op: 'join', room: 'r' }),
      ...beat,
      message('receive', 7, { op: 'bye' }),
    ],
  };
  writeFileSync(har, JSON.stringify({ log: { version: '1.2', entries: [opened] } }));
  writeFileSync(join(folder, 'users.csv'), 'token\nx\ny\nz\n');
  expect(await place.run(['init', 'flow', '--har', har, '--file', file])).toMatchObject({ code: 0 });
  const ledger = await ledgerOf(file, '--clients', '3', '--arrivals', '30');
  expect(ledger).toMatchObject({ finished: 3, asks: 3, asksAnswered: 3, unscheduled: 3, sent: 9 });
});
