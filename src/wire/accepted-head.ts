/**
 * The upgrade answer that was accepted last, byte by byte. A target's answers differ by the accept key, and perhaps a date, so one comparison judges
 * nearly all of them; parsing each cost as much as making its socket. One per engine.
 */
export class AcceptedHead {
  private head: Buffer | null = null;
  private acceptAt = 0;
  private chosen = '';

  /** The subprotocol in the remembered answer. */
  get subprotocol(): string {
    return this.chosen;
  }

  /** How long the head at the start of `bytes[0, end)` is, empty line included, when it is the remembered one with `accept` as its key; otherwise 0. */
  lengthIn(bytes: Buffer, end: number, accept: string): number {
    const { head } = this;
    if (head === null || end < head.length) return 0;
    head.write(accept, this.acceptAt, 'latin1');
    return head.compare(bytes, 0, head.length) === 0 ? head.length : 0;
  }

  /** Copies an accepted head, empty line included. `accept` twice in it would leave open which of them is the key: such a head is not kept. */
  remember(head: Buffer, accept: string, subprotocol: string): void {
    this.acceptAt = head.indexOf(accept);
    this.head = this.acceptAt === head.lastIndexOf(accept) ? Buffer.from(head) : null;
    this.chosen = subprotocol;
  }
}
