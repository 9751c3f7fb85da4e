import { expect, it } from 'vitest';
import { managedServer } from './launch/managed-server.js';
import { targetByName, targets } from './list.js';

it('names each target once, and finds it by its name', () => {
  expect(targets.map(({ name }) => name)).toEqual([
    ...['ws', 'ws-http2', 'uws', 'socketio', 'socketio-csr', 'socketio-uws', 'socketio-bun', 'socketio-bun-engine'],
    ...['socketio-redis', 'socketio-redis-streams', 'bun', 'gorilla', 'socketioxide', 'cowboy', 'em-websocket'],
    ...['anycable', 'anycable-pro', 'anycable-pusher', 'soketi', 'sockudo', 'ws-shootout', 'uws-shootout'],
    ...['ws-shootout-cable', 'gorilla-shootout', 'cowboy-shootout', 'em-websocket-shootout', 'action-cable'],
    ...['action-cable-async', 'action-cable-anycable', 'action-cable-shootout', 'action-cable-anycable-shootout'],
    ...['metronome', 'metronome-socketio', 'metronome-anycable', 'metronome-pusher', 'metronome-shootout'],
  ]);
  for (const target of targets) expect(targetByName(target.name)).toBe(target);
  expect(targetByName('nobody')).toBeUndefined();
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

it.each(targets)('gives a WebSocket address of $name for each port where it can be several processes', (target) => {
  const { wsUrl, wsUrls, publishUrl } = target.endpoints({ host: '::1', port: 3001, ports: [3001, 3019, 3011] });
  expect(wsUrls[0]).toBe(wsUrl);
  const ofClients = target.ports === 'split' ? ['3019', '3011'] : ['3001', '3019', '3011'];
  expect(wsUrls.map((url) => new URL(url).port)).toEqual(target.isApart ? ['3001'] : ofClients);
  expect(new URL(publishUrl).port).toBe('3001');
  expect(target.endpoints({ host: '::1', port: 3001 }).wsUrls).toEqual([wsUrl.replace('3019', '3001')]);
});

it('asks only a target that is to be several processes for it', () => {
  const { start } = targetByName('uws')!;
  const address = { host: '127.0.0.7', port: 3001 };
  const alone = start(address).args;
  expect(alone.slice(1)).toEqual(['--host', '127.0.0.7', '--port', '3001']);
  expect(start(address, { processes: 1 }).args).toEqual(alone);
  expect(start(address, { processes: 7 }).args).toEqual([...alone, '--processes', '7']);
  expect(targets.filter(({ maxProcesses }) => maxProcesses > 1).map(({ name }) => name)).toEqual([
    'uws',
    'socketio-redis',
    'socketio-redis-streams',
    'uws-shootout',
    'action-cable',
    'action-cable-shootout',
  ]);
});

it('has targets of known truth, which take options, as do servers that can compress', () => {
  const known = targets.filter(({ isKnownTruth }) => isKnownTruth);
  expect(known.map(({ name }) => name)).toEqual([
    'metronome',
    'metronome-socketio',
    'metronome-anycable',
    'metronome-pusher',
    'metronome-shootout',
  ]);
  const compressing = targets.filter(({ options }) => options && 'compression' in options.shape);
  expect(compressing.map(({ name }) => name)).toEqual([
    'ws',
    'ws-http2',
    'uws',
    'ws-shootout',
    'uws-shootout',
    'ws-shootout-cable',
  ]);
  expect(targets.filter((each) => each.options && !compressing.includes(each))).toEqual(known);
});

it('gives options to the server as its flags', () => {
  const address = { host: '127.0.0.7', port: 3001 };
  const { start } = targetByName('metronome-socketio')!;
  const plain = start(address).args;
  expect(plain.slice(-2)).toEqual(['--protocol', 'socketio']);
  const options = { delay: 'uniform:5ms,50ms', drop: 0.125, seed: 20_000 };
  expect(start(address, { options }).args).toEqual([
    ...plain,
    '--delay=uniform:5ms,50ms',
    '--drop=0.125',
    '--seed=20k',
  ]);
  const { start: ws } = targetByName('ws')!;
  expect(ws(address, { options: { compression: 'on' } }).args).toEqual([...ws(address).args, '--compression=on']);
});

it('says what to do where a server is not built', async () => {
  const server = { folder: 'unbuilt', name: 'unbuilt', summary: 'has no program', protocol: 'ws-json', wsPath: '/' };
  expect(await managedServer(server).availability()).toMatchObject({
    isAvailable: false,
    why: expect.stringMatching(/main\.js/),
    hint: expect.stringMatching(/npm run build/),
  });
});
