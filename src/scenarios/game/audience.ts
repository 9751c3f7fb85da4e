import type { Clients, DeliveryBatch } from '../../protocols/protocol.js';
import { notZero, total } from '../books/ledger.js';
import { Ramp } from '../roster/ramp.js';
import { Roster } from '../roster/roster.js';
import { lengthMs, stagesOf } from '../roster/stages.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { aheadNs } from '../traffic/send-schedule.js';
import { leftLaterAtNs as leftLater, Sends } from '../traffic/sends.js';
import { Keys } from './keys.js';
import { type GameOptions, keysEach, keysPerSecond } from './options.js';
import { PlayerBuckets, PlayerPings } from './pings.js';
import { firstPing, KeyNumbers, Players } from './players.js';

/**
 * Schedules one kind of message of the players, each on an open schedule. A server takes the keys of a passage in their
 * order. So a player's next message depends on whether the last one left, and is handed over once that is known.
 */
export class Cadence {
  /** Per client: the due instant of its next send, or of the one that was handed over ahead. */
  readonly #dueNs: Float64Array;
  readonly #isAhead: Uint8Array;

  constructor(
    clientCount: number,
    private readonly everyNs: number,
    private readonly sends: Sends,
    private readonly next: { sequenceOf(client: number): number },
  ) {
    this.#dueNs = new Float64Array(clientCount);
    this.#isAhead = new Uint8Array(clientCount);
  }

  begin(client: number, atNs: number): void {
    this.#dueNs[client] = atNs;
  }

  /**
   * Sends messages due by `atNs`. Hands over those due soon after it and before `endNs`, if the clients accept that.
   */
  send(clients: Clients, client: number, atNs: number, endNs: number): void {
    while (this.#isAhead[client] === 0) {
      const dueNs = this.#dueNs[client] as number;
      const sequence = this.next.sequenceOf(client);
      if (dueNs <= atNs) this.sends.now(clients, client, sequence);
      else if (!clients.sendsAhead || dueNs > atNs + aheadNs || dueNs >= endNs) return;
      else if (this.sends.ahead(clients, client, sequence, dueNs)) this.#isAhead[client] = 1;
      else return;
    }
  }

  /** Settles a client's last send, once it left or did not. Returns its due instant. */
  settle(client: number): number {
    const dueNs = this.#dueNs[client] as number;
    this.#dueNs[client] = dueNs + this.everyNs;
    this.#isAhead[client] = 0;
    return dueNs;
  }
}

/**
 * Holds the players of one worker. They arrive, type and ping on open schedules, until the end or until the server is
 * dead.
 */
export class GameAudience implements Role {
  readonly #context: AudienceContext<GameOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #players: Players;
  readonly #keys: Keys;
  readonly #pings: PlayerPings;
  readonly #hundreds: PlayerBuckets;
  readonly #sends: Sends;
  readonly #keyCadence: Cadence;
  readonly #pingCadence: Cadence;
  /** Players at the end of each bucket. */
  readonly #playingAt: Uint32Array;
  readonly #unsent = { gone: 0, unread: 0 };
  #pingsUnsent = 0;
  #startAtNs = 0;
  #isDead = false;

