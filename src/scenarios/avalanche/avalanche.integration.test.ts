import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../contract/result.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { built } from '../../testing/built.js';
import type { Ended } from '../../testing/command.js';
import { connectionsOf, recordOf } from '../../testing/known-truth.js';
import { targetFlags } from '../../testing/latency.js';
import { keptResult, type Served, workplace } from '../../testing/workplace.js';

const place = workplace();
const ws = 'servers/ws/main.js';
const metronome = 'servers/metronome/main.js';

function flags(subscribers: number, more: readonly string[] = []): string[] {
  const sizes = { subscribers, 'ramp-rate': '503/s', calm: 3, rate: '10/s', deadline: '60s', seed: 7 };
  return [...Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]), ...more];
}

const ours = (target: string, more: string[]): Promise<Ended> =>
  place.run(['run', 'avalanche', '--target', target, ...more]);

const broughtTo = (target: Served, more: string[]): Promise<Ended> =>
  place.run(['run', 'avalanche', ...targetFlags(target), ...more]);

/** The kept result of an avalanche, its books checked. */
function soundBooks(ended: Ended): { result: RunResult; books: Record<string, number> } {
  const result = keptResult(ended);
  expect(result.verdict.evidence.filter(({ rule }) => rule === 'ledger-broken')).toEqual([]);
  return { result, books: result.ledger as Record<string, number> };
}

/** What a run says in which everybody came back. */
function allBack(ended: Ended, clients: number): RunResult {
  const { result, books } = soundBooks(ended);
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  expect(result.verdict.rig).not.toBe('void');
  expect([0, 4]).toContain(ended.code);
  const all = { asked: clients, opened: clients, provenBefore: clients, cut: clients, back: clients, proven: clients };
  expect(books).toMatchObject({ ...all, neverCut: 0, notBack: 0, backUnproven: 0 });
  const { disconnect, offline, back, backAfter } = result.metrics;
  for (const metric of [disconnect, offline, back, backAfter]) expect(metric?.count).toBe(clients);
  // The last of them has the share of all, to the millisecond that the ledger knows.
  expect(Math.floor((backAfter?.max ?? 0) / 1000)).toBe(books.backAfterMs100);
  expect(books.backAfterMs50).toBeLessThanOrEqual(books.backAfterMs95 as number);
  const proofs = result.environment.timeline.back ?? [];
  expect(proofs.reduce((sum, each) => sum + each, 0)).toBe(books.returns);
  return result;
}

/** Shell text that starts a server of ours in the background, on the port that another one had. */
const startAgain = (port: number, server = ws, orders = ''): string =>
  `'${process.execPath}' '${built(server)}' --host 127.0.0.1 --port ${port} ${orders} > /dev/null 2>&1 &`;

describe.concurrent('a target of ours that is restarted', () => {
  it.each([
    ['ws', []],
    ['uws', ['--by', 'kill']],
    ['uws', ['--local-shards', '2']],
    ['socketio', []],
  ])('has everybody back and proven: %s %j', async (target, more) => {
    const result = allBack(await ours(target, flags(211, more)), 211);
    // The old process and the new one were watched, each for its time.
    const pids = result.environment.observations.flatMap(({ source, name, process }) =>
      source === 'proc' && name === 'rssBytes' && process !== undefined ? [process] : [],
    );
    if (process.platform === 'linux') expect(new Set(pids).size).toBe(2);
  });

  it('comes back with each of its processes at its port', async () => {
    const ended = await ours('uws', flags(211, ['--target-processes', '3']));
    const result = allBack(ended, 211);
    expect(result.target.settings).toMatchObject({ processes: 3 });
    if (process.platform === 'linux') expect(ended.stdout).toMatch(/^target meanwhile {2}CPU \d+ % on average/m);
  });
});

