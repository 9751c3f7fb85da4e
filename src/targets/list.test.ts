import { expect, it } from 'vitest';
import { targetByName, targets } from './list.js';

it('names each target once, and finds it by its name', () => {
  expect(targets.map(({ name }) => name)).toEqual([
    'ws',
    'uws',
    'socketio',
    'socketio-csr',
    'anycable',
    'anycable-pro',
  ]);
  for (const target of targets) expect(targetByName(target.name)).toBe(target);
  expect(targetByName('soketi')).toBeUndefined();
});

it.each(targets)('reaches $name at addresses that URLs can hold', ({ endpoints }) => {
  for (const [host, hostname] of [
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['::1', '[::1]'],
  ] as const) {
    const { wsUrl, publishUrl, healthUrl, statsUrl = healthUrl } = endpoints({ host, port: 3001 });
    expect(new URL(wsUrl)).toMatchObject({
      protocol: 'ws:',
      hostname,
      port: '3001',
      pathname: expect.stringMatching(/^\/./),
    });
    for (const url of [publishUrl, healthUrl, statsUrl])
      expect(new URL(url)).toMatchObject({ protocol: 'http:', hostname, port: '3001' });
  }
});

it('says what to do where a server is not built', async () => {
  // Beside a source file there is no compiled server.
  const availability = await targetByName('ws')!.availability();
  expect(availability).toMatchObject({
    isAvailable: false,
    why: expect.stringMatching(/main\.js/),
    hint: expect.stringMatching(/npm run build/),
  });
});
