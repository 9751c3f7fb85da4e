import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endsProcess } from '../../../test/family.js';
import { connectionsOf, recordOf } from '../../../test/known-truth.js';
import {
  allBack,
  external,
  flags,
  managed,
  metronome,
  place,
  soundBooks,
  startAgain,
  ws,
} from '../../../test/runs/avalanche.js';
import type { Served } from '../../../test/workplace.js';

describe.concurrent('a target of ours that is restarted', () => {
  it.each([
    ['ws', 1, []],
    ['uws', 1, ['--by', 'kill']],
    ['uws', 2, []],
    ['socketio', 1, []],
  ])('has everybody back and proven: %s over %i shard(s) %j', async (target, shards, more) => {
    const result = allBack(await managed(target, flags(211, more), shards), 211);
    // The old process and the new one were watched, each for its time.
    const pids = result.environment.observations.flatMap(({ source, name, process }) =>
      source === 'proc' && name === 'rssBytes' && process !== undefined ? [process] : [],
    );
    if (process.platform === 'linux') expect(new Set(pids).size).toBe(2);
  });
});

describe.concurrent('a target that runs already', () => {
  it('whose command fails ends the run by that', async () => {
    const target = await place.serve(ws);
    const ended = await external(target, flags(31, ['--restart-command', 'echo so >&2; exit 7']));
    const { result } = soundBooks(ended);
    expect(ended.code).toBe(4);
    expect(result.stop).toEqual({ code: 'restartFailed', evidence: [expect.stringContaining('7')] });
    expect(result.verdict.rig).toBe('void');
    expect(ended.stderr).toMatch(/^so$/m);
    expect(ended.stdout).not.toMatch(/^so$/m);
  });

  it('is restarted by its command, which may leave it in the background', async () => {
    const target = await place.serve(ws);
    const command = `${endsProcess(target.command.pid)}; ${startAgain(target.port)}`;
    const ended = await external(target, flags(101, ['--restart-command', command]));
    allBack(ended, 101);
  });

  it('and is away for five seconds has library clients back, and each of their attempts is counted', async () => {
    const target = await place.serve('servers/socketio/main.js');
    const again = startAgain(target.port, 'servers/socketio/main.js');
    const command = `${endsProcess(target.command.pid)}; sleep 5; ${again}`;
    const at = `127.0.0.1:${target.port}`;
    const where = [`--target-url=ws://${at}`, `--publish-url=http://${at}/_broadcast`, '--protocol=socketio'];
    const more = [...where, '--client=library', `--restart-command=${command}`];
    const { books } = soundBooks(await place.measure(['run', 'avalanche', ...flags(53, more)]));
    expect(books).toMatchObject({ returns: 53, underWay: 0, attempts: 53 + (books.failedAttempts ?? 0) });
    expect(books.failedAttempts).toBeGreaterThan(0);
  });

  it('that does not come back has nobody back, and each took longer than to the deadline', async () => {
    const target = await place.serve(ws);
    const command = endsProcess(target.command.pid);
    const ended = await external(target, flags(101, ['--deadline', '3s', '--restart-command', command]));
    const { result, books } = soundBooks(ended);
    expect(result.stop.code).toBe('nothingDelivered');
    expect(books).toMatchObject({ cut: 101, proven: 0, back: 0, notBack: 101, returns: 0 });
    expect(Object.keys(books).filter((name) => name.startsWith('backAfterMs'))).toEqual([]);
    expect(result.metrics.backAfter).toMatchObject({ count: 0, unfinished: 101, min: null, p50: null, max: null });
    expect(result.metrics.back?.count).toBe(0);
    expect(books.failedAttempts).toBeGreaterThan(101);
    expect(result.ledger.notBackByCause).toEqual({ 'connect-refused': expect.any(Number) });
  });
});

describe.concurrent('a target of known truth', () => {
  it('that refuses half of all connections after its restart did so as often as attempts failed by that', async () => {
    const target = await place.serve(metronome);
    const again = startAgain(target.port, metronome, '--refuse 0.5 --seed 11');
    const command = `${endsProcess(target.command.pid)}; ${again}`;
    const ended = await external(target, flags(43, ['--restart-command', command]));
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
    const ended = await external(target, flags(101, ['--restart-url', `http://127.0.0.1:${port}/`]));
    allBack(ended, 101);
  });
});