  constructor(context: AudienceContext<GameOptions>) {
    this.#context = context;
    const { options, clientCount, totalClients } = context;
    this.#hundreds = new PlayerBuckets(options.stages);
    const numbers = new KeyNumbers(totalClients, keysEach(options));
    const leftLaterAtNs = (client: number): number => leftLater(this.#roster.clients, client);
    this.#keys = new Keys({ ...context, numbers, hundreds: this.#hundreds, leftLaterAtNs });
    this.#pings = new PlayerPings({ ...context, hundreds: this.#hundreds, leftLaterAtNs });
    this.#sends = new Sends(context.nowNs, {
      say: (clients, client, sequence, dueNs) =>
        isPing(sequence)
          ? clients.echo?.(client, sequence, dueNs)
          : clients.type?.(client, this.#players.streamOf(client), this.#keys.typedBy(client), sequence, dueNs),
      sent: (client, sequence, sentAtNs, writtenAtNs) => {
        const intendedAtNs = this.#settle(client, sequence);
        if (isPing(sequence)) this.#pings.sent(client, sentAtNs, writtenAtNs);
        else this.#keys.typed(client, { intendedAtNs, sentAtNs, writtenAtNs });
      },
      unsent: (client, sequence, why) => {
        this.#settle(client, sequence);
        if (isPing(sequence)) this.#pingsUnsent++;
        else this.#unsent[why]++;
      },
    });
    this.#keyCadence = new Cadence(clientCount, 1e9 / keysPerSecond(options), this.#sends, this.#keys);
    this.#pingCadence = new Cadence(clientCount, 1e9 / options.pingsPerSecond, this.#sends, this.#pings);
    this.#playingAt = new Uint32Array(this.#hundreds.count);
    this.#roster = new Roster(context, {
      prove: (clients, client) => this.#players.enter(clients, client),
      confirmed: (client, stream) => this.#players.confirmed(client, stream),
      deliveries: (batch) => this.#take(batch),
      sends: (batch) => this.#sends.take(batch),
    });
    this.#ramp = new Ramp(this.#roster);
    this.#players = new Players(this.#roster, context, {
      entered: (client, seat) => this.#keys.admit(client, seat),
      started: (client) => this.#begin(client),
      cut: (client, hasStarted) => {
        if (!hasStarted) this.#keys.dismiss(client);
      },
    });
  }

  #settle(client: number, sequence: number): number {
    return (isPing(sequence) ? this.#pingCadence : this.#keyCadence).settle(client);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options } = this.#context;
    if (name === 'ramp') await this.#ramp.run(startAtNs, { ratePerSecond: 1, upTo: 0 }, signal);
    if (name === 'play') await this.#play(startAtNs, startAtNs + lengthMs(stagesOf(options.stages)) * 1e6, signal);
    if (name === 'drain') {
      await this.#roster.waitUntil((nowNs) => nowNs >= startAtNs + options.drainMs * 1e6, signal);
      this.#keys.close();
    }
  }

  async #play(startAtNs: number, endNs: number, signal: AbortSignal): Promise<void> {
    this.#startAtNs = startAtNs;
    this.#hundreds.begin(startAtNs);
    this.#players.begin(startAtNs);
    await this.#roster.waitUntil(
      (nowNs) => nowNs >= endNs || this.#isOver(nowNs),
      signal,
      () => this.#tick(endNs),
    );
    // Sends that were handed over leave, however the game ends.
    await this.#roster.waitUntil(() => this.#sends.isSettled, new AbortController().signal);
  }

  /**
   * Returns true if the server is dead. It is alive as long as it answers any ping. The first ping is sent only after a
   * countdown.
   */
  #isOver(nowNs: number): boolean {
    const { deadAfterMs } = this.#context.options;
    const aliveAtNs = Math.max(this.#pings.answeredAtNs, this.#startAtNs);
    this.#isDead = this.#pings.count > 0 && nowNs - aliveAtNs > deadAfterMs * 1e6;
    return this.#isDead;
  }

  /** Begins the schedules of a player at its own instant, so that players do not send in step. */
  #begin(client: number): void {
    const nowNs = this.#context.nowNs();
    this.#keyCadence.begin(client, nowNs);
    this.#pingCadence.begin(client, nowNs);
  }

  #tick(endNs: number): void {
    const atNs = this.#context.nowNs();
    const { clients } = this.#roster;
    this.#players.tick();
    for (let client = 0; client < this.#context.clientCount; client++) {
      if (clients === undefined || !this.#players.isPlaying(client)) continue;
      for (const each of [this.#keyCadence, this.#pingCadence]) each.send(clients, client, atNs, endNs);
    }
    this.#playingAt[this.#hundreds.at(atNs)] = this.#players.playing;
  }

  #take(batch: DeliveryBatch): void {
    for (let index = 0; index < batch.count; index++) {
      if (isPing(batch.sequence[index] as number)) this.#pings.take(batch, index);
      else this.#keys.take(batch, index);
    }
  }

  progress(): Record<string, number> {
    const { playing } = this.#players;
    return {
      ...this.#ramp.progress(),
      subscribers: playing,
      sent: this.#keys.attempted,
      received: this.#keys.received,
    };
  }

  report(): RoleReport {
    const ramp = this.#ramp.report();
    const players = this.#players.report();
    const keys = this.#keys.report();
    const pings = this.#pings.report();
    return {
      counts: {
        ...ramp.counts,
        ...players.counts,
        ...keys.counts,
        ...pings.counts,
        unsent: total(this.#unsent),
        pingsUnsent: this.#pingsUnsent,
        deadWorkers: this.#isDead ? 1 : 0,
      },
      causes: { ...players.causes, unsent: notZero(this.#unsent) },
      timeline: ramp.timeline,
      samples: { ...players.samples, ...keys.samples, ...pings.samples },
      series: { ...keys.series, ...pings.series, playingAt: this.#playingAt },
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}

function isPing(sequence: number): boolean {
  return sequence >= firstPing;
}
