import fc from 'fast-check';
import { parseSync } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { named } from '../../../test/refusal.js';
import { problemsBy } from '../../../test/refusals.js';
import { flowOfRecording } from './recording.js';
import { recordingIn } from './timeline.js';

const beganMs = Date.parse('2026-11-27T09:00:00.000Z');

interface Sent {
  atMs: number;
  data: string | Uint8Array;
}

/** A message at a time of the recording, as Chrome keeps it. */
function message(type: 'send' | 'receive', { atMs, data }: Sent) {
  const isText = typeof data === 'string';
  const kept = isText ? data : Buffer.from(data).toString('base64');
  return { type, time: (beganMs + atMs) / 1000, opcode: isText ? 1 : 2, data: kept };
}

const sent = (atMs: number, data: unknown) => message('send', { atMs, data: JSON.stringify(data) });
const received = (atMs: number, data: unknown) => message('receive', { atMs, data: JSON.stringify(data) });

function request(atMs: number, method: string, url: string, more: object = {}, headers: object = {}, status = 200) {
  return {
    startedDateTime: new Date(beganMs + atMs).toISOString(),
    time: 20,
    _resourceType: 'fetch',
    request: { method, url, headers: Object.entries(headers).map(([name, value]) => ({ name, value })), ...more },
    response: { status },
  };
}

const json = (value: object) => ({ postData: { mimeType: 'application/json', text: JSON.stringify(value) } });

function socket(atMs: number, url: string, messages: readonly object[], headers: object = {}) {
  const opened = request(atMs, 'GET', url, {}, headers, 101);
  return { ...opened, _resourceType: 'websocket', _webSocketMessages: messages };
}

const harOf = (...entries: object[]): string => JSON.stringify({ log: { version: '1.2', entries } });

/** The flow of a recording, which must be a module without a fault. */
function flowOf(...entries: object[]): string {
  const text = flowOfRecording(recordingIn(harOf(...entries), 'chat.har'));
  expect(parseSync('flow.ts', text).errors).toEqual([]);
  return text;
}

/** Runs a flow with sockets that only note what they send. */
async function played(text: string): Promise<unknown[]> {
  const program = text.slice(text.indexOf('export default')).replace('export default', 'return');
  const noted: unknown[] = [];
  const note = (data: unknown): unknown => noted.push(typeof data === 'string' ? data : asBytes(data));
  const asBytes = (data: unknown) => (data instanceof Uint8Array ? [...data] : JSON.stringify(data));
  const conn = { send: note, ask: note, every: (_period: string, data: unknown) => note(data) };
  const flow = new Function('defineFlow', program)((each: unknown) => each);
  await flow.client({ open: async () => conn, sleep: async () => undefined });
  return noted;
}

const chat = 'wss://chat.example.com/socket?room=7&trace=9f86d081884c7d65&access_token=hush-hush';
const session = [
  request(0, 'POST', 'https://chat.example.com/login', json({ user: 'ada', password: 'hush-hush-hush' }), {
    'Content-Type': 'application/json',
    Cookie: 'id=hush-hush-cookie',
  }),
  request(90, 'GET', 'https://chat.example.com/api/rooms?full=yes', {}, { Authorization: 'Bearer hush-hush' }),
  request(120, 'DELETE', 'https://chat.example.com/api/drafts/1'),
  request(130, 'GET', 'https://metrics.example.net/beacon'),
  socket(
    300,
    chat,
    [
      sent(320, { op: 'join', room: '7', ref: 1 }),
      received(321, { op: 'hello' }),
      received(340, { op: 'joined', ref: 1 }),
      sent(500, { op: 'typing' }),
      sent(1000, { op: 'ping' }),
      sent(2000, { op: 'ping' }),
      sent(2700, { op: 'say', id: 'm1', text: `it's "here"\u202e` }),
      received(2790, { op: 'stored', of: 'm1' }),
      sent(3000, { op: 'ping' }),
      message('send', { atMs: 3100, data: Uint8Array.of(1, 2, 250) }),
      sent(3200, { op: 'say', id: 'm2', text: 'not answered' }),
      received(9100, { op: 'bye' }),
    ],
    { 'Sec-WebSocket-Protocol': 'chat.v2, chat.v1' },
  ),
];

