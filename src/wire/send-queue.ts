/** So many bytes of one client may wait for a target that does not read; the kernel holds several times as many. */
export const mostUnsentBytes = 1_048_576;

interface Waiting<T> {
  message: T;
  isData: boolean;
}

/** What one client has yet to send. The kernel took all written before, so nothing here left this process. */
export class SendQueue<T extends { length: number }> {
  #waiting: Waiting<T>[] = [];
  #bytes = 0;

  /** `isTaken` says whether the kernel has all that was written; the owner then calls `flush`. */
  constructor(
    private readonly isTaken: () => boolean,
    private readonly write: (message: T) => void,
  ) {}

  /** Sends or keeps a message; false if too much waits. `isData` marks a send of the run. */
  send(message: T, isData: boolean): boolean {
    this.flush();
    if (this.#waiting.length > 0 && this.#bytes + message.length > mostUnsentBytes) return false;
    this.#waiting.push({ message, isData });
    this.#bytes += message.length;
    this.flush();
    return true;
  }

  /** Writes what waits as long as the kernel takes it. */
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
