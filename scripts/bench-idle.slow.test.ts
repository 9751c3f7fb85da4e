import { describe, expect, it } from 'vitest';
import { runResult } from '../src/results/result.js';
import { asJson, named, refusal } from '../test/refusal.js';
import { idle, place } from '../test/runs/bench-idle.js';

describe.concurrent('bench:idle:multi', () => {
  it('holds the connections of two local shards and passes flags on', async () => {
    const ended = await idle(['--settle', '1ms', '--json'], { PER_SHARD_N: '7', HOLD_SEC: '0' }).ended;
    const { ledger, shards, job } = runResult.parse(JSON.parse(ended.stdout));
    expect(ledger).toMatchObject({ asked: 14, held: 14, proven: 14, lost: 0 });
    expect(shards).toHaveLength(2);
    expect(job.options).toMatchObject({ durationMs: 0, settleMs: 1, rampRatePerSecond: 2000 });
  });

  it('refuses wrong values before anything starts', async () => {
    const ended = await idle([], { PER_SHARD_N: 'many', HOLD_SEC: '2m' }).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr.match(/^error: (PER_SHARD_N|HOLD_SEC): /gm)).toHaveLength(2);
    expect(await idle([], { SHARDS: 'a' }).ended).toMatchObject({ code: 2, stdout: '' });
  });

  it('ends once for a Ctrl-C that comes twice, with what was measured', async () => {
    const command = idle(['--json'], { PER_SHARD_N: '7', HOLD_SEC: '600' });
    await command.said('stderr', / hold /);
    command.kill('SIGINT');
    command.kill('SIGTERM');
    const ended = await command.ended;
    expect(ended.code).toBe(130);
    expect(runResult.parse(JSON.parse(ended.stdout)).stop.code).toBe('endedByUser');
  });

  it('prefers an address to TARGET, and passes the exit code on', async () => {
    const { port } = await place.serve('servers/ws/main.js', ['--port', '0']);
    const at = `127.0.0.1:${port}`;
    const env = { RINGSIDE_TARGET_URL: `ws://${at}/ws`, TARGET: 'socketio', PER_SHARD_N: '7', HOLD_SEC: '0' };
    const elsewhere = { ...env, RINGSIDE_PROTOCOL: 'ws-json', RINGSIDE_PUBLISH_URL: 'nowhere' };
    expect(await refusal(idle([], { ...elsewhere, ...asJson }))).toContainEqual(
      named('badOption', 'RINGSIDE_PUBLISH_URL'),
    );
    const publish = { RINGSIDE_PROTOCOL: 'ws-json', RINGSIDE_PUBLISH_URL: `http://${at}/_broadcast` };
    const ended = await idle(['--settle', '1ms', '--json'], { ...env, ...publish }).ended;
    expect(runResult.parse(JSON.parse(ended.stdout))).toMatchObject({ target: { name: at }, ledger: { held: 14 } });
  });
});
