import type { Server, Socket } from 'socket.io';

const roomSize = 6;
/** A room closes this long after its first place was assigned. Then it counts down for `countdownFrom` seconds. */
const closesAfterMs = 2000;
const countdownFrom = 3;
const lettersPerWord = 5;

/** Players type this text over and over, because a game has no end. */
export const passage =
  'the quick brown fox jumps over the lazy dog while five wizards mix a bright potion and sing of old ships at sea ';

export type Message =
  | readonly ['entered', seat: number]
  | readonly ['countdown', seconds: number]
  | readonly ['start', players: number]
  | readonly ['wpm', bySeat: readonly number[]];

interface Player {
  typed: number;
  isHere: boolean;
}

/** Runs one game: its places, a countdown, and the text that every player typed. It uses no clock and no sockets. */
export class Room {
  readonly #players = new Map<number, Player>();
  readonly #openedMs: number;
  #given = 0;
  #nextMs = 0;
  #countdown = countdownFrom;
  #startedMs: number | undefined;

  constructor(nowMs: number) {
    this.#openedMs = nowMs;
  }

  isClosed(nowMs: number): boolean {
    return this.#given === roomSize || nowMs >= this.#openedMs + closesAfterMs;
  }

  get hasStarted(): boolean {
    return this.#startedMs !== undefined;
  }

  /** Returns true if all players who joined have left. */
  get isOver(): boolean {
    return this.hasStarted && ![...this.#players.values()].some(({ isHere }) => isHere);
  }

  give(): number {
    return this.#given++;
  }

  /** Takes the place for a player. Returns true if it was assigned and is free, and the game has not started. */
  enter(seat: number): boolean {
    if (this.hasStarted || seat >= this.#given || this.#players.has(seat)) return false;
    this.#players.set(seat, { typed: 0, isHere: true });
    return true;
  }

  leave(seat: number): void {
    const player = this.#players.get(seat);
    if (player === undefined) return;
    player.isHere = false;
    // Before the start, the place becomes free again.
    if (!this.hasStarted) this.#players.delete(seat);
  }

  /** Advances the player if `key` is the next one to type. Returns true if it is. */
  type(seat: number, key: unknown): boolean {
    const player = this.#players.get(seat);
    if (!this.hasStarted || player === undefined || key !== passage[player.typed % passage.length]) return false;
    player.typed++;
    return true;
  }

  /** Returns the messages that are due. It counts down and broadcasts once a second, however often it is called. */
  tick(nowMs: number): readonly Message[] {
    if (!this.isClosed(nowMs) || nowMs < this.#nextMs) return [];
    this.#nextMs = Math.max(this.#nextMs, nowMs) + 1000;
    if (this.#startedMs !== undefined) return [['wpm', this.#wordsPerMinute(nowMs - this.#startedMs)]];
    if (this.#countdown > 0) return [['countdown', this.#countdown--]];
    this.#startedMs = nowMs;
    return [['start', this.#players.size]];
  }

  #wordsPerMinute(playedMs: number): number[] {
    const minutes = playedMs / 60_000;
    return [...this.#players.values()].map(({ typed }) => Math.round(typed / lettersPerWord / minutes));
  }
}

/** Holds all games of a server. It assigns places in the order of requests, and ends rooms that all have left. */
export class Games {
  readonly #rooms = new Map<string, Room>();
  #last: { name: string; room: Room } | undefined;
  #opened = 0;

  matchmake(nowMs: number): { room: string; seat: number } {
    if (this.#last === undefined || this.#last.room.isClosed(nowMs)) {
      this.#last = { name: `g${this.#opened++}`, room: new Room(nowMs) };
      this.#rooms.set(this.#last.name, this.#last.room);
    }
    return { room: this.#last.name, seat: this.#last.room.give() };
  }

  room(name: string): Room | undefined {
    return this.#rooms.get(name);
  }

  get size(): number {
    return this.#rooms.size;
  }

  tick(nowMs: number, say: (room: string, message: Message) => void): void {
    for (const [name, room] of this.#rooms) {
      if (room.isOver) this.#rooms.delete(name);
      else for (const message of room.tick(nowMs)) say(name, message);
    }
  }
}

const tickMs = 50;
const seatForm = /^(g\d+)\/([0-5])(\/start)?$/;

/** Runs the game on a Socket.IO server over any engine. docs/decisions/game.md describes the game. */
export class SocketioGame {
  readonly #games = new Games();
  readonly #waiting = new Map<string, (() => void)[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly io: Pick<Server, 'to'>) {}

  matchmake(): string {
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
    return JSON.stringify(this.#games.matchmake(performance.now()));
  }

  serve(socket: Socket): void {
    socket.on('keystroke', (stream: unknown, key: unknown, data: unknown) => {
      const seat = seatIn(stream);
      if (seat === undefined || socket.data.seat !== stream) return;
      if (this.#games.room(seat.room)?.type(seat.seat, key)) this.io.to(seat.room).emit('message', data);
      else socket.emit('rejected', key);
    });
  }

  /** Handles a `join` to a place: `g7/3`, or `g7/3/start`, answered at the start. False for other names. */
  join(socket: Socket, stream: string, answer: (state?: unknown) => void): boolean {
    const seat = seatIn(stream);
    if (seat === undefined) return false;
    if (seat.isStart) this.#await(seat.room, answer);
    else if (this.#games.room(seat.room)?.enter(seat.seat)) {
      socket.data.seat = stream;
      this.#enter(socket, seat, answer);
    } else socket.disconnect();
    return true;
  }

  #enter(socket: Socket, { room, seat }: Place, answer: (state: unknown) => void): void {
    socket.once('disconnect', () => this.#games.room(room)?.leave(seat));
    void Promise.resolve(socket.join(room)).then(() => {
      answer({ passage });
      this.io.to(room).emit('entered', seat);
    });
  }

  #await(room: string, answer: () => void): void {
    if (this.#games.room(room)?.hasStarted) answer();
    else this.#waiting.set(room, [...(this.#waiting.get(room) ?? []), answer]);
  }

  #tick(): void {
    this.#games.tick(performance.now(), (room, [event, told]) => {
      this.io.to(room).emit(event, told);
      if (event !== 'start') return;
      for (const answer of this.#waiting.get(room) ?? []) answer();
      this.#waiting.delete(room);
    });
  }
}

interface Place {
  room: string;
  seat: number;
  isStart: boolean;
}

function seatIn(stream: unknown): Place | undefined {
  const [, room, seat, start] = (typeof stream === 'string' && seatForm.exec(stream)) || [];
  return room === undefined ? undefined : { room, seat: Number(seat), isStart: start !== undefined };
}
