import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { flowFiles } from '../../../test/flow-files.js';
import { named } from '../../../test/refusal.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const folder = mkdtempSync(join(tmpdir(), 'ringside-try-'));
const servers: WebSocketServer[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

interface Said {
  op: string;
  id: unknown;
}

/** A chat server that answers all, but for the messages of `mute`. A login gives a token, which it says again. */
async function chat(mute: readonly string[] = []): Promise<number> {
  const http = createServer((_request, response) => response.end('{"token":"sesame-7"}')).listen(0, '127.0.0.1');
  const server = new WebSocketServer({ server: http });
  servers.push(server);
  server.once('close', () => http.close());
  const answer = (socket: WebSocket, { op, id }: Said, text: string): void => {
    const others = [...server.clients].filter((each) => each !== socket);
    if (mute.includes(op)) return;
    if (op === 'hello') socket.send('{"op":"welcome","token":"sesame-7"}');
    if (op === 'join') socket.send('{"op":"joined"}');
    if (op === 'say') socket.send(`{"ok":${id}}`);
    if (op === 'ping') socket.send(Buffer.from(text));
    if (op === 'say' || op === 'whisper') for (const each of others) each.send(text);
  };
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => answer(socket, JSON.parse(data.toString()), data.toString()));
  });
  await new Promise((resolve) => http.once('listening', resolve));
  return (http.address() as AddressInfo).port;
}

function described(port: number): string {
  const file = join(folder, `${port}.yml`);
  writeFileSync(
    file,
    `name: mine
targetUrl: ws://127.0.0.1:${port}/?token={token}
clients: { login: { post: /login, take: token } }
messages:
  hello: '{"op":"hello","token":"{token}"}'
  ready: '"op":"welcome"'
  subscribe: { send: '{"op":"join","room":"{stream}"}', confirmed: '"op":"joined"' }
  publish: { send: '{"op":"say","id":{n},"text":"{data}"}', acked: '"ok":{n}' }
  echo: { send: '{"op":"ping","text":"{data}"}' }
  whisper: { send: '{"op":"whisper","text":"{data}"}' }
`,
  );
  return file;
}

