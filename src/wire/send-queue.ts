import type { Socket } from 'node:net';

/** Most bytes of one client that may wait for a target that does not read. The kernel holds several times as many. */
export const mostUnsentBytes = 1_048_576;

interface Waiting<T> {
  message: T;
  isData: boolean;
}

/** Holds the unsent messages of one client. None has left this process: the kernel took all earlier bytes. */
export class SendQueue<T extends { length: number }> {
  #waiting: Waiting<T>[] = [];
  #bytes = 0;

  /** `isTaken` returns true if the kernel has all written bytes. The owner calls `flush` when that becomes true. */
  constructor(
    private readonly isTaken: () => boolean,
    private readonly write: (message: T) => void,
  ) {}

  /** Sends or keeps a message. Returns false if too many bytes wait. `isData` marks a send of the run. */
  send(message: T, isData: boolean): boolean {
    this.flush();
    if (this.#waiting.length > 0 && this.#bytes + message.length > mostUnsentBytes) return false;
    this.add(message, isData);
    return true;
  }

  /** Sends or keeps a message, however many bytes wait. */
  add(message: T, isData: boolean): void {
    this.#waiting.push({ message, isData });
    this.#bytes += message.length;
    this.flush();
  }

  /** Writes waiting messages as long as the kernel takes them. */
  flush(): void {
    let written = 0;
    for (; written < this.#waiting.length && this.isTaken(); written++) {
      const { message } = this.#waiting[written] as Waiting<T>;
      this.#bytes -= message.length;
      this.write(message);
    }
    if (written > 0) this.#waiting = this.#waiting.slice(written);
  }

  get unsent(): number {
    return this.#waiting.reduce((sum, { isData }) => sum + (isData ? 1 : 0), 0);
  }

  get unsentBytes(): number {
    return this.#bytes;
  }
}

/** Returns a queue behind what a socket has yet to write. It gives up what waits once `to` is not established. */
export function queueBehind(socket: Socket, to: { readonly isEstablished: boolean }): SendQueue<Buffer> {
  const flush = (): void => {
    if (to.isEstablished) queue.flush();
  };
  const queue = new SendQueue<Buffer>(
    () => socket.writableLength === 0,
    (frame) => socket.write(frame, flush),
  );
  // The callback runs when everything before it is written.
  socket.write(Buffer.alloc(0), flush);
  return queue;
}
