import { randomBytes } from 'node:crypto';
import { payloadFormat } from '../../measure/samples/payload.js';
import { completeAddress, upgradeTo } from '../../protocols/client-options.js';
import { protocolWith } from '../../protocols/list.js';
import type { Protocol, ProtocolValues, Verb } from '../../protocols/protocol.js';
import { Mask } from '../../protocols/trails.js';
import { slotsOfUsers } from '../../protocols/users.js';
import type { LoadOptions } from '../../scenarios/load-options.js';
import { type ClientValues, filledUpgrade, unfitHeader } from '../../units/slots.js';
import { identitiesOf } from '../../units/text.js';
import { recognised } from '../clients.js';
import { knownBefore, prepareLogins, workerUsers } from '../logins.js';
import { HttpPublish } from '../publish.js';
import { type Reached, TracedClient, type TracedSetup } from './traces.js';

export interface TriedTarget {
  protocol: string;
  protocolOptions: ProtocolValues;
  wsUrl: string;
  publishUrl: string;
  publishHeaders: Record<string, string>;
  /** Set if `publishUrl` accepts publishes. */
  isPostedTo: boolean;
  /** With the certificates of the client and of the one after it. */
  load: LoadOptions;
  number: number;
  /** Secrets to hide besides the values of clients. */
  secrets: readonly string[];
}

/**
 * An event of a client, in order and without secrets. `content` of a binary message is in hexadecimal. `line`: of the
 * user's file that caused it.
 */
export type Happening = { client: number; atMs: number; line?: string } & (
  | { step: string }
  | { isSent: boolean; isBinary: boolean; size: number; content: string }
);

export interface StepOutcome {
  step: string;
  why?: string;
}

const waitMs = 5000;
const payloadBytes = 64;
const stream = 'ringside-try';

type Kind = 'publish' | 'echo' | 'whisper';

/** What is shown in place of a secret. */
export const hidden = '(hidden)';

/** Thrown when a client can't continue. The outcomes give the reason. */
class Stuck extends Error {}

/** Runs one client, or two where others must receive, through every verb of the protocol. */
export class Trial {
  readonly #protocol: Protocol;
  readonly #format = payloadFormat(randomBytes(4).toString('hex'), payloadBytes);
  readonly #mask = new Mask();
  readonly #startedMs = performance.now();
  readonly #clients: TracedClient[] = [];
  readonly #outcomes: StepOutcome[] = [];
  readonly #names = new Map<Reached, string>();
  #sequence = 0;

  constructor(
    private readonly tried: TriedTarget,
    private readonly tell: (happening: Happening) => void,
    private readonly over: AbortSignal,
  ) {
    const protocol = protocolWith(tried.protocol, tried.protocolOptions);
    if (!protocol) throw new Error(`no protocol ${tried.protocol}: a planned target names one of the list`);
    this.#protocol = protocol;
    this.#mask.add(tried.secrets, hidden);
  }

