import type { Server, Socket } from 'socket.io';
import { Games, passage } from './room.js';

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
