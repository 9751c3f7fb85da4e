import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TargetStats } from '../src/targets/target.js';
import { law } from '../test/law.js';
import { naming } from '../test/refusal.js';
import { FakeClock } from '../test/stage/fake-clock.js';
import {
  answerPublish,
  answerTo,
  Body,
  type Broadcast,
  maxBodyBytes,
  publishBatch,
  readBatch,
  readBroadcast,
  serverTiming,
} from './routes.js';

it('gives back the stream, the data to the letter, and what the data says', () => {
  const data = '{ "seq" : 7,\t"text":"żółć" }';
  const read = readBroadcast(JSON.stringify({ stream: 'news', data }));
  expect(read).toEqual({ stream: 'news', data, value: { seq: 7, text: 'żółć' } });
});

it('takes any JSON as data, null included', () => {
  law(fc.string({ minLength: 1 }), fc.json(), (stream, data) => {
    expect(readBroadcast(JSON.stringify({ stream, data }))).toEqual({ stream, data, value: JSON.parse(data) });
  });
  expect(readBroadcast('{"stream":"s","data":"null"}')).toEqual({ stream: 's', data: 'null', value: null });
});

it.each([
  ['{"stream":', 'body'],
  ['', 'body'],
  ['null', 'body'],
  ['"text"', 'body'],
  ['[]', 'the body is not a JSON object'],
  ['{"data":"1"}', '"stream"'],
  ['{"stream":"","data":"1"}', '"stream"'],
  ['{"stream":"s","data":{"seq":1}}', '"data"'],
  ['{"stream":"s"}', '"data"'],
  ['{"stream":"s","data":"{seq:1}"}', '"data"'],
  ['{"stream":"s","data":""}', '"data"'],
])('says what is wrong with %s', (body, fault) => expect(readBroadcast(body)).toEqual({ problem: naming(fault) }));

it('joins chunks that cut a character in two', () => {
  const bytes = Buffer.from('kajak 🛶');
  const body = new Body();
  body.push(bytes.subarray(0, 7));
  body.push(bytes.subarray(7));
  expect(body.text()).toBe('kajak 🛶');
});

it('is empty text when nothing came', () => expect(new Body().text()).toBe(''));

it('holds exactly the limit, and nothing once a byte more came, whatever follows', () => {
  const body = new Body();
  body.push(Buffer.alloc(maxBodyBytes, 'a'));
  expect(body.text()).toHaveLength(maxBodyBytes);
  body.push(Buffer.from('b'));
  expect(body.text()).toBeUndefined();
  body.push(Buffer.from('c'));
  expect(body.text()).toBeUndefined();
});

const stats = { pid: 7 } as TargetStats;
const never = new AbortController().signal;

function serviceWith(published: Broadcast[]) {
  return { publish: (broadcast: Broadcast) => void published.push(broadcast), stats: () => stats };
}

it('publishes once, answers 201 with nothing, and tells how long its publish took', () => {
  const published: Broadcast[] = [];
  expect(answerPublish(serviceWith(published), '{"stream":"s","data":"[3]"}')).toEqual({
    status: 201,
    body: '',
    publishMs: expect.any(Number),
  });
  expect(serverTiming(0.41234)).toBe('publish;dur=0.412');
  expect(published).toEqual([{ stream: 's', data: '[3]', value: [3] }]);
});

it('publishes nothing for a wrong or an overlong body', () => {
  const published: Broadcast[] = [];
  const { status, body } = answerPublish(serviceWith(published), '{}');
  expect([status, JSON.parse(body)]).toEqual([400, { message: naming('"stream"') }]);
  expect(answerPublish(serviceWith(published), undefined).status).toBe(413);
  expect(published).toEqual([]);
});

it.each([
  ['GET', '/'],
  ['POST', '/health'],
  ['GET', '/_broadcast'],
  ['POST', '/_broadcast/'],
  ['GET', '/_publish-in-process'],
])('answers 404 to %s %s', async (method, path) => {
  const { status, body } = await answerTo(serviceWith([]), { method, path, body: '' }, never);
  expect([status, JSON.parse(body)]).toEqual([404, { message: naming(method, path) }]);
});

it('answers health and stats', async () => {
  const get = (path: string) => answerTo(serviceWith([]), { method: 'GET', path }, never);
  expect(await get('/health')).toEqual({ status: 200, body: '{"status":"ok"}' });
  expect(await get('/_stats')).toEqual({ status: 200, body: '{"pid":7}' });
});

