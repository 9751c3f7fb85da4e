/**
 * The last accepted upgrade answer, byte by byte. A target's answers differ by the accept key and perhaps a date, so
 * one comparison replaces parsing, which cost as much as making the socket. One per engine.
 */
export class AcceptedHead {
  private head: Buffer | null = null;
  private acceptAt = 0;
  private chosen = '';

  get subprotocol(): string {
    return this.chosen;
  }

  /** The length of the head in `bytes[0, end)` if it is the remembered one with `accept` as its key; otherwise 0. */
  lengthIn(bytes: Buffer, end: number, accept: string): number {
    const { head } = this;
    if (head === null || end < head.length) return 0;
    head.write(accept, this.acceptAt, 'latin1');
    return head.compare(bytes, 0, head.length) === 0 ? head.length : 0;
  }

  /** Copies an accepted head, unless `accept` stands in it twice, so that its place is unclear. */
  remember(head: Buffer, accept: string, subprotocol: string): void {
    this.acceptAt = head.indexOf(accept);
    this.head = this.acceptAt === head.lastIndexOf(accept) ? Buffer.from(head) : null;
    this.chosen = subprotocol;
  }
}