  async run(): Promise<readonly StepOutcome[]> {
    try {
      await this.#verbs();
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
    } finally {
      for (const client of this.#clients) client.close();
    }
    return this.#outcomes;
  }

  async #verbs(): Promise<void> {
    const { publishesByClients } = this.#protocol;
    const speaker = await this.#enter(this.tried.number);
    const isHeard = publishesByClients !== undefined || this.#has('whisper');
    const listener = isHeard ? await this.#enter(this.tried.number + 1) : speaker;
    const { session } = speaker;
    if (publishesByClients)
      await this.#send('publish', [speaker, listener], (data) => session.broadcast?.(stream, data));
    else if (this.tried.isPostedTo) await this.#post(speaker);
    if (this.#has('echo')) await this.#send('echo', [speaker, speaker], (data) => session.echo?.(data));
    if (this.#has('whisper'))
      await this.#send('whisper', [speaker, listener], (data) => session.whisper?.(stream, data));
  }

  #has(verb: Verb): boolean {
    const { verbs, withoutVerb } = this.#protocol;
    return verbs.includes(verb) && withoutVerb?.(verb, this.tried.protocolOptions) === undefined;
  }

  async #enter(number: number): Promise<TracedClient> {
    const client = this.#open(number, await this.#valuesOf(number));
    const { awaited } = this.#protocol;
    if (!(await this.#hears(client, 'open', 'no open WebSocket'))) throw new Stuck();
    if (!(await this.#hears(client, 'ready', messageWith(awaited?.ready)))) throw new Stuck();
    if (!this.#has('subscribe')) return client;
    client.session.subscribe(stream);
    if (!(await this.#hears(client, 'subscribed', messageWith(awaited?.subscribed)))) throw new Stuck();
    return client;
  }

  async #valuesOf(number: number): Promise<ClientValues> {
    const { protocolOptions } = this.tried;
    const { login } = protocolOptions as { login?: string };
    const before = await knownBefore({ protocolOptions, stream, seed: 0 });
    const logins = login === undefined ? undefined : prepareLogins(this.#job, login, before);
    await logins?.all({ first: number, capacity: 1 }, this.over);
    const users = workerUsers(before, logins);
    const values = users.valuesOf(number);
    this.#mask.add(
      (slotsOfUsers(protocolOptions) ?? []).map((slot) => values(slot) ?? ''),
      hidden,
    );
    const failure = users.failureOf(number);
    if (failure !== undefined) this.#end(number, 'logged in', failure);
    if (logins) this.#step(number, 'logged in');
    return values;
  }

  #open(number: number, values: ClientValues): TracedClient {
    const { wsUrl, protocolOptions: options, load } = this.tried;
    const protocol = this.#protocol;
    const upgrade = filledUpgrade(upgradeTo(completeAddress(protocol, wsUrl, options), options), values);
    const unfit = unfitHeader(upgrade);
    if (unfit !== undefined) this.#end(number, 'open', `its value does not fit into the header ${unfit}`);
    const seen: TracedSetup['seen'] = ({ isSent, isBinary, bytes }) => {
      const content = isBinary ? this.#mask.hexOf(bytes) : this.#mask.hide(Buffer.from(bytes).toString());
      this.tell({
        client: number,
        atMs: performance.now() - this.#startedMs,
        isSent,
        isBinary,
        size: bytes.length,
        content,
      });
    };
    const reached: TracedSetup['reached'] = (what) => this.#step(number, this.#names.get(what) ?? what);
    const [identity] = identitiesOf(load.targetCert, 1, () => number - this.tried.number);
    const setup = { number, protocol, options, upgrade, values, way: { ...load, identity }, connectTimeoutMs: waitMs };
    const client = new TracedClient({ ...setup, format: this.#format, seen, reached });
    this.#clients.push(client);
    return client;
  }

  async #send(
    kind: Kind,
    [speaker, listener]: [TracedClient, TracedClient],
    say: (data: string) => boolean | undefined,
  ): Promise<void> {
    const { sequence, data } = this.#next(kind);
    const { publishesByClients, awaited } = this.#protocol;
    if (!say(data)) {
      this.#fail(speaker.number, `${kind} sent`, `the connection ended${this.#causeOf(speaker)}`);
      return;
    }
    if (kind === 'publish' && publishesByClients?.isAnswered)
      await this.#hears(speaker, `acknowledged ${sequence}`, messageWith(awaited?.acknowledged));
    await this.#hears(listener, `delivered ${sequence}`, messageWith(awaited?.[kind], theData));
  }

  async #post(listener: TracedClient): Promise<void> {
    const { sequence, data } = this.#next('publish');
    const { protocol, protocolOptions } = this.tried;
    const http = new HttpPublish({ ...this.#job, stream, protocol, protocolOptions });
    const answer = await http.publish(data);
    await http.close();
    if (typeof answer === 'string' || answer >= 400) {
      this.#fail(listener.number, 'posted', String(answer));
      return;
    }
    this.#step(listener.number, `posted, answered by ${answer}`);
    this.#outcomes.push({ step: this.#named('posted', listener.number) });
    await this.#hears(listener, `delivered ${sequence}`, messageWith(this.#protocol.awaited?.publish, theData));
  }

  /** Creates a send of a kind. Clients find it as in a run of that kind. */
  #next(kind: Kind): { sequence: number; data: string } {
    const sequence = this.#sequence++;
    this.#names.set(`delivered ${sequence}`, arrivals[kind]);
    this.#names.set(`acknowledged ${sequence}`, 'acked');
    const needs: Verb[] = kind === 'publish' ? [] : [kind];
    for (const client of this.#clients) client.format = recognised(this.#protocol, needs, this.#format);
    return { sequence, data: this.#format.text(0, sequence) };
  }

  async #hears(client: TracedClient, what: Reached, missing: string): Promise<boolean> {
    const isThere = await client.reaches(what, waitMs, this.over);
    const name = this.#names.get(what) ?? what;
    const why =
      client.end === undefined ? ` within ${waitMs / 1000} s` : `: the connection ended${this.#causeOf(client)}`;
    if (isThere) this.#outcomes.push({ step: this.#named(name, client.number) });
    else this.#fail(client.number, name, missing + why);
    return isThere;
  }

  #fail(client: number, step: string, why: string): void {
    this.#outcomes.push({ step: this.#named(step, client), why });
  }

  #end(client: number, step: string, why: string): never {
    this.#fail(client, step, why);
    throw new Stuck();
  }

  #step(client: number, step: string): void {
    this.tell({ client, atMs: performance.now() - this.#startedMs, step });
  }

  #named(step: string, client: number): string {
    return client === this.tried.number ? step : `${step} (client ${client})`;
  }

  #causeOf({ end = '' }: TracedClient): string {
    return ` (${this.#mask.hide(end)})`;
  }

  get #job() {
    const { wsUrl, publishUrl, publishHeaders } = this.tried;
    const load = { ...this.tried.load, publishTimeoutMs: waitMs };
    return { load, target: { wsUrls: [wsUrl], publishUrl, furtherPublishUrls: [], publishHeaders } };
  }
}

const arrivals: Readonly<Record<Kind, string>> = {
  publish: 'delivered',
  echo: 'the echo came back',
  whisper: 'the whisper arrived',
};

const theData = 'the data that was sent';

function messageWith(awaited: string | undefined, otherwise = 'what was awaited'): string {
  return `no message with ${awaited === undefined ? otherwise : `'${awaited}'`}`;
}
