import { type Message, Room } from './room.js';

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
