import { expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();

it.concurrent('says where a target is reached once it listens, at the port that it has', async () => {
  const command = place.ringside(['target', 'ws', '--port', '0']);
  const [, wsPort] = await command.said('stderr', /ws:\/\/127\.0\.0\.1:(\d+)\/ws\b.*http:/);
  const [, port] = await command.said('stdout', /"port":(\d+)/);
  expect(wsPort).toBe(port);
  const answer = await fetch(`http://127.0.0.1:${port}/health`);
  expect(answer.status).toBe(200);
  command.kill('SIGTERM');
  expect(await command.ended).toMatchObject({ code: 0 });
});

it.concurrent('refuses a port that is taken, and a target that ends before it listens', async () => {
  const { port } = await place.serve('servers/ws/main.js');
  const taken = await place.refused(['target', 'ws'], { RINGSIDE_PORT: String(port) });
  expect(taken).toEqual([named('portInUse', port)]);
  const ended = await place.refused(['target', 'ws', '--host', '192.0.2.7', '--port', '0']);
  expect(ended).toEqual([named('targetFailed', 'ws', 1)]);
});
