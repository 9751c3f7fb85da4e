import { io, type Socket } from 'socket.io-client';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../src/targets/launch/process.js';
import { targetByName } from '../../src/targets/list.js';
import { testable } from '../../test/testable.js';
import { eventually } from '../../test/ws-json-client.js';

const names = ['socketio', 'socketio-csr', 'socketio-uws', 'socketio-bun', 'socketio-bun-engine'];
const rows = await Promise.all(
  names.map(async (name) => ({ name, there: (await testable(targetByName(name)!)).isAvailable })),
);

// Together: each waits for its countdown.
describe.concurrent.each(rows)('$name', ({ name, there }) => {
  describe.skipIf(!there)('runs the typing game', () => runsGame(name));
});

function runsGame(name: string): void {
  let running: RunningTarget;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    running = await startTarget(targetByName(name)!, { host: '127.0.0.1' });
  });

  afterAll(async () => {
    for (const socket of sockets) socket.disconnect();
    await running.stop();
  });

  async function seat(): Promise<{ room: string; seat: number }> {
    const url = new URL('/api/pvp/matchmake', running.endpoints.publishUrl);
    const { statusCode, body } = await request(url, { method: 'POST' });
    expect(statusCode).toBe(200);
    return (await body.json()) as { room: string; seat: number };
  }

  /** A client at that seat, with what everybody typed and what it was refused. */
  async function player(place: string) {
    const socket = io(new URL(running.endpoints.wsUrl).origin, { transports: ['websocket'], forceNew: true });
    sockets.push(socket);
    const heard: unknown[] = [];
    const told: string[] = [];
    socket.on('message', (data) => heard.push(data));
    socket.onAny((event: string) => told.push(event));
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const state = (await socket.timeout(30_000).emitWithAck('join', place)) as { passage: string };
    return { socket, heard, told, passage: state.passage, place };
  }

  it('players of a room type after the countdown: all hear each right key, and nobody a wrong one', async ({
    expect,
  }) => {
    const dealt = [await seat(), await seat()];
    const places = dealt.map(({ room, seat }) => `${room}/${seat}`);
    expect(new Set(dealt.map(({ room }) => room)).size).toBe(1);
    const players = await Promise.all(places.map(player));
    const [one, other] = players as [Awaited<ReturnType<typeof player>>, Awaited<ReturnType<typeof player>>];
    one.socket.emit('keystroke', one.place, one.passage[0], 'early');
    await Promise.all(players.map(({ socket, place }) => socket.timeout(30_000).emitWithAck('join', `${place}/start`)));
    one.socket.emit('keystroke', one.place, one.passage[0], 1);
    one.socket.emit('keystroke', one.place, '#', 2);
    // Nobody types for somebody else.
    other.socket.emit('keystroke', one.place, one.passage[1], 3);
    other.socket.emit('keystroke', other.place, other.passage[0], 4);
    await expect
      .poll(() => players.map(({ heard }) => [...heard].sort()), eventually)
      .toEqual([
        [1, 4],
        [1, 4],
      ]);
    expect(one.told.filter((event) => event === 'rejected')).toHaveLength(2);
    await expect
      .poll(() => new Set([...one.told, ...other.told]), eventually)
      .toEqual(new Set(['entered', 'countdown', 'start', 'wpm', 'message', 'rejected']));
  });

  it('whoever has no seat is refused', async ({ expect }) => {
    const socket = io(new URL(running.endpoints.wsUrl).origin, { transports: ['websocket'], forceNew: true });
    sockets.push(socket);
    socket.emit('join', 'g999/0');
    expect(await new Promise((resolve) => socket.once('disconnect', resolve))).toBe('io server disconnect');
  });
}
