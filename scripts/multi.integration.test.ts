import { describe, expect, it } from 'vitest';
import { runResult } from '../src/results/result.js';
import { built } from '../test/built.js';
import type { Command } from '../test/command.js';
import { asJson, named, refusal } from '../test/refusal.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const script = built('scripts/multi.js');

/** What the environment of the tests may hold is not theirs. */
const bare = { TARGET: undefined, PER_SHARD_N: undefined, HOLD_SEC: undefined, RAMP_PER_SEC: undefined };

function multi(args: readonly string[], env: Record<string, string>): Command {
  return place.start(process.execPath, [script, ...args], { ...bare, ...env });
}

describe.concurrent('bench:idle:multi', () => {
  it('holds the connections of two shards of this machine and passes flags on', async () => {
    const ended = await multi(['idle', '--settle', '1ms', '--json'], { PER_SHARD_N: '7', HOLD_SEC: '0' }).ended;
    const { ledger, shards, job } = runResult.parse(JSON.parse(ended.stdout));
    expect(ledger).toMatchObject({ asked: 14, held: 14, proven: 14, lost: 0 });
    expect(shards).toHaveLength(2);
    expect(job.options).toMatchObject({ holdMs: 0, settleMs: 1, rampRatePerSecond: 2000 });
  });

  it('loads the target that has an address, whatever TARGET says, and passes the exit code on', async () => {
    const { port } = await place.serve('servers/ws/main.js', ['--port', '0']);
    const at = `127.0.0.1:${port}`;
    const env = { RINGSIDE_TARGET_URL: `ws://${at}/ws`, TARGET: 'socketio', PER_SHARD_N: '7', HOLD_SEC: '0' };
    expect(await refusal(multi(['idle'], { ...env, ...asJson }))).toContainEqual(named('badOption', '--publish-url'));
    const publish = { RINGSIDE_PROTOCOL: 'ws-json', RINGSIDE_PUBLISH_URL: `http://${at}/_broadcast` };
    const flags = ['idle', '--settle', '1ms', '--json'];
    const ended = await place.fleet.lend(2, (fleet) => multi(flags, { ...env, ...publish, ...fleet }).ended);
    expect(runResult.parse(JSON.parse(ended.stdout))).toMatchObject({ target: { name: at }, ledger: { held: 14 } });
  });

  it('refuses wrong values before anything starts', async () => {
    const ended = await multi(['idle'], { PER_SHARD_N: 'many', SHARDS: 'a' }).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr.match(/^error: (PER_SHARD_N|SHARDS)\b.*\b(many|a)\b/gm)).toHaveLength(2);
  });

  it('ends once for a Ctrl-C that comes twice, with what was measured', async () => {
    const command = multi(['idle', '--json'], { PER_SHARD_N: '7', HOLD_SEC: '600' });
    await command.said('stderr', / hold /);
    command.kill('SIGINT');
    command.kill('SIGTERM');
    const ended = await command.ended;
    expect(ended.code).toBe(130);
    expect(runResult.parse(JSON.parse(ended.stdout)).stop.code).toBe('interrupted');
  });
});

describe.concurrent('every other bench over several shards', () => {
  it('is refused where the name is none', async () => {
    const ended = await multi(['echos'], {}).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^error: .*latency, .*knee.*echos/m);
  });
});
