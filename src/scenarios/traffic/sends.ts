import { type Clients, type SendBatch, sendFate } from '../../protocols/protocol.js';

/** Handles the sends of an audience, each of which has a sequence number. */
export interface SendHooks {
  /** Sends the message now, or at `dueNs` if given. Returns false if that is not possible. */
  say(clients: Clients, client: number, sequence: number, dueNs?: number): boolean | undefined;
  /** Called for a send that left at `sentAtNs`. `writtenAtNs` is 0 if the kernel did not take all of it at once. */
  sent(client: number, sequence: number, sentAtNs: number, writtenAtNs: number): void;
  unsent(client: number, sequence: number, why: 'gone' | 'unread'): void;
}

/** Tracks the sends of one worker's clients. Each ends in `sent` or `unsent`, at once or when an engine reports it. */
export class Sends {
  #ahead = 0;

  constructor(
    private readonly nowNs: () => number,
    private readonly hooks: SendHooks,
  ) {}

  /** True if the outcome of every send handed over ahead is known. */
  get isSettled(): boolean {
    return this.#ahead === 0;
  }

  now(clients: Clients | undefined, client: number, sequence: number): void {
    if (clients === undefined) return;
    const sentAtNs = this.nowNs();
    if (this.hooks.say(clients, client, sequence) === false) this.hooks.unsent(client, sequence, 'unread');
    else this.hooks.sent(client, sequence, sentAtNs, isHandedOver(clients, client) ? this.nowNs() : 0);
  }

  /** Hands over a send that leaves at `dueNs`. Returns false, and forgets it, if that is not possible. */
  ahead(clients: Clients | undefined, client: number, sequence: number, dueNs: number): boolean {
    const isTaken = clients !== undefined && this.hooks.say(clients, client, sequence, dueNs) === true;
    if (isTaken) this.#ahead++;
    return isTaken;
  }

  take({ count, client, token, sentAtNs, writtenAtNs, fate }: SendBatch): void {
    this.#ahead -= count;
    for (let i = 0; i < count; i++) {
      const [sender, sequence] = [client[i] as number, token[i] as number];
      if (fate[i] === sendFate.sent) this.hooks.sent(sender, sequence, sentAtNs[i] as number, writtenAtNs[i] as number);
      else this.hooks.unsent(sender, sequence, fate[i] === sendFate.gone ? 'gone' : 'unread');
    }
  }
}

/**
 * Returns true if the kernel has everything this client sent, as far as its engine or library shows. In most runs
 * nothing waits.
 */
export function isHandedOver(clients: Clients | undefined, client: number): boolean {
  return (clients?.unsent?.(client) ?? 0) === 0;
}

/**
 * Returns when a send of the client had left that the kernel did not have within the call. An engine with threads
 * writes a moment later. Later sends move the instant on, so that it bounds later arrivals from below. Returns 0 while
 * it is unknown.
 */
export function leftLaterAtNs(clients: Clients | undefined, client: number): number {
  const atNs = clients?.leftAtNs?.(client) ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(atNs) ? atNs : 0;
}
