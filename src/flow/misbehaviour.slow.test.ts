import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { flowFiles } from '../../test/flow-files.js';
import { served } from '../../test/flow-libraries.js';
import { keptResult, workplace } from '../../test/workplace.js';
import type { RunResult } from '../results/result.js';
import { packageFile } from '../units/package-files.js';

const place = workplace();
const clients = 7;

/** A file whose client runs this code. Its first line is line 2. */
const living = (code: string, more = ''): string =>
  `export default { ${more}\n${`async client(me) { ${code}`.replaceAll('; ', ';\n')}\n} };\n`;

const open = "const conn = await me.open('/', { parse: 'text', inbox: 10 }); ";
const heard = "conn.send('hello'); await conn.next(/hello/); ";
const coming =
  "const conn = await me.open('/', { parse: 'text', reconnect: { waits: ['200ms'], jitter: 'full', again } }); ";

const at = flowFiles({
  'sync.ts': "export default { client() {\n  throw new TypeError('no such field');\n} };\n",
  'bad-luck.ts': living(`${open}${heard}throw new Error('bad luck')`),
  'never.ts': living(`${open}${heard}await new Promise(() => undefined)`),
  'caught-end.ts': living(`${open}for (;;) await me.sleep(7).catch(() => undefined)`),
  'listener.ts': living(
    `${open}let seen = 0; conn.on(/hello/, () => { throw new Error('heard') }); conn.on(/hello/, () => { seen++ }); ` +
      `${heard}${heard}me.check('both were heard', seen === 2)`,
  ),
  'unawaited.ts': living(`${open}Promise.reject(new Error('nobody waits')); await me.sleep(20); ${heard}`),
  'unawaited-ask.ts': living(
    `${open}void conn.ask({}, { within: '20ms', match: /never/ }); await me.sleep(200); ` +
      "await conn.ask({ op: 'say' }, { match: /say/ })",
  ),
  'timer.ts': living(`${open}setTimeout(() => { throw new Error('late') }, 7); await me.sleep(50); ${heard}`),
  'exit.ts': living(`${open}${heard}process.exit(3)`),
  'storm.ts': living(`${open}for (;;) { for (let n = 0; n < 50; n++) Promise.reject(7); await me.sleep(7) }`),
  'overflow.ts': living(`${open}conn.send('pour 25'); await conn.next(/24/)`),
  'replace.ts': living(`${open}${heard}throw new Error('bad luck')`, "onError: 'replace',"),
  'stop.ts': living(
    `${open}${heard}if (me.number === 4) throw new Error('bad luck'); await me.sleep('1m')`,
    "onError: 'stop',",
  ),
  'again.ts': living(`${open}${heard}await me.sleep(50)`, "afterwards: 'again',"),
  'comes-back.ts': living(
    `let back = 0; const again = async (c) => { c.send('back'); await c.next(/back/); c.send('done'); back++ };` +
      `${coming} await me.together('all'); if (me.number === 0) conn.send('cut');` +
      "await conn.next(/done/); me.check('once', back === 1)",
  ),
  'stays-away.ts': living(
    `const again = async () => undefined; ${coming}await me.together('all'); ` +
      "if (me.number === 0) conn.send('cut'); await conn.ask('word', { match: /never/ }).catch(() => undefined)",
  ),
  'waits-for-gone.ts': living(
    `${open}await me.together('all'); if (me.number === 0) conn.send('cut'); await conn.closed; ` +
      'for (let n = 0; n < 99; n++) await conn.next().catch(() => undefined); await conn.next()',
  ),
  'flood.ts': living(
    "const mib = 'x'.repeat(1 << 20); const before = process.memoryUsage().rss; const isBounded = () => " +
      "me.check('memory', process.memoryUsage().rss - before < 2 ** 29); const deaf = await me.open('/'); " +
      "deaf.send('deaf'); await deaf.every('1ms', mib, { name: 'mib', count: 300 }).done; isBounded(); " +
      'for (let n = 0; n < 300; n++) deaf.send(mib)',
  ),
  'refused.ts': living("await me.open('/refused')"),
  'endless.ts': living(`${open}conn.every('20ms', 'ping {mark}', { answer: { mark: true } }); await me.sleep('5m')`),
});

let port: Promise<number> | undefined;
const server = (): Promise<number> => {
  port ??= served(place, packageFile('test/flows/servers/rough.mjs'));
  return port;
};

const argsOf = async (name: string, own: number | undefined, duration = '20s'): Promise<string[]> => [
  ...['run', 'flow', at(name), '--target-url', `ws://127.0.0.1:${own ?? (await server())}`],
  ...['--clients', `${clients}`, '--arrivals', '50', '--duration', duration, '--drain', '100ms'],
];

async function ran(name: string, own?: number, duration?: string): Promise<{ result: RunResult; code: number | null }> {
  const ended = await place.measureWhole(await argsOf(name, own, duration));
  return { result: keptResult(ended), code: ended.code };
}

const all = { begun: clients, connects: clients, connected: clients, cut: 0, threw: 0 };
const gone = { finished: 0, ended: 0, left: clients };
const done = { finished: clients, ended: 0, left: 0 };
/** That of flows that only the end of the run ends. */
const lasting = { ...all, finished: 0, ended: clients, left: 0 };
const each = (name: string, times = clients) => ({ [name]: times });

describe.concurrent('a flow that misbehaves ends by itself, and its ledger says why', () => {
  it.each<[string, string, object]>([
    ['throws at once', 'sync.ts', { ...gone, connects: 0, leftByCause: each('user:no such field at sync.ts:2') }],
    [
      'rejects with an error of its own',
      'bad-luck.ts',
      { ...all, ...gone, leftByCause: each('user:bad luck at bad-luck.ts:5') },
    ],
    ['never settles', 'never.ts', lasting],
    ['catches the end and goes on', 'caught-end.ts', lasting],
    [
      'has a listener that throws',
      'listener.ts',
      { ...all, ...done, threw: 2 * clients, threwByLine: each('listener.ts:4', 14), checksKept: clients },
    ],
    ['awaits no rejection', 'unawaited.ts', { ...all, ...done, threw: clients, threwByLine: each('unawaited.ts:3') }],
    [
      'awaits no ask, which fails by the server and not by its code',
      'unawaited-ask.ts',
      { ...all, ...done, asksUnanswered: clients, unawaitedByCause: each('answer-timeout at unawaited-ask.ts:3') },
    ],
    ['throws in a timer', 'timer.ts', { ...all, ...done, threw: clients, threwByLine: each('timer.ts:3') }],
    ['exits the process', 'exit.ts', { ...all, ...gone }],
    ['lets its inbox overflow', 'overflow.ts', { ...all, ...done, received: 25 * clients, overflowed: 14 * clients }],
  ])('%s', async (_title, name, ledger) => {
    const { result } = await ran(name, undefined, ledger === lasting ? '2s' : undefined);
    expect(result.ledger).toMatchObject(ledger);
    expect(result.stop.code).toBe(name === 'sync.ts' ? 'nothingDelivered' : 'completed');
  });

  it('is refused: every client says why, and nothing was delivered', async () => {
    const refused = { ...gone, connects: clients, connected: 0, notConnected: clients };
    const { result, code } = await ran('refused.ts');
    expect(result.ledger).toMatchObject({ ...refused, notConnectedByCause: each('http-status:403') });
    expect(result.ledger.leftByCause).toEqual(each('http-status:403 at refused.ts:2'));
    expect([result.stop.code, code]).toEqual(['nothingDelivered', 4]);
  });

  it('floods a server that does not read: what the socket does not take is counted, memory is bounded', async () => {
    const { ledger } = (await ran('flood.ts')).result;
    expect(ledger).toMatchObject({
      ...all,
      ...gone,
      leftByCause: each('unread at flood.ts:11'),
      declared: 300 * clients,
    });
    expect(ledger).toMatchObject({ checksKept: clients, checksBroken: 0, unsentByCause: { unread: ledger.unsent } });
    expect(ledger.unsent).toBeGreaterThan(200 * clients);
  });

  it('stops the run from 100 errors in a second that nobody caught', async () => {
    const { result, code } = await ran('storm.ts');
    expect(result.stop).toMatchObject({ code: 'flowStopped', evidence: [expect.stringContaining('100 errors')] });
    expect(code).toBe(4);
  });

  it('stops the run where it says so', async () => {
    const { result } = await ran('stop.ts');
    expect(result.ledger).toMatchObject({ left: 1, leftByCause: each('user:bad luck at stop.ts:5', 1) });
    expect(result.stop).toMatchObject({ code: 'flowStopped', evidence: [expect.stringContaining('client 4')] });
  });

  it.each([
    ['replace.ts', 'left'],
    ['again.ts', 'finished'],
  ])('begins clients anew: %s', async (name, end) => {
    const {
      begun,
      connected,
      ended,
      [end]: over,
    } = (await ran(name, undefined, '4s')).result.ledger as Record<string, number>;
    expect(begun).toBeGreaterThan(2 * clients);
    expect([connected, (over ?? 0) + (ended ?? 0)]).toEqual([begun, begun]);
  });
});

describe.concurrent('a target that cuts all sockets', () => {
  const own = () => served(place, packageFile('test/flows/servers/rough.mjs'));
  const cut = { cut: clients, cutByCause: each('reset') };

  it('clients come back: one more connection each', async () => {
    const { result } = await ran('comes-back.ts', await own());
    expect(result.ledger).toMatchObject({
      ...done,
      ...cut,
      connects: 2 * clients,
      connected: 2 * clients,
      checksKept: clients,
    });
  });

  it('a client whose flow is over does not come back', async () => {
    const target = await own();
    const { result } = await ran('stays-away.ts', target);
    expect(result.ledger).toMatchObject({ ...done, ...cut, connects: clients, connected: clients });
    expect(await (await fetch(`http://127.0.0.1:${target}/`)).json()).toMatchObject({ sockets: clients, open: 0 });
  });

  it('a wait for a socket that is gone ends at once', async () => {
    const { result } = await ran('waits-for-gone.ts', await own());
    expect(result.ledger).toMatchObject({ ...gone, ...cut, leftByCause: each('reset at waits-for-gone.ts:9') });
  });
});

it('Ctrl-C keeps the figures', async () => {
  const command = place.ringside(await argsOf('endless.ts', undefined, '5m'));
  await command.said('stderr', /live/);
  await setTimeout(1000);
  command.kill('SIGINT');
  const ended = await command.ended;
  const { ledger, stop } = keptResult(ended);
  expect([ended.code, stop.code, command.family()]).toEqual([130, 'endedByUser', []]);
  expect(ledger).toMatchObject({ ended: ledger.begun, connected: ledger.begun, answered: ledger.sent, unanswered: 0 });
});
