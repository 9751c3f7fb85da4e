import { describe, expect, it } from 'vitest';
import { runResult } from '../src/results/result.js';
import { asJson, named, refusal } from '../test/refusal.js';
import { idle, place } from '../test/runs/bench-idle.js';

describe('bench:idle:multi', () => {
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
