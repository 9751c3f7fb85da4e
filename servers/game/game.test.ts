import { describe, expect, it } from 'vitest';
import { Games, type Message, passage, Room } from './game.js';

/** What a room says at each look, every 50 ms. */
function said(room: Room, toMs: number): (readonly [atMs: number, message: Message])[] {
  return Array.from({ length: toMs / 50 + 1 }, (_, n) => n * 50).flatMap((atMs) =>
    room.tick(atMs).map((message) => [atMs, message] as const),
  );
}

/** A room with so many players that has started, at 5000 ms. */
function started(players: number): Room {
  const room = new Room(0);
  for (let n = 0; n < players; n++) room.enter(room.give());
  said(room, 5000);
  expect(room.hasStarted).toBe(true);
  return room;
}

describe('a room', () => {
  it('counts down when it takes nobody more, starts, and tells words per minute every second', () => {
    const room = new Room(0);
    for (const seat of [room.give(), room.give()]) expect(room.enter(seat)).toBe(true);
    expect(said(room, 6000)).toEqual([
      [2000, ['countdown', 3]],
      [3000, ['countdown', 2]],
      [4000, ['countdown', 1]],
      [5000, ['start', 2]],
      [6000, ['wpm', [0, 0]]],
    ]);
  });

  it('takes each seat once, only if it was given, and nobody after the start', () => {
    const room = new Room(0);
    const seat = room.give();
    const late = room.give();
    expect([room.enter(seat), room.enter(seat), room.enter(2)]).toEqual([true, false, false]);
    said(room, 5000);
    expect(room.enter(late)).toBe(false);
  });

  it('takes the keys of the passage in their order, over and over, and no others', () => {
    const room = started(2);
    const keys = [...passage, ...passage];
    expect(keys.every((key) => room.type(1, key))).toBe(true);
    expect([room.type(1, 'x'), room.type(1, undefined), room.type(5, 't')]).toEqual([false, false, false]);
    expect([room.type(0, 'h'), room.type(0, 't'), room.type(0, 'h')]).toEqual([false, true, true]);
    expect(new Room(0).type(0, 't')).toBe(false);
  });

  it('tells 60 words a minute of somebody who types a key every 200 ms', () => {
    const room = started(2);
    for (let n = 0; n < 50; n++) room.type(0, passage[n % passage.length]);
    expect(room.tick(15_000)).toEqual([['wpm', [60, 0]]]);
  });

  it('is over when everybody left after its start', () => {
    const room = started(2);
    room.leave(0);
    expect(room.isOver).toBe(false);
    room.leave(1);
    expect(room.isOver).toBe(true);
  });

  it('has a seat free again that somebody left before the start', () => {
    const room = new Room(0);
    const seat = room.give();
    room.enter(seat);
    room.leave(seat);
    expect([room.isOver, room.enter(seat)]).toEqual([false, true]);
  });
});

describe('the games of a server', () => {
  it('deal six seats to a room, and fewer where nobody comes for two seconds', () => {
    const games = new Games();
    const dealt = [0, 250, 500, 750, 1000, 1250, 1500, 1750, 3500, 4000].map((atMs) => games.matchmake(atMs));
    expect(dealt.map(({ room, seat }) => `${room}/${seat}`)).toEqual([
      ...['g0/0', 'g0/1', 'g0/2', 'g0/3', 'g0/4', 'g0/5'],
      ...['g1/0', 'g1/1', 'g2/0', 'g2/1'],
    ]);
  });

  it('pass on what rooms say, and forget those that are over', () => {
    const games = new Games();
    const { room, seat } = games.matchmake(0);
    games.room(room)?.enter(seat);
    const told: string[] = [];
    for (let atMs = 0; atMs <= 6000; atMs += 50) games.tick(atMs, (name, [event]) => told.push(`${name} ${event}`));
    expect(told).toEqual(['g0 countdown', 'g0 countdown', 'g0 countdown', 'g0 start', 'g0 wpm']);
    games.room(room)?.leave(seat);
    games.tick(6050, () => undefined);
    expect(games.size).toBe(0);
  });
});
