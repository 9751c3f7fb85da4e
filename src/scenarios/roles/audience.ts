import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import type { Connections } from './connections.js';

/** Base of every audience: opens its clients, waits, and gives up without any. */
export abstract class Audience<O> implements Role {
  protected abstract readonly connections: Connections;
  protected readonly tickMs: number = 5;
  #hasGivenUp = false;

  constructor(protected readonly context: AudienceContext<O>) {}

  abstract stage(name: string, startAtNs: number, signal: AbortSignal, round?: number): Promise<void>;
  abstract report(): RoleReport;

  /** Resolves once `isOver` returns true, or on abort. Until then calls `tick` every `tickMs`. */
  protected async waitUntil(isOver: (nowNs: number) => boolean, signal: AbortSignal, tick?: () => void): Promise<void> {
    const { nowNs, sleep } = this.context;
    while (!signal.aborted && !isOver(nowNs())) {
      tick?.();
      await sleep(this.tickMs, signal);
    }
  }

  /** Reports once why nothing can come any more. */
  protected giveUp(evidence: string): void {
    if (!this.#hasGivenUp) this.context.giveUp({ code: 'targetGone', evidence });
    this.#hasGivenUp = true;
  }

  /** Clients that are there, or are still to come. */
  protected get clientsLeft(): number {
    return this.connections.open;
  }

  /** Returns true if a client is left for the next step. Gives up without any. */
  protected hasClients(purpose: string): boolean {
    if (this.clientsLeft === 0) this.giveUp(`a worker has no client left to ${purpose}`);
    return this.clientsLeft > 0;
  }

  protected lostOne(cause: string): void {
    if (this.clientsLeft === 0) this.giveUp(`every client of a worker was cut, the last by ${cause}`);
  }

  progress(): Record<string, number> {
    return this.connections.progress();
  }

  dispose(): void {
    this.connections.dispose();
  }
}
