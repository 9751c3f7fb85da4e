import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { workplace } from '../../test/workplace.js';

const place = workplace();
const subscribe = '{"type":"subscribe","stream":"s"}';

/** A metronome that takes three upgrades, and its open sockets. */
async function full(...walls: string[]) {
  const { port } = await place.serve('servers/metronome/main.js', ['--take=3', ...walls]);
  const dial = (): WebSocket => new WebSocket(`ws://127.0.0.1:${port}/ws`);
  const taken = [dial(), dial(), dial()];
  await Promise.all(taken.map((socket) => once(socket, 'open')));
  return { port, taken, dial };
}

describe('an upgrade beyond those that a metronome takes', () => {
  it('is answered 503, and those before it go on', async () => {
    const { taken, dial } = await full();
    const [error] = (await once(dial(), 'error')) as [Error];
    expect(error.message).toContain('503');
    taken[0]?.send(subscribe);
    expect(String((await once(taken[0] as WebSocket, 'message'))[0])).toContain('subscribed');
  });

  it('is closed by 1013', async () => {
    const { dial } = await full('--wall=close');
    expect((await once(dial(), 'close'))[0]).toBe(1013);
  });

  it.each(['mute', 'deaf'])('gets no answer from one that is %s', async (wall) => {
    const { taken, dial } = await full(`--wall=${wall}`);
    const socket = dial();
    const heard: string[] = [];
    socket.on('open', () => {
      heard.push('open');
      socket.send(subscribe);
    });
    socket.on('message', () => heard.push('message'));
    socket.on('error', () => heard.push('cut'));
    // What was sent after it is answered: it had its turn.
    if (wall === 'deaf') await once(socket, 'open');
    taken[0]?.send(subscribe);
    await once(taken[0] as WebSocket, 'message');
    expect(heard).toEqual(wall === 'deaf' ? ['open'] : []);
    socket.terminate();
  });
});

it('answers upgrades two at a time', async () => {
  const { port } = await place.serve('servers/metronome/main.js', ['--together=2']);
  const opened: number[] = [];
  const dial = (n: number) => new WebSocket(`ws://127.0.0.1:${port}/ws`).on('open', () => opened.push(n));
  const first = dial(1);
  await once(first, 'upgrade', { signal: AbortSignal.timeout(211) }).catch(() => undefined);
  expect(opened).toEqual([]);
  await Promise.all([once(first, 'open'), once(dial(2), 'open')]);
  expect(opened.sort()).toEqual([1, 2]);
});

it('closes its oldest connections by a code, and cuts all where it is told no more', async () => {
  const { port, taken } = await full();
  const codes = taken.map(async (socket) => (await once(socket, 'close'))[0] as number);
  const close = (query: string) => fetch(`http://127.0.0.1:${port}/_close${query}`, { method: 'POST' });
  expect((await close('?first=2&code=1001')).status).toBe(204);
  expect(await Promise.all(codes.slice(0, 2))).toEqual([1001, 1001]);
  await close('');
  expect(await codes[2]).toBe(1006);
});
