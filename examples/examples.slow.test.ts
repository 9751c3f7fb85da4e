import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flowLibrariesNeed } from '../src/targets/needs/list.js';
import { packageFile } from '../src/units/package-files.js';
import { besideLibraries, served, titleOf, whyNotHere } from '../test/flow-libraries.js';
import { Certificates, canCertify } from '../test/https-front.js';
import { latencyFlags, soundResult } from '../test/latency.js';
import { exitOf, keptResult, voidedBy, workplace } from '../test/workplace.js';

const place = workplace();
const targets = packageFile('/examples/targets/');

/** Starts an example, and gives its target file with the port that it listens on. */
async function targetFile(name: string, env: Record<string, string> = {}): Promise<string> {
  const server = place.start(process.execPath, [packageFile(`/examples/servers/${name}.mjs`)], { PORT: '0', ...env });
  const [, port] = await server.said('stdout', /port (\d+)\n/);
  const file = join(place.folder, `${name}.yml`);
  writeFileSync(
    file,
    readFileSync(`${targets}${name}.yml`, 'utf8').replaceAll(/127\.0\.0\.1:\d+/g, `127.0.0.1:${port}`),
  );
  return file;
}

const secret = 'prime';

/** A JSON Web Token (RFC 7519) that the Socket.IO example takes. */
function token(): string {
  const [head, body] = [{ alg: 'HS256' }, { sub: 'mira' }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');
  return `${head}.${body}.${signature}`;
}

async function broadcasts(file: string, env: Record<string, string> = {}): Promise<void> {
  const ended = await place.measure(['run', 'latency', '--target-file', file, ...latencyFlags(7, 20)], 1, env);
  const result = soundResult(ended);
  expect(result.ledger).toMatchObject({ attempted: 20, acked: 20, expected: 140, delivered: 140, lost: 0 });
  expect([result.stop.code, ended.code]).toEqual(['completed', exitOf(result)]);
}

async function echoes(file: string, ...more: string[]): Promise<void> {
  const flags = ['--clients', '7', '--rate', '5/s', '--duration', '2s', ...more];
  const ended = await place.measure(['run', 'echo', '--target-file', file, ...flags]);
  const result = keptResult(ended);
  expect([result.stop.code, voidedBy(result)]).toEqual(['completed', []]);
  const clean = { unsent: 0, lost: 0, duplicate: 0, late: 0, stray: 0 };
  expect(result.ledger).toMatchObject({ ...clean, sent: 70, expected: 70, delivered: 70 });
  expect(ended.code).toBe(exitOf(result));
}

describe('a target file of an ordinary server', () => {
  it.each(readdirSync(targets))('%s has at most eight lines', (file) => {
    const lines = readFileSync(`${targets}${file}`, 'utf8').split('\n');
    expect(lines.filter((line) => /^\s*[^\s#]/.test(line)).length).toBeLessThanOrEqual(8);
  });
});

describe.concurrent('an ordinary server, by its target file', () => {
  it('echoes as it is', async () => echoes(await targetFile('echo')));

  it('has JSON of its own and no HTTP', async () => {
    const file = await targetFile('chat');
    await Promise.all([broadcasts(file), echoes(file)]);
  });

  it('speaks Socket.IO with a namespace, a token and events of its own', async () =>
    broadcasts(await targetFile('socketio-chat', { SECRET: secret }), { CHAT_TOKEN: token() }));

  it('speaks MessagePack', async () => {
    const file = await targetFile('msgpack-chat');
    await Promise.all([broadcasts(file), echoes(file)]);
  });

  // Needs openssl (apt-get install openssl).
  it.skipIf(!canCertify)('shows a certificate of its own', async () => {
    const certificates = new Certificates(place.folder);
    const [KEY, CERT] = ['server.key', 'server.pem'].map((name) => certificates.path(name)) as [string, string];
    await echoes(await targetFile('secure-echo', { KEY, CERT }), '--ca', certificates.path('ca.pem'));
  });

  it('wants a login of each user', async () => broadcasts(await targetFile('login-chat')));
});

const flowFolder = 'examples/flows/';
const flowFiles = readdirSync(packageFile(flowFolder)).filter((file) => file.endsWith('.ts'));

/** What each flow does with so many clients, if the server loses nothing. */
const flows = [
  // Rooms of six. Everybody hears every key of the room, the own ones too.
  { flow: 'typing-game', server: 'game', clients: 12, books: { sent: 600, owed: 3600, delivered: 3600 } },
  {
    flow: 'chat-room',
    server: 'chat',
    clients: 20,
    books: { sent: 100, owed: 1000, delivered: 1000, asksAnswered: 100 },
  },
  {
    flow: 'login',
    server: 'login-chat',
    clients: 7,
    books: { sent: 70, owed: 490, delivered: 490, requestsAnswered: 7 },
  },
  // Four on a board, of which three see a move.
  { flow: 'shared-cursor', server: 'cursors', clients: 8, books: { sent: 400, owed: 1200, delivered: 1200 } },
  { flow: 'socketio-rooms', server: 'socketio-rooms', clients: 10, books: { checksKept: 100 } },
  { flow: 'graphql-subscription', server: 'graphql', clients: 5, books: { checksKept: 50 }, isInstalled: true },
  // A broker ends the socket when a client says goodbye.
  {
    ...{ flow: 'mqtt-telemetry', server: 'mqtt', clients: 5, isInstalled: true },
    books: { checksKept: 50, cut: expect.any(Number) },
  },
];

/** Counts of what goes wrong. */
const nothingWrong = {
  ...{ left: 0, ended: 0, notConnected: 0, cut: 0, unsent: 0, lost: 0, duplicate: 0, late: 0, stray: 0, unclear: 0 },
  ...{ asksUnanswered: 0, requestsFailed: 0, checksBroken: 0, checksNotReached: 0, streamLost: 0, threw: 0 },
};

describe('an example of a flow', () => {
  it.each(flowFiles)('%s has less than 40 lines and is tested', (file) => {
    expect(readFileSync(packageFile(flowFolder, file), 'utf8').split('\n').length).toBeLessThanOrEqual(40);
    expect(flows.map(({ flow }) => `${flow}.ts`)).toContain(file);
  });
});

describe.concurrent.each(flows)('the flow $flow', ({ flow, server, clients, books, isInstalled = false }) => {
  const why = whyNotHere(isInstalled ? [flowLibrariesNeed] : []);
  const placed = (path: string) => (isInstalled ? besideLibraries(place, path) : packageFile(path));

  it.skipIf(why)(titleOf('sees all that the server sends', why), async () => {
    const port =
      server === 'game'
        ? (await place.serve('servers/socketio/main.js', ['--port', '0'])).port
        : await served(place, placed(`examples/servers/${server}.mjs`));
    const load = ['--target-url', `ws://127.0.0.1:${port}`, '--clients', `${clients}`, '--duration', '40s'];
    const result = keptResult(await place.measure(['run', 'flow', placed(`${flowFolder}${flow}.ts`), ...load]));
    expect(result.ledger).toMatchObject({ ...nothingWrong, begun: clients, finished: clients, ...books });
    expect([result.stop.code, voidedBy(result)]).toEqual(['completed', []]);
  });
});