const refusals: [what: string, text: string, ...words: string[]][] = [
  ['text', 'no JSON', 'HAR'],
  ['JSON of another kind', '{"name":"x"}', 'HAR', 'log'],
  ['an entry without a request', JSON.stringify({ log: { version: '1.2', entries: [{}] } }), 'log.entries.0'],
  ['requests only', harOf(session[0]!), 'WebSocket'],
  ['a WebSocket without messages', harOf(socket(0, chat, [])), '_webSocketMessages'],
];

describe('a recording', () => {
  it('becomes a flow', async () => {
    const text = flowOf(...session);
    expect(text).not.toContain('hush-hush');
    await expectGolden('recorded-flow.txt', { 'a session of a chat': text });
  });

  it.each(refusals)('is not %s', (_, text, ...words) => {
    expect(problemsBy(() => recordingIn(text, 'chat.har'))).toEqual([named('badFile', 'chat.har', ...words)]);
  });

  it('has at most 200 messages of each socket, and says how many are left out', () => {
    const many = Array.from({ length: 257 }, (_, n) => sent(n, { n }));
    const text = flowOf(socket(0, 'ws://127.0.0.1:4001/', many), socket(0, 'ws://127.0.0.1:4001/b', [sent(1, {})]));
    expect(text.match(/socket1\.send/g)).toHaveLength(200);
    expect(text).toContain('messages of socket1 (57 more)');
    expect(text.match(/socket2\.send/g)).toHaveLength(1);
  });

  it('repeats equal messages only if their gaps are even', () => {
    const at = (...times: number[]) =>
      flowOf(
        socket(
          0,
          chat,
          times.map((atMs) => sent(atMs, { op: 'ping' })),
        ),
      );
    expect(at(100, 1100, 2105)).toContain("every('1s', { op: 'ping' }, { from: 'start' })");
    expect(at(100, 1100, 2900)).not.toContain('every');
    expect(at(100, 1100)).not.toContain('every');
    expect(at(100, 100, 100)).not.toContain('every');
  });

  it('does not repeat text with slots, which would be filled', () => {
    const slots = [100, 1100, 2100].map((atMs) => sent(atMs, { text: '{client}' }));
    expect(flowOf(socket(0, chat, slots)).match(/socket\.send/g)).toHaveLength(3);
  });

  it.each([
    ['{"auth":"hush!"}', 'auth: me.row.auth'],
    ['{"pin":7777}', 'pin: Number(me.row.pin)'],
    ['{ "token": "hush!" }', `\`{ "token": "\${me.row.token}" }\``],
    ['CONNECT\npasscode:hush!\n\n', `\`CONNECT\\npasscode:\${me.row.passcode}\\n\\n\``],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJodXNoISJ9.', 'send(me.row.token)'],
    ['{"text":"Authorization: Bearer hush!"}', `\`Authorization: \${me.row.Authorization}\``],
  ])('hides the secret of %s', (data, literal) => {
    const text = flowOf(socket(0, 'ws://127.0.0.1/', [message('send', { atMs: 9, data })]));
    expect(text).toContain(literal);
    expect(text).toContain("data: csv('users.csv')");
    expect(text).not.toMatch(/hush!|7777|eyJ/);
  });

  it('sends what the browser sent, in its order, whatever that is', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.json({ maxDepth: 3 }), fc.string());
    const data = fc.oneof(text, fc.uint8Array({ maxLength: 9 }));
    const isHidden = /me\.row/;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(data, { selector: String, maxLength: 12 }),
        fc.webQueryParameters(),
        async (all, query) => {
          const messages = all.map((each, index) => message('send', { atMs: index * 70, data: each }));
          const url = `ws://127.0.0.1:4001/?${query}`;
          const written = flowOf(socket(0, url, [...messages, received(9000, {})]));
          fc.pre(!isHidden.test(written));
          const bytes = all.map((each) => (typeof each === 'string' ? each : [...each]));
          expect(await played(written)).toEqual(bytes);
        },
      ),
      { numRuns: 40 },
    );
  });
});
