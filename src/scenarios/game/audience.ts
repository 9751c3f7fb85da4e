import { sumCounts } from '../../measure/samples/sums.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { diverted } from '../divert.js';
import { Audience } from '../roles/audience.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { isHandedOver, leftLaterAtNs as leftLater } from '../sends/handed-over.js';
import { lengthMs, stagesOf } from '../visits/stages.js';
import { Hundreds } from './hundreds.js';
import { Keys } from './keys.js';
import { type GameOptions, keysEach, keysPerSecond } from './options.js';
import { Pings } from './pings.js';
import { Players } from './players.js';
import { firstPing, KeyNumbers } from './seats.js';

/** The players of one worker: they arrive, type and ping on open schedules, to the end or until the server is dead. */
export class GameAudience extends Audience<GameOptions> {
  protected readonly connections: Connections;
  readonly #players: Players;
  readonly #keys: Keys;
  readonly #pings: Pings;
  readonly #hundreds: Hundreds;
  /** By client, when its next key and its next ping are due. */
  readonly #nextKeyNs: Float64Array;
  readonly #nextPingNs: Float64Array;
  /** At the end of each hundred, how many were playing. */
  readonly #playingAt: Uint32Array;
  #unsent = 0;
  #startAtNs = 0;
  #isDead = false;

  constructor(context: AudienceContext<GameOptions>) {
    super(context);
    const { options, clientCount, totalClients } = context;
    this.#hundreds = new Hundreds(options.stages);
    const numbers = new KeyNumbers(totalClients, keysEach(options));
    this.#players = new Players(context);
    const leftLaterAtNs = (client: number): number => leftLater(this.connections.clients, client);
    this.#keys = new Keys({ ...context, numbers, hundreds: this.#hundreds, leftLaterAtNs });
    this.#pings = new Pings({ ...context, hundreds: this.#hundreds, leftLaterAtNs });
    this.#nextKeyNs = new Float64Array(clientCount);
    this.#nextPingNs = new Float64Array(clientCount);
    this.#playingAt = new Uint32Array(this.#hundreds.count);
    this.connections = new Connections(diverted(context, this.#players), { deliveries: (batch) => this.#take(batch) });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options } = this.context;
    if (name === 'ramp') await this.connections.ramp(startAtNs, { ratePerSecond: 1, upTo: 0 }, signal);
    if (name === 'play') await this.#play(startAtNs, startAtNs + lengthMs(stagesOf(options.stages)) * 1e6, signal);
    if (name === 'drain') {
      await this.waitUntil((nowNs) => nowNs >= startAtNs + options.drainMs * 1e6, signal);
      this.#keys.close();
    }
  }

  async #play(startAtNs: number, endNs: number, signal: AbortSignal): Promise<void> {
    this.#startAtNs = startAtNs;
    this.#hundreds.begin(startAtNs);
    this.#players.begin(startAtNs, this.connections, {
      entered: (client, seat) => this.#keys.admit(client, seat),
      started: (client) => this.#begin(client),
      cut: (client, hasStarted) => {
        if (!hasStarted) this.#keys.dismiss(client);
      },
    });
    await this.waitUntil(
      (nowNs) => nowNs >= endNs || this.#isOver(nowNs),
      signal,
      () => this.#tick(),
    );
  }

  /** Whether the server is dead. It is alive as long as it answers any ping; the first one takes a countdown. */
  #isOver(nowNs: number): boolean {
    const { deadAfterMs } = this.context.options;
    const aliveAtNs = Math.max(this.#pings.answeredAtNs, this.#startAtNs);
    this.#isDead = this.#pings.count > 0 && nowNs - aliveAtNs > deadAfterMs * 1e6;
    return this.#isDead;
  }

  /** Schedules of players begin at their own instants, so they do not beat. */
  #begin(client: number): void {
    const nowNs = this.context.nowNs();
    this.#nextKeyNs[client] = nowNs;
    this.#nextPingNs[client] = nowNs;
  }

  #tick(): void {
    const { nowNs, options } = this.context;
    const atNs = nowNs();
    this.#players.tick();
    this.#eachDue(this.#nextKeyNs, 1e9 / keysPerSecond(options), atNs, (client, dueNs) => this.#type(client, dueNs));
    this.#eachDue(this.#nextPingNs, 1e9 / options.pingsPerSecond, atNs, (client) => this.#ping(client));
    this.#playingAt[this.#hundreds.at(atNs)] = this.#players.playing;
  }

  /** Calls `act` for all that is due by then on the open schedules of the players, which go on behind it. */
  #eachDue(nextNs: Float64Array, everyNs: number, atNs: number, act: (client: number, dueNs: number) => void): void {
    for (let client = 0; client < nextNs.length; client++) {
      if (!this.#players.isPlaying(client)) continue;
      for (let dueNs = nextNs[client] as number; dueNs <= atNs; dueNs += everyNs) {
        nextNs[client] = dueNs + everyNs;
        act(client, dueNs);
      }
    }
  }

  #type(client: number, intendedAtNs: number): void {
    const { clients } = this.connections;
    const stream = this.#players.seatOf(client)?.stream ?? '';
    const sentAtNs = this.context.nowNs();
    if (clients?.type?.(client, stream, this.#keys.typedBy(client), this.#keys.sequenceOf(client)) !== true) {
      this.#unsent++;
      return;
    }
    const writtenAtNs = isHandedOver(clients, client) ? this.context.nowNs() : 0;
    this.#keys.typed(client, { intendedAtNs, sentAtNs, writtenAtNs });
  }

  #ping(client: number): void {
    const { clients } = this.connections;
    const sentAtNs = this.context.nowNs();
    if (clients?.echo?.(client, this.#pings.sequenceOf(client)) !== true) return;
    this.#pings.sent(client, sentAtNs, isHandedOver(clients, client) ? this.context.nowNs() : 0);
  }

  #take(batch: DeliveryBatch): void {
    for (let index = 0; index < batch.count; index++) {
      if ((batch.sequence[index] as number) >= firstPing) this.#pings.take(batch, index);
      else this.#keys.take(batch, index);
    }
  }

  override progress(): Record<string, number> {
    const { playing } = this.#players;
    return { ...super.progress(), subscribers: playing, sent: this.#keys.attempted, received: this.#keys.received };
  }

  report(): RoleReport {
    const connections = this.connections.report();
    const players = this.#players.report();
    const keys = this.#keys.report();
    const pings = this.#pings.report();
    return {
      counts: {
        ...connections.counts,
        ...players.counts,
        ...keys.counts,
        ...pings.counts,
        unsent: this.#unsent,
        deadWorkers: this.#isDead ? 1 : 0,
      },
      causes: { arrive: players.causes.arrive, close: sumCounts([players.causes.close]) },
      timeline: connections.timeline,
      samples: { ...players.samples, ...keys.samples, ...pings.samples },
      series: { ...keys.series, ...pings.series, playingAt: this.#playingAt },
    };
  }
}
