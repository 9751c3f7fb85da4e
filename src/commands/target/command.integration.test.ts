import { expect, it } from 'vitest';
import { workplace } from '../../../test/workplace.js';

const place = workplace();

it('says where a target is reached once it listens, at the port that it has', async () => {
  const command = place.ringside(['target', 'ws', '--port', '0']);
  const [, wsPort] = await command.said('stderr', /clients at ws:\/\/127\.0\.0\.1:(\d+)\/ws, publishes at POST http/);
  const [, port] = await command.said('stdout', /"port":(\d+)/);
  expect(wsPort).toBe(port);
  const answer = await fetch(`http://127.0.0.1:${port}/health`);
  expect(answer.status).toBe(200);
  command.kill('SIGTERM');
  expect(await command.ended).toMatchObject({ code: 0 });
});

it('refuses a port that is taken, and tells of a target that ends before it listens', async () => {
  const { port } = await place.serve('servers/ws/main.js');
  const taken = await place.run(['target', 'ws'], { RINGSIDE_PORT: String(port) });
  expect(taken).toMatchObject({ code: 2, stdout: '' });
  expect(taken.stderr).toContain(`port ${port} of 127.0.0.1`);
  expect(taken.stderr).not.toContain('clients at');
  const ended = await place.run(['target', 'ws', '--host', '192.0.2.7', '--port', '0']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(/ws ended before it listened \(exit code 1\)/);
  expect(await place.run(['target', 'ws', '--port', '70000'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--port: expected at most 65535'),
  });
});