const bodyOf = (data: unknown, ratePerSecond: unknown = 50): string =>
  JSON.stringify({ stream: 'news', ratePerSecond, data });

const broadcasts = (count: number): Broadcast[] =>
  Array.from({ length: count }, (_, value) => ({ stream: 'news', data: String(value), value }));

/** Publishes a batch by a clock that does not wait, whose timer `n` is late by `lateMs(n)`. */
async function paced(count: number, ratePerSecond: number, lateMs: (timer: number) => number = () => 0) {
  const clock = new FakeClock(0);
  const published: [value: unknown, atMs: number][] = [];
  let timers = 0;
  const pacing = {
    nowMs: () => clock.nowNs() / 1e6,
    sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms + lateMs(timers++), signal),
  };
  const publish = ({ value }: Broadcast): void => void published.push([value, clock.nowNs() / 1e6]);
  const batch = { ratePerSecond, broadcasts: broadcasts(count) };
  const answer = await clock.run(publishBatch(batch, publish, never, pacing));
  return { answer, published };
}

describe('the publishes of a batch', () => {
  it('are evenly spaced, the first at once', async () => {
    const { answer, published } = await paced(7, 50);
    expect(published).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => [n, n * 20]));
    expect(answer).toEqual({ published: 7, tookMs: 120 });
  });

  it('catch up with a late timer, and go on by the schedule: none is skipped or moved', async () => {
    const { answer, published } = await paced(7, 50, (timer) => (timer === 1 ? 47 : 0));
    // Broadcasts 2, 3 and 4 are due at 40, 60 and 80 ms; the timer comes at 87.
    expect(published.map(([, atMs]) => atMs)).toEqual([0, 20, 87, 87, 87, 100, 120]);
    expect(published.map(([value]) => value)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(answer).toEqual({ published: 7, tookMs: 120 });
  });

  it('end late where the last timer is late, and it is told', async () => {
    const { answer } = await paced(3, 10, (timer) => (timer === 1 ? 13 : 0));
    expect(answer).toEqual({ published: 3, tookMs: 213 });
  });

  it('take no time where there is one', async () => {
    expect((await paced(1, 0.01)).answer).toEqual({ published: 1, tookMs: 0 });
  });

  it('end when nobody waits for them any more', async () => {
    const gone = new AbortController();
    const published: unknown[] = [];
    const publish = ({ value }: Broadcast): void => {
      published.push(value);
      if (value === 2) gone.abort();
    };
    const clock = new FakeClock(0);
    const pacing = { nowMs: () => clock.nowNs() / 1e6, sleep: clock.sleep };
    const work = publishBatch({ ratePerSecond: 50, broadcasts: broadcasts(7) }, publish, gone.signal, pacing);
    expect((await clock.run(work)).published).toBe(3);
    expect(published).toEqual([0, 1, 2]);
  });
});

describe('the request for a batch', () => {
  const post = (taken: Broadcast[], body: string | undefined) =>
    answerTo(serviceWith(taken), { method: 'POST', path: '/_publish-in-process', body }, never);

  it('is answered when all is published', async () => {
    const taken: Broadcast[] = [];
    const { status, body } = await post(taken, bodyOf(['[3]', '{"a":1}'], 1e9));
    expect([status, JSON.parse(body)]).toEqual([200, { published: 2, tookMs: expect.any(Number) }]);
    expect(taken).toEqual([
      { stream: 'news', data: '[3]', value: [3] },
      { stream: 'news', data: '{"a":1}', value: { a: 1 } },
    ]);
  });

  it.each([
    ['{', 'body'],
    ['null', 'body'],
    [bodyOf(['1'], 0), '"ratePerSecond"'],
    [bodyOf(['1'], '50'), '"ratePerSecond"'],
    [bodyOf('1'), '"data"'],
    [bodyOf([]), '"data"'],
    [bodyOf(['1', 2]), '"data"'],
    [bodyOf(['1', '{seq']), '"data"'],
    ['{"ratePerSecond":50,"data":["1"]}', '"stream"'],
  ])('publishes nothing of %s', async (body, fault) => {
    const taken: Broadcast[] = [];
    const problem = naming(fault);
    expect(readBatch(body)).toEqual({ problem });
    const answer = await post(taken, body);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { message: problem }]);
    expect(taken).toEqual([]);
  });

  it('may be too long', async () => {
    expect((await post([], undefined)).status).toBe(413);
  });
});