/** What a client did, without times: steps, and the direction, kind and `op` of messages. */
function seenBy(client: number, stdout: string): string[] {
  const lines = stdout.split('\n').flatMap((line) => /ms {2}client (\d+) +(.*)$/.exec(line) ?? []);
  const own = lines.flatMap((each, at) => (at % 3 === 1 && Number(each) === client ? [lines[at + 1] as string] : []));
  return own.map((text) => text.replace(/^([→←]) (text|binary), \d+ B {2}.*?"(?:op":"(\w+)|(ok)).*$/, '$1 $2 $3$4'));
}

it.concurrent('shows all that a client and a server say, in order, without what a login gave', async () => {
  const ended = await place.run(['try', described(await chat())]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).not.toContain('sesame');
  const [speaker, listener] = [seenBy(0, ended.stdout), seenBy(1, ended.stdout)];
  const entered = ['logged in', 'open', '→ text hello', '← text welcome', 'ready', '→ text join', '← text joined'];
  expect(speaker.slice(0, 12)).toEqual([...entered, 'subscribed', '→ text say', '← text ok', 'acked', '→ text ping']);
  expect(speaker.slice(12)).toEqual([
    expect.stringMatching(/^← binary, \d+ B {2}[0-9a-f]+…?$/),
    'the echo came back',
    '→ text whisper',
  ]);
  expect(listener).toEqual([
    ...entered,
    'subscribed',
    '← text say',
    'delivered',
    '← text whisper',
    'the whisper arrived',
  ]);
  expect(ended.stdout.match(/^✓/gm)).toHaveLength(10);
});

it.concurrent('says what it waited for where a confirmation never comes', async () => {
  const { code, stdout } = await place.run(['try', described(await chat(['join']))]);
  expect(code).toBe(4);
  expect(stdout).toContain(`✗ subscribed: no message with '"op":"joined"' within 5 s`);
});

it.concurrent('tries the other verbs where one does not work', async () => {
  const { code, stdout } = await place.run(['try', described(await chat(['say']))]);
  expect(code).toBe(4);
  expect(stdout.match(/^✗ \w+(?= |:)/gm)).toEqual(['✗ acked', '✗ delivered']);
  expect(stdout.match(/^✗ acked.*/m)?.[0]).toContain(`'"ok":{n}'`);
  expect(stdout).toContain('✓ the whisper arrived (client 1)');
});

it.concurrent('refuses a file that is wrong, and one that is not there', async () => {
  const file = join(folder, 'wrong.yml');
  writeFileSync(file, 'name: mine\ntargetUrl: ws://127.0.0.1:1/\nmessages:\n  echo: { send: "{nobody}" }\n');
  expect(await place.refused(['try', file])).toContainEqual(named('badFile', 4, 'echo', 'nobody'));
  expect(await place.refused(['try', join(folder, 'none.yml')])).toEqual([named('badFile', 'none.yml')]);
});

it.concurrent('takes the file that `init target` writes, which replaces none', async () => {
  const file = join(folder, 'target.yml');
  expect(await place.run(['init', 'target', '--file', file])).toMatchObject({ code: 0, stdout: '' });
  const printed = await place.run(['init', 'target', '--file', '-']);
  expect(printed).toMatchObject({ code: 0, stdout: readFileSync(file, 'utf8') });
  expect(await place.refused(['init', 'target', '--file', file])).toEqual([named('badOption', '--file', file)]);
  const port = await chat(['say', 'ping']);
  writeFileSync(file, printed.stdout.replace('4001', String(port)));
  const { code, stdout } = await place.run(['try', file]);
  expect(code).toBe(4);
  expect(stdout.match(/^✓ .*/gm)).toContain('✓ subscribed (client 1)');
});

const at = flowFiles({
  'chat.ts': `import { defineFlow } from 'ringside-bench/flow';

enum Op { Ping = 'ping' }

export default defineFlow<unknown, { room: string }>({
  async setup({ seed }) {
    return { room: 'room-of-' + seed };
  },
  async teardown({ shared }) {
    throw new Error('left ' + shared.room.length);
  },
  async client(me) {
    const chat = await me.open('/?as=' + me.number);
    const keys = chat.every('1ms', { op: Op.Ping, id: '{n}', mark: '{mark}' }, { answer: { mark: true }, count: 2 });
    await keys.done;
    chat.send({ op: Op.Ping, room: me.shared.room });
    const other = new me.WebSocket('/other');
    other.onopen = () => other.send(JSON.stringify({ op: Op.Ping }));
    await new Promise((resolve) => {
      other.onmessage = resolve;
    });
    me.check('history', false);
    await chat.next({ op: 'never' }, { within: '53ms' });
  },
});
`,
  'waits.js': `export default {
  async client(me) {
    setInterval(() => undefined, 53);
    await me.sleep('1h');
  },
};
`,
});

it.concurrent('runs one client of a flow, and names the line of each send and the line where it left', async () => {
  const target = `ws://127.0.0.1:${await chat()}/`;
  const ended = await place.run(['try', at('chat.ts'), '--target-url', target, '--client-number', '3', '--seed', '53']);
  expect(ended.code).toBe(4);
  expect(ended.stderr).toContain('teardown failed: chat.ts:10: Error: left 10');
  const sends = [...ended.stdout.matchAll(/client 3 {2}→ text, \d+ B .* {2}(chat\.ts:\d+)$/gm)].map(([, line]) => line);
  expect(sends).toEqual(['chat.ts:14', 'chat.ts:14', 'chat.ts:16', 'chat.ts:18']);
  expect(ended.stdout.match(/client 3 {2}← binary/g)).toHaveLength(4);
  expect(ended.stdout).toMatch(/connecting to \S+\/\?as=3 {2}chat\.ts:13$/m);
  expect(ended.stdout).toContain('"room":"(hidden)"');
  expect(ended.stdout.match(/^[✓✗] .*/gm)).toEqual([
    '✗ check history: broken 1 of 1 times',
    '✗ finished: left by within at chat.ts:23',
  ]);
});

it.concurrent('ends a client of a flow after the duration, with the timers of its code', async () => {
  const ended = await place.run(['try', at('waits.js'), '--target-url', 'ws://127.0.0.1:1/', '--duration', '53ms']);
  expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('✓ still running after 53ms') });
});

it.concurrent('refuses a flow without a target, and options of the other kind of file', async () => {
  expect(await place.refused(['try', at('waits.js'), '--target', 'ws'])).toEqual([
    named('badOption', '--target:', 'waits.js'),
    named('badOption', '--target-url', 'nothing'),
  ]);
  const file = described(1);
  expect(await place.refused(['try', file, '--duration', '1s'])).toEqual([named('badOption', '--duration', file)]);
});
