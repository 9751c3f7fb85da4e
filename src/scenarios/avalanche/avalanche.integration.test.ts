import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionsOf, recordOf } from '../../../test/known-truth.js';
import {
  allBack,
  broughtTo,
  flags,
  metronome,
  ours,
  place,
  soundBooks,
  startAgain,
  ws,
} from '../../../test/runs/avalanche.js';
import type { Served } from '../../../test/workplace.js';
import { stopReasons } from '../../contract/stop-reasons.js';

describe.concurrent('a target of ours that is restarted', () => {
  it('comes back with each of its processes at its port', async () => {
    const ended = await ours('uws', flags(211, ['--target-processes', '3']));
    const result = allBack(ended, 211);
    expect(result.target.settings).toMatchObject({ processes: 3 });
    if (process.platform === 'linux') expect(ended.stdout).toMatch(/^target meanwhile {2}CPU \d+ % on average/m);
  });
});

describe.concurrent('a target that runs already', () => {
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
