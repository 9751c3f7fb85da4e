import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Writes what a target sent, or a part of it, to a client. */
export type Carry = (bytes: Buffer, toClient: net.Socket, connection: number) => void | Promise<void>;

/** Carries TCP to a port. What comes from there a test carries on, in order and in pieces as it likes. */
export class CuttingProxy {
  readonly #server: net.Server;
  #connections = 0;

  constructor(
    to: number,
    private readonly carry: Carry,
  ) {
    this.#server = net.createServer({ allowHalfOpen: true }, (socket) => this.#join(socket, to));
  }

  #join(socket: net.Socket, to: number): void {
    const connection = this.#connections++;
    const onward = net.connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    let before = Promise.resolve();
    const inTurn = (work: () => void | Promise<void>): void => {
      before = before.then(work);
    };
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => (one === socket ? other.destroy() : inTurn(() => void other.destroySoon())));
    }
    socket.pipe(onward);
    onward.on('data', (bytes: Buffer) => inTurn(() => this.carry(bytes, socket, connection)));
    onward.on('end', () => inTurn(() => void socket.end()));
  }

  /** Listens, and gives the port. */
  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return (this.#server.address() as net.AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

/** Writes the bytes in pieces that end at these places, each in a turn of its own. */
export async function inPieces(bytes: Buffer, to: net.Socket, cuts: readonly number[]): Promise<void> {
  let from = 0;
  for (const end of [...cuts, bytes.length]) {
    if (end <= from || end > bytes.length) continue;
    to.write(bytes.subarray(from, end));
    from = end;
    await nextTurn();
  }
}
