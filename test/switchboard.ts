import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** One address whose process can change at any moment, as by a restart, or which carries nothing for a while. */
export class Switchboard {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** From which to which bytes are carried. */
  readonly #ways = new Map<Socket, Socket>();
  #isCut = false;
  #to: number;

  private constructor(to: number) {
    this.#to = to;
    this.#server = createServer((incoming) => this.#join(incoming, connect(this.#to, '127.0.0.1')));
  }

  /** Listens on a free port of the loopback, and leads to that one. */
  static async open(to: number): Promise<Switchboard> {
    const board = new Switchboard(to);
    await once(board.#server.listen(0, '127.0.0.1'), 'listening');
    return board;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Leads to another port from now on; connections that there are end. */
  turn(to: number): void {
    this.#to = to;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Carries nothing any more, and takes connections all the same: a network that lost its way. */
  cut(): void {
    this.#isCut = true;
    for (const [from, to] of this.#ways) from.unpipe(to).pause();
  }

  /** Carries on, with all that was sent meanwhile. */
  heal(): void {
    this.#isCut = false;
    for (const [from, to] of this.#ways) from.pipe(to);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(one: Socket, other: Socket): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      this.#sockets.add(from);
      this.#ways.set(from, to);
      if (!this.#isCut) from.pipe(to);
      // Whatever ends one side ends the other.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        this.#ways.delete(from);
        to.destroy();
      });
    }
  }
}
