import { eventLoop } from './turns.js';

/** How long a peer may take to end TCP after close frames. */
export const closeTimeoutMs = 2000;

/** Members that all get the same time; `onDue` gets those not deleted in time. One timer for all. */
export class Deadlines<Member> {
  /** Times are equal, so insertion order is deadline order. */
  private readonly dueAtNs = new Map<Member, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly timeoutMs: number,
    private readonly onDue: (member: Member) => void,
    private readonly nowNs: () => number = eventLoop.nowNs,
  ) {}

  add(member: Member): void {
    this.dueAtNs.set(member, this.nowNs() + this.timeoutMs * 1e6);
    this.timer ??= setTimeout(this.sweep, this.timeoutMs);
  }

  delete(member: Member): void {
    this.dueAtNs.delete(member);
  }

  clear(): Member[] {
    const members = [...this.dueAtNs.keys()];
    this.dueAtNs.clear();
    clearTimeout(this.timer);
    this.timer = undefined;
    return members;
  }

  private readonly sweep = (): void => {
    this.timer = undefined;
    for (const [member, dueAtNs] of this.dueAtNs) {
      const leftNs = dueAtNs - this.nowNs();
      if (leftNs > 0) {
        this.timer ??= setTimeout(this.sweep, Math.ceil(leftNs / 1e6));
        return;
      }
      this.dueAtNs.delete(member);
      this.onDue(member);
    }
  };
}
