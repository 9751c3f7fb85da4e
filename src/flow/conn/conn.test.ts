import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Recorder } from '../../measure/samples/recorder.js';
import { SendClock } from '../../scenarios/traffic/send-clock.js';
import type { SendMessage } from '../../wire/wire.js';
import type { Conn, Left, OpenOptions } from '../api.js';
import { ClientDraws } from '../client/draws.js';
import { Waits } from '../client/waits.js';
import { FlowFigures } from '../figures.js';
import type { FlowSocket, SocketEvents, SocketRequest } from '../sockets/sockets.js';
import { UserTime } from '../user-code.js';
import { FlowConn } from './conn.js';

beforeEach(() => void vi.useFakeTimers({ now: 1000, toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const nowNs = (): number => Date.now() * 1e6;

/** A socket of a flow over a target that the test plays. */
function connected(options: OpenOptions = {}) {
  const wrote: unknown[] = [];
  const ends: string[] = [];
  const opened: SocketEvents[] = [];
  const threw: unknown[] = [];
  const figures = new FlowFigures(
    () => new Recorder(),
    nowNs,
    () => undefined,
  );
  const socket: FlowSocket = {
    send(message) {
      wrote.push(typeof message === 'string' ? JSON.parse(message) : message);
      return true;
    },
    sendsAhead: false,
    sendAt: () => false,
    ping: () => undefined,
    close: (code, reason) => void ends.push(`close ${code} ${reason}`),
    drop: (how) => void ends.push(how),
    buffered: 0,
    leftAtNs: () => 0,
  };
  let next = 0;
  const declare = () => ({ group: 0, name: 0, isNameless: false, kind: 0 });
  const book = { declare, begin: () => next++, sent: () => undefined, unsent: () => undefined };
  const user = new UserTime(nowNs, (error) => threw.push(error));
  const end = new AbortController();
  const means = {
    client: 0,
    waits: new Waits(end.signal, () => user.resumed()),
    worker: {
      user,
      clock: new SendClock<SendMessage>(nowNs, book, () => undefined),
      ...{ nowNs, figures },
    },
    draws: new ClientDraws(7, 0),
    sockets: {
      open({ events }: Omit<SocketRequest, 'client'>) {
        opened.push(events);
        return socket;
      },
    },
    gone: () => undefined,
    template: (message: unknown) => (n: number) => JSON.stringify({ ...(message as object), n }),
    line: () => 'flow.ts:1',
  };
  const upgrade = { url: new URL('ws://127.0.0.1:1/'), subprotocols: [], headers: {}, seesMarked: false };
  const conn = new FlowConn(means, upgrade, options);
  const opens = conn.connect();
  const events = (): SocketEvents => opened.at(-1) as SocketEvents;
  const accept = (): void => events().opened('', { tcpNs: 1, upgradeNs: 2, leastNs: 1 });
  const says = (json: unknown, msAgo = 0): void => {
    const atNs = nowNs() - msAgo * 1e6;
    events().message(Buffer.from(JSON.stringify(json)), false, atNs, atNs - 1e6);
  };
  const ended = (cause: string, code = 1006, reason = ''): void => events().closed(cause, true, code, reason);
  return { conn: conn as Conn & FlowConn, opens, accept, says, ended, wrote, ends, opened, figures, threw, end };
}

const failed = (waiting: Promise<unknown>) =>
  waiting.then(
    () => 'resolved',
    (error: Left) => error.cause,
  );

describe('a socket of a flow', () => {
  it('is there once it is open, and rejects with the cause if it does not open', async () => {
    const { opens, accept } = connected();
    accept();
    await opens;
    const refused = connected();
    refused.ended('http-status:503');
    expect(await failed(refused.opens)).toBe('http-status:503');
    expect(await refused.conn.closed).toEqual({ code: 1006, reason: '', cause: 'http-status:503' });
  });

  it('pairs each ask with its answer, in any order, and times both', async () => {
    const { conn, accept, says, wrote, figures } = connected();
    accept();
    const [one, two] = [conn.ask({ op: 'a' }, { name: 'first' }), conn.ask({ op: 'b' })];
    expect(wrote).toEqual([
      { op: 'a', id: 1 },
      { op: 'b', id: 2 },
    ]);
    vi.setSystemTime(1030);
    says({ id: 2, is: 'b' });
    vi.setSystemTime(1050);
    says({ id: 1, is: 'a' });
    expect(await Promise.all([one, two])).toEqual([
      { id: 1, is: 'a' },
      { id: 2, is: 'b' },
    ]);
    const { counts, samples } = figures.report();
    expect(counts).toMatchObject({ asks: 2, asksAnswered: 2 });
    expect(samples).toMatchObject({
      ask: { values: Uint32Array.of(30_000, 50_000) },
      'ask:first': { values: Uint32Array.of(50_000) },
    });
  });

  it('records how long each awaited message took to its code, and nothing of those that are kept', async () => {
    const { conn, accept, says, figures } = connected();
    accept();
    const [asked, next] = [conn.ask({ op: 'a' }), conn.next({ op: 'b' })];
    const heard: unknown[] = [];
    conn.on({ op: 'c' }, ({ json }) => heard.push(json));
    says({ id: 1 }, 3);
    says({ op: 'b' }, 7);
    says({ op: 'c' }, 13);
    says({ op: 'kept' }, 97);
    await Promise.all([asked, next, conn.next()]);
    expect(heard).toEqual([{ op: 'c' }]);
    expect(figures.report().samples.reaction).toMatchObject({ values: Uint32Array.of(3000, 7000, 13_000) });
  });

  it('counts the code of a message before as a part of what the next one waits', async () => {
    const { conn, accept, says, figures } = connected();
    accept();
    const slow = conn.ask({}).then(() => vi.setSystemTime(1097));
    const next = conn.ask({});
    says({ id: 1 });
    says({ id: 2 });
    await Promise.all([slow, next]);
    expect(figures.report().samples.reaction).toMatchObject({ values: Uint32Array.of(0, 97_000) });
  });

  it('gives a failure the line of the call that waits', async () => {
    const { conn, accept, ended } = connected();
    accept();
    const stack = (waiting: Promise<unknown>) => waiting.catch(({ stack: lines }: Error) => lines);
    function lineThatWaits() {
      return [conn.next(), conn.ask({})].map(stack);
    }
    const waiting = lineThatWaits();
    ended('reset');
    for (const lines of await Promise.all(waiting)) expect(lines).toContain('lineThatWaits');
    expect(await failed(conn.ask({}))).toBe('gone');
  });

  it('pairs an ask by a match of its own, without an id', async () => {
    const { conn, accept, says, wrote } = connected();
    accept();
    const asked = conn.ask({ op: 'join' }, { match: { op: 'joined' } });
    says({ op: 'other' });
    says({ op: 'joined' });
    expect([await asked, wrote]).toEqual([{ op: 'joined' }, [{ op: 'join' }]]);
    expect((await conn.next()).json).toEqual({ op: 'other' });
  });

  it('counts an ask without an answer by its cause', async () => {
    const { conn, accept, ended, figures } = connected();
    accept();
    const late = failed(conn.ask({}, { within: '2s' }));
    await vi.advanceTimersByTimeAsync(2000);
    expect(await late).toBe('answer-timeout');
    const cut = failed(conn.ask({}));
    ended('close-code:1012', 1012);
    expect(await cut).toBe('close-code:1012');
    expect(await failed(conn.ask({}))).toBe('gone');
    expect(figures.report()).toMatchObject({
      counts: { asks: 3, asksUnanswered: 3 },
      causes: { ask: { 'answer-timeout': 1, 'close-code:1012': 1, gone: 1 } },
    });
  });

  it('keeps messages for a later next, and lets a next wait no longer than asked', async () => {
    const { conn, accept, says } = connected();
    accept();
    says({ n: 1 });
    const mark = conn.mark();
    says({ n: 2 });
    expect((await conn.next(undefined, { since: mark })).json).toEqual({ n: 2 });
    expect((await conn.next({ n: 1 })).at).toBe(1000);
    const late = failed(conn.next({ n: 3 }, { within: 100 }));
    says({ n: 4 });
    await vi.advanceTimersByTimeAsync(100);
    expect(await late).toBe('within');
  });

  it('gives its messages one by one until a time, or its end', async () => {
    const { conn, accept, says, ended } = connected();
    accept();
    const got: number[] = [];
    const read = async (options: { until?: number }): Promise<void> => {
      for await (const { json } of conn.inbox<{ n: number }>((each) => each.n > 0, options)) got.push(json.n);
    };
    const first = read({ until: 100 });
    for (const n of [1, 0, 2]) says({ n });
    await vi.advanceTimersByTimeAsync(100);
    await first;
    const second = read({});
    says({ n: 3 });
    await vi.advanceTimersByTimeAsync(0);
    ended('reset');
    await second;
    expect(got).toEqual([1, 2, 3]);
  });

  it('goes on when a listener throws, and counts that', () => {
    const { conn, accept, says, threw } = connected();
    accept();
    const heard: unknown[] = [];
    conn.on({ bad: true }, () => {
      throw new Error('of the user');
    });
    conn.on({ bad: false }, ({ json }) => heard.push(json));
    says({ bad: true });
    says({ bad: false });
    expect([threw.length, heard]).toEqual([1, [{ bad: false }]]);
  });

  it('closes with code and reason once its sends are over, within 5 s whatever the target does', async () => {
    const { conn, accept, ended, ends } = connected();
    accept();
    const sends = conn.every('1s', {});
    const closing = conn.close(4001, 'bye');
    await vi.advanceTimersByTimeAsync(1);
    expect([ends, sends.sent]).toEqual([['close 4001 bye'], 0]);
    ended('ours', 4001, 'bye');
    await closing;
    const silent = connected();
    silent.accept();
    const late = silent.conn.close();
    await vi.advanceTimersByTimeAsync(5000);
    await late;
  });

  it('sends nothing more once the run is over', async () => {
    const { conn, opens, accept, wrote } = connected();
    accept();
    await opens;
    const sends = conn.every('1s', {}, { from: 'start' });
    await vi.advanceTimersByTimeAsync(2500);
    conn.stopSends();
    await sends.done;
    await vi.advanceTimersByTimeAsync(5000);
    expect(wrote).toHaveLength(3);
  });

  it('comes back after its waits, as often as asked, and runs `again` each time', async () => {
    let again = 0;
    const { conn, accept, ended, opened } = connected({
      reconnect: { waits: ['1s', '2s'], most: 2, again: async () => void again++ },
    });
    accept();
    ended('reset');
    await vi.advanceTimersByTimeAsync(1000);
    ended('connect-refused');
    await vi.advanceTimersByTimeAsync(1999);
    expect(opened.length).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    accept();
    expect([opened.length, again]).toEqual([3, 1]);
    for (const cause of ['reset', 'connect-refused', 'connect-refused']) {
      ended(cause);
      await vi.advanceTimersByTimeAsync(2000);
    }
    expect(await conn.closed).toMatchObject({ cause: 'connect-refused' });
    expect(opened.length).toBe(5);
  });
});
