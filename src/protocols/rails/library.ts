import type { Cable } from '@anycable/core';
import { type AnyChannel, AnycableClients } from '../anycable/library.js';
import { echoStream, railsChannel } from './channel.js';

/** Clients of `@anycable/core` that subscribe to a channel of a Rails application and perform its actions. */
export class RailsClients extends AnycableClients {
  readonly #channel = railsChannel(this.setup.options);

  echo(client: number, sequence: number): boolean {
    if (!this.hasChannel(client)) this.subscribe(client, echoStream);
    return this.#act('echo', this.writable(client), sequence);
  }

  broadcast(client: number, stream: string, sequence: number): boolean {
    return this.#act('broadcast', this.writable(client, stream), sequence);
  }

  protected override streamFrom(cable: Cable, stream: string): AnyChannel {
    return cable.subscribeTo(this.#channel.className, this.#channel.paramsOf(stream));
  }

  /** Handles a message. An action answers with its name and payload. A message over HTTP is published as it is. */
  protected override heard(client: number, message: unknown): void {
    const { action, payload } = (message ?? {}) as { action?: unknown; payload?: unknown };
    if (action !== 'broadcastResult') super.heard(client, action === undefined ? message : payload);
    else if (this.sequenceIn(payload) >= 0) this.setup.acknowledged(client, this.sequenceIn(payload));
  }

  #act(action: string, channel: AnyChannel | undefined, sequence: number): boolean {
    // A connection that ended rejects it, and is counted as one that ended.
    channel?.perform(action, { payload: JSON.parse(this.setup.payload(sequence)) }).catch(() => undefined);
    return channel !== undefined;
  }
}
