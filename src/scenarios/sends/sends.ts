import { type Clients, type SendBatch, sendFate } from '../../protocols/protocol.js';

/** What an audience does with its sends, each of which has a sequence number. */
export interface SendHooks {
  /** Says it: now, or at `dueNs` if there is one. False if that is not possible. */
  say(clients: Clients, client: number, sequence: number, dueNs?: number): boolean | undefined;
  /** It left then. `writtenAtNs` is 0 if the kernel did not take all of it at once. */
  sent(client: number, sequence: number, sentAtNs: number, writtenAtNs: number): void;
  unsent(client: number, sequence: number, why: 'gone' | 'unread'): void;
}

/** The sends of one worker's clients. Each ends in `sent` or `unsent`, now or when an engine tells. */
export class Sends {
  #ahead = 0;

  constructor(
    private readonly nowNs: () => number,
    private readonly hooks: SendHooks,
  ) {}

  /** Whether it is known of all that was handed over ahead what became of it. */
  get isSettled(): boolean {
    return this.#ahead === 0;
  }

  now(clients: Clients | undefined, client: number, sequence: number): void {
    if (clients === undefined) return;
    const sentAtNs = this.nowNs();
    if (this.hooks.say(clients, client, sequence) === false) this.hooks.unsent(client, sequence, 'unread');
    else this.hooks.sent(client, sequence, sentAtNs, isHandedOver(clients, client) ? this.nowNs() : 0);
  }

  /** Hands it over to leave at `dueNs`; false, and forgotten, if that is not possible. */
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

/** Whether the kernel has what this client sent, as far as its engine or library tells. Nothing waits in most runs. */
export function isHandedOver(clients: Clients | undefined, client: number): boolean {
  return (clients?.unsent?.(client) ?? 0) === 0;
}

/**
 * When a send of the client had left that the kernel did not have within the call: an engine with threads writes a
 * moment later. Later sends make it later, so that it bounds from below what came since. 0 while it is unknown.
 */
export function leftLaterAtNs(clients: Clients | undefined, client: number): number {
  const atNs = clients?.leftAtNs?.(client) ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(atNs) ? atNs : 0;
}