describe.concurrent('a target that runs already', () => {
  it('is restarted by its command, which may leave it in the background', async () => {
    const target = await place.serve(ws);
    const command = `kill -KILL ${target.command.pid}; ${startAgain(target.port)}`;
    const ended = await broughtTo(target, flags(101, ['--restart-command', command]));
    allBack(ended, 101);
  });

  it('and is away for five seconds has library clients back, and each of their attempts is counted', async () => {
    const target = await place.serve('servers/socketio/main.js');
    const command = `kill -KILL ${target.command.pid}; sleep 5; ${startAgain(target.port, 'servers/socketio/main.js')}`;
    const at = `127.0.0.1:${target.port}`;
    const where = [`--target-url=ws://${at}`, `--publish-url=http://${at}/_broadcast`, '--protocol=socketio'];
    const more = [...where, '--client=library', `--restart-command=${command}`];
    const { books } = soundBooks(await place.run(['run', 'avalanche', ...flags(53, more)]));
    expect(books).toMatchObject({ returns: 53, underWay: 0, attempts: 53 + (books.failedAttempts ?? 0) });
    expect(books.failedAttempts).toBeGreaterThan(0);
  });

  it('that does not come back has nobody back, and each took longer than to the deadline', async () => {
    const target = await place.serve(ws);
    const command = `kill -KILL ${target.command.pid}`;
    const ended = await broughtTo(target, flags(101, ['--deadline', '3s', '--restart-command', command]));
    const { result, books } = soundBooks(ended);
    expect(result.stop.code).toBe('completed');
    expect(books).toMatchObject({ cut: 101, proven: 0, back: 0, notBack: 101, returns: 0 });
    expect(Object.keys(books).filter((name) => name.startsWith('backAfterMs'))).toEqual([]);
    expect(result.metrics.backAfter).toMatchObject({ count: 0, unfinished: 101, min: null, p50: null, max: null });
    expect(result.metrics.back?.count).toBe(0);
    expect(books.failedAttempts).toBeGreaterThan(101);
    expect(result.ledger.notBackByCause).toEqual({ 'connect-refused': expect.any(Number) });
    expect(ended.stdout).toContain('100 % later than 3,000 ms');
  });

  it('that is not restarted at all makes a failed run, and no score of 0 ms', async () => {
    const target = await place.serve(ws);
    const ended = await broughtTo(target, flags(31, ['--deadline', '2s', '--restart-command', 'true']));
    const { result, books } = soundBooks(ended);
    expect(ended.code).toBe(4);
    expect(result.stop).toEqual({
      code: 'noRestart',
      evidence: ['of 31 clients that were there at the order 0 were cut'],
      advice: stopReasons.noRestart.advice,
    });
    expect(result.verdict.rig).toBe('void');
    expect(books).toMatchObject({ opened: 31, cut: 0, neverCut: 31 });
    expect(result.metrics.backAfter).toMatchObject({ count: 0, p50: null, max: null });
    expect(ended.stdout).toContain('VOID');
  });

  it('whose command fails ends the run by that', async () => {
    const target = await place.serve(ws);
    const ended = await broughtTo(target, flags(31, ['--restart-command', 'echo so >&2; exit 7']));
    const { result } = soundBooks(ended);
    expect(ended.code).toBe(4);
    expect(result.stop).toEqual({
      code: 'restartFailed',
      evidence: ['the restart command ended with exit code 7'],
    });
    expect(result.verdict.rig).toBe('void');
    expect(ended.stderr).toMatch(/^so$/m);
    expect(ended.stdout).not.toMatch(/^so$/m);
  });

  it('is refused before the run where nobody says how to restart it', async () => {
    const target = await place.serve(ws);
    const ended = await broughtTo(target, flags(31));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('--restart-command and --restart-url: expected one of them');
  });
});

describe.concurrent('a target of known truth', () => {
  it('that delivers nothing after its restart has everybody back, and nobody proven', async () => {
    const target = await place.serve(metronome);
    const command = `kill -KILL ${target.command.pid}; ${startAgain(target.port, metronome, '--drop 1')}`;
    const more = ['--deadline', '8s', '--backoff', '50ms', '--backoff-max', '200ms', '--restart-command', command];
    const ended = await broughtTo(target, flags(43, more));
    const { result, books } = soundBooks(ended);
    const { totals } = await recordOf(target);
    expect(totals.delivered).toBe(0);
    expect(totals.dropped).toBeGreaterThan(43);
    const all = { opened: 43, provenBefore: 43, cut: 43, back: 43, returns: 43, cutAgain: 0 };
    expect(books).toMatchObject({ ...all, proven: 0, backUnproven: 43, notBack: 0, neverCut: 0 });
    expect(result.metrics.backAfter).toMatchObject({ count: 0, unfinished: 43, min: null, max: null });
    expect(result.metrics.offline?.count).toBe(43);
    expect(ended.stdout).toContain('100 % later than 8,000 ms');
  });

  it('that refuses half of all connections after its restart did so as often as attempts failed by that', async () => {
    const target = await place.serve(metronome);
    const command = `kill -KILL ${target.command.pid}; ${startAgain(target.port, metronome, '--refuse 0.5 --seed 11')}`;
    const ended = await broughtTo(target, flags(43, ['--restart-command', command]));
    const result = allBack(ended, 43);
    const { totals } = await recordOf(target);
    expect(totals.refusedConnections).toBeGreaterThan(0);
    const { 'http-status:503': refused, ...others } = result.ledger.failedAttemptsByCause as Record<string, number>;
    expect(refused).toBe(totals.refusedConnections);
    expect(Object.keys(others).every((cause) => cause === 'connect-refused')).toBe(true);
    expect((await connectionsOf(target)).length).toBe(result.ledger.returns);
  });
});

describe('a webhook', () => {
  let target: Served;
  const hook = createServer((request, response) => {
    target.command.kill('SIGKILL');
    void target.command.ended
      .then(() => place.serve(ws, ['--host', '127.0.0.1', '--port', String(target.port)]))
      .then(() => response.writeHead(request.method === 'POST' ? 204 : 405).end());
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    hook.close();
  });

  it('restarts a target that runs already', async () => {
    target = await place.serve(ws);
    const { port } = hook.address() as AddressInfo;
    const ended = await broughtTo(target, flags(101, ['--restart-url', `http://127.0.0.1:${port}/`]));
    allBack(ended, 101);
  });
});
