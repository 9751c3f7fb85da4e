import { expect, it } from 'vitest';
import { runResult } from '../src/results/result.js';
import { built } from '../test/built.js';
import { workplace } from '../test/workplace.js';

const place = workplace();

it('a bench over several shards loads the target whose address a flag gives, whatever TARGET says', async () => {
  const { port } = await place.serve('servers/ws/main.js', ['--port', '0']);
  const at = `127.0.0.1:${port}`;
  const address = ['--target-url', `ws://${at}/ws`, '--protocol', 'ws-json'];
  const load = ['--clients', '7', '--rate', '5/s', '--duration', '1s', '--drain', '1s'];
  const script = [built('scripts/multi.js'), 'echo', ...load, ...address, '--json'];
  const ended = await place.start(process.execPath, script, { TARGET: 'socketio' }).ended;
  const { target, shards, ledger } = runResult.parse(JSON.parse(ended.stdout));
  expect(target.name).toBe(at);
  expect(shards).toHaveLength(2);
  expect(ledger).toMatchObject({ lost: 0, duplicate: 0 });
});
