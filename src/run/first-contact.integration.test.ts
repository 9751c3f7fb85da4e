import { describe, expect, it } from 'vitest';
import {
  knownByAddress,
  neverAnswersPing,
  place,
  showsHttpAnswer,
  showsTalk,
  socketio,
} from '../../test/runs/first-contact.js';
import { keptResult } from '../../test/workplace.js';

describe.concurrent('any WebSocket server', () => {
  it('is held and connected to by its address alone', () => knownByAddress([]));

  it('that never answers a ping has no client, and says why', () => neverAnswersPing('auto'));

  it('needs its protocol where broadcasts are to arrive', async () => {
    const [problem, ...more] = await place.refused([
      ...['run', 'latency', '--protocol', 'raw', '--target-url', 'ws://127.0.0.1:1'],
      ...['--publish-url', 'http://127.0.0.1:1'],
    ]);
    expect([problem?.code, more]).toEqual(['missingVerb', []]);
  });
});

describe.concurrent('a client that fails', () => {
  it('shows what it said and heard', () => showsTalk([]));

  it('shows an HTTP answer, and which protocol it is of', () => showsHttpAnswer('auto'));

  it('says that the namespace took it and the room did not, and shows no token', async () => {
    const { address } = await socketio(() => undefined);
    const flags = ['--protocol', 'socketio', '--clients', '7', '--subscribe-timeout', '1s'];
    const auth = ['--socketio-auth', '{"token":"s3cret-17"}', '--socketio-namespace', '/chat'];
    const ended = await place.measure(['run', 'connect', '--target-url', address, ...flags, ...auth]);
    const result = keptResult(ended);
    const example = result.talk?.examples['subscribe-timeout'];
    expect(example?.step).toContain('/chat accepted us');
    expect(example?.sent).toBe('40/chat,{hidden}');
    expect(JSON.stringify(result) + ended.stdout + ended.stderr).not.toContain('s3cret-17');
  });
});

it('messages under another name are counted, and the name is proposed', async () => {
  const { address, http } = await socketio((io) => (data) => io.emit('chat:msg', { text: data }));
  const urls = ['--target-url', address, '--publish-url', `${http}/publish`];
  const flags = ['--protocol', 'socketio', '--clients', '7', '--rate', '50/s', '--broadcasts', '11'];
  const ended = await place.measure(['run', 'latency', ...urls, ...flags, '--warm-up', '0', '--drain', '500ms']);
  const { ledger, talk, stop } = keptResult(ended);
  expect(ledger).toMatchObject({ delivered: 0, lost: 77 });
  expect(talk?.others).toBe(77);
  expect(talk?.firstOther).toContain('42["chat:msg"');
  expect([stop.code, stop.advice]).toEqual(['nothingDelivered', expect.stringContaining('--socketio-event chat:msg')]);
});
