import { objectIn } from '../../units/json-text.js';
import type { Session, SessionSink } from '../protocol.js';
import { textOf, unexpected } from '../talk.js';
import { extendedProtocol } from './cable.js';
import { StreamPositions } from './positions.js';
import { type Channel, pubsubChannel } from './stream-name.js';

interface Subscription {
  stream: string;
  identifier: string;
  /** Asked for on this connection; held since its confirmation; lost with the connection. */
  state: 'asked' | 'held' | 'lost';
  wasHeld: boolean;
  askedHistory: boolean;
}

/**
 * Session of Action Cable. If it is extended, a returning client asks for the history since its last position, and gets
 * it before `confirm_history`, or `reject_history`. Like the real client, the session answers no ping.
 */
export class AnycableSession implements Session {
  #subscriptions: readonly Subscription[] = [];
  readonly #positions = new StreamPositions();
  #isExtended = false;

  constructor(
    protected readonly sink: SessionSink,
    protected readonly channel: Channel = pubsubChannel,
  ) {}

  opened(subprotocol: string): void {
    this.#isExtended = subprotocol === extendedProtocol;
    for (const subscription of this.#subscriptions) subscription.state = 'lost';
  }

  subscribe(stream: string): void {
    const subscription = this.#subscriptionTo(stream);
    if (subscription.state === 'held') this.sink.subscribed(stream);
    if (subscription.state !== 'lost') return;
    const history = subscription.wasHeld ? this.#historyOf(stream) : undefined;
    subscription.state = 'asked';
    subscription.askedHistory = history !== undefined;
    this.sink.send(JSON.stringify({ command: 'subscribe', identifier: subscription.identifier, history }));
  }

  /** A target passes it on if the stream is public, or if it is configured for signed streams. */
  whisper(stream: string, data: string): boolean {
    const identifier = JSON.stringify(this.channel.identifierOf(stream));
    return this.sink.say(`{"command":"whisper","identifier":${identifier},"data":${data}}`);
  }

  received(bytes: Uint8Array): void {
    const text = textOf(bytes);
    const talk = objectIn(text);
    const type = talk?.type;
    const subscription = this.#subscriptions.find(({ identifier }) => identifier === talk?.identifier);
    if (type === 'welcome') this.sink.ready();
    else if (type === 'disconnect') this.sink.refused(typeof talk?.reason === 'string' ? talk.reason : type);
    else if (subscription === undefined) this.sink.refused(unexpected(text));
    else if (type === undefined) {
      this.position(bytes, 0, bytes.length);
      this.sink.other(bytes);
    } else if (type === 'confirm_subscription') this.#confirmed(subscription);
    else if (type === 'confirm_history') this.sink.resumed(true);
    else if (type === 'reject_history') this.sink.resumed(false);
    else this.sink.refused(type === 'reject_subscription' ? type : unexpected(text));
  }

  position(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isExtended) this.#positions.track(bytes, start, end);
  }

  protected confirmed(stream: string): void {
    this.sink.subscribed(stream);
  }

  #confirmed(subscription: Subscription): void {
    const isReturning = subscription.wasHeld;
    subscription.state = 'held';
    subscription.wasHeld = true;
    this.confirmed(subscription.stream);
    if (isReturning && !subscription.askedHistory) this.sink.resumed(false);
  }

  #subscriptionTo(stream: string): Subscription {
    let subscription = this.#subscriptions.find((known) => known.stream === stream);
    if (subscription === undefined) {
      const identifier = this.channel.identifierOf(stream);
      subscription = { stream, identifier, state: 'lost', wasHeld: false, askedHistory: false };
      this.#subscriptions = this.#subscriptions.concat(subscription);
    }
    return subscription;
  }

  #historyOf(stream: string): { streams: Record<string, { offset: number; epoch: string }> } | undefined {
    const name = this.channel.nameOf(stream);
    const position = this.#isExtended && name !== undefined ? this.#positions.of(name) : undefined;
    return name === undefined || position === undefined ? undefined : { streams: { [name]: position } };
  }
}
