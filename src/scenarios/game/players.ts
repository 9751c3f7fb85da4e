import type { Recorder } from '../../measure/samples/recorder.js';
import type { Cause } from '../../protocols/protocol.js';
import type { LaterEvents } from '../divert.js';
import type { Connections } from '../roles/connections.js';
import { finished, recordersOf } from '../roles/recorders.js';
import type { AudienceContext } from '../scenario.js';
import { dealVisits } from '../visits/deal.js';
import { stagesOf, type Visit, visitsOf } from '../visits/stages.js';
import type { GameOptions } from './options.js';
import { type Seat, seatIn } from './seats.js';

/**
 *     expected --due--> matching --seat--> trying --opened--> open --entered--> waiting --start--> playing
 *                          +----------------+-----------------+----> failed       +-------cut-------+
 */
const place = { expected: 0, matching: 1, trying: 2, open: 3, waiting: 4, playing: 5, cut: 6, failed: 7 } as const;

/** From the first seat of a room to its start, by the game’s rules. */
const longestCountdownMs = 5000;
const matchmaking = '/api/pvp/matchmake';

export interface PlayerHooks {
  entered(client: number, seat: Seat): void;
  started(client: number): void;
  /** It had entered; `hasStarted` says whether its game had, too. */
  cut(client: number, hasStarted: boolean): void;
}

/** The clients of one worker on their way into the game. Each arrives once, and plays until the end or its cut. */
export class Players implements LaterEvents {
  readonly #context: AudienceContext<GameOptions>;
  readonly #visits: readonly Visit[];
  readonly #place: Uint8Array;
  readonly #sinceNs: Float64Array;
  readonly #seats: (Seat | undefined)[];
  readonly #times: Record<'matchmaking' | 'arrival' | 'arrivalAtLeast' | 'arrivalLag', Recorder>;
  readonly #causes: Record<'arrive' | 'close', Record<string, number>> = { arrive: {}, close: {} };
  #connections: Connections | undefined;
  #hooks: PlayerHooks | undefined;
  #startAtNs = 0;
  #playing = 0;

  constructor(context: AudienceContext<GameOptions>) {
    const all = visitsOf(stagesOf(context.options.stages));
    this.#context = context;
    this.#visits = dealVisits(context, all.length).visits.map((visit) => all[visit] as Visit);
    this.#place = new Uint8Array(context.clientCount);
    this.#sinceNs = new Float64Array(context.clientCount);
    this.#seats = new Array<Seat | undefined>(context.clientCount).fill(undefined);
    this.#times = recordersOf(() => context.recorder(), 'matchmaking', 'arrival', 'arrivalAtLeast', 'arrivalLag');
  }

  begin(startAtNs: number, connections: Connections, hooks: PlayerHooks): void {
    this.#startAtNs = startAtNs;
    this.#connections = connections;
    this.#hooks = hooks;
  }

  /** Every client arrives while others play. */
  isMember(): boolean {
    return true;
  }

  get playing(): number {
    return this.#playing;
  }

  isPlaying(client: number): boolean {
    return this.#place[client] === place.playing;
  }

  seatOf(client: number): Seat | undefined {
    return this.#seats[client];
  }

  tick(): void {
    const nowNs = this.#context.nowNs();
    this.#place.forEach((at, client) => {
      if (at === place.expected) {
        const dueNs = this.#startAtNs + (this.#visits[client] as Visit).fromMs * 1e6;
        if (nowNs >= dueNs) void this.#match(client, nowNs, dueNs);
      } else if (nowNs - (this.#sinceNs[client] as number) > this.#patienceNs(at)) {
        this.closed(client, 'subscribe-timeout');
        this.#connections?.clients?.drop(client, 'reset');
      }
    });
  }

  /** How long a client may be at a place. */
  #patienceNs(at: number): number {
    const { subscribeTimeoutMs } = this.#context.load;
    if (at === place.open) return subscribeTimeoutMs * 1e6;
    return at === place.waiting ? (subscribeTimeoutMs + longestCountdownMs) * 1e6 : Number.POSITIVE_INFINITY;
  }

  async #match(client: number, nowNs: number, dueNs: number): Promise<void> {
    this.#place[client] = place.matching;
    this.#times.arrivalLag.record((nowNs - dueNs) / 1000);
    const answer = await this.#context.ask(matchmaking);
    const seat = 'text' in answer ? seatIn(answer.text) : undefined;
    const atNs = this.#context.nowNs();
    if (seat === undefined) {
      this.#place[client] = place.failed;
      this.#count('arrive', 'cause' in answer ? answer.cause : 'protocol-error:no seat');
      return;
    }
    this.#times.matchmaking.record((atNs - nowNs) / 1000);
    this.#seats[client] = seat;
    this.#place[client] = place.trying;
    this.#sinceNs[client] = atNs;
    this.#connections?.clients?.open(client);
  }

  opened(client: number): void {
    if (this.#place[client] === place.trying) this.#place[client] = place.open;
  }

  ready(client: number): void {
    const seat = this.#seats[client];
    if (this.#place[client] === place.open && seat) this.#connections?.clients?.subscribe(client, seat.stream);
  }

  subscribed(client: number, stream: string): void {
    const seat = this.#seats[client];
    if (seat === undefined) return;
    if (this.#place[client] === place.open && stream === seat.stream) this.#entered(client, seat);
    else if (this.#place[client] === place.waiting) {
      this.#place[client] = place.playing;
      this.#playing++;
      this.#hooks?.started(client);
    }
  }

  #entered(client: number, seat: Seat): void {
    const nowNs = this.#context.nowNs();
    const clients = this.#connections?.clients;
    this.#times.arrival.record((nowNs - (this.#sinceNs[client] as number)) / 1000);
    this.#times.arrivalAtLeast.record((clients?.leastNs(client) ?? 0) / 1000);
    this.#place[client] = place.waiting;
    this.#sinceNs[client] = nowNs;
    this.#connections?.timeline.count('arrived', nowNs);
    this.#hooks?.entered(client, seat);
    clients?.subscribe(client, `${seat.stream}/start`);
  }

  closed(client: number, cause: Cause): void {
    const was = this.#place[client];
    if (was === place.trying || was === place.open) {
      this.#place[client] = place.failed;
      this.#count('arrive', cause);
    } else if (was === place.waiting || was === place.playing) {
      this.#place[client] = place.cut;
      if (was === place.playing) this.#playing--;
      this.#count('close', cause);
      this.#connections?.timeline.count(`cut ${cause}`, this.#context.nowNs());
      this.#hooks?.cut(client, was === place.playing);
    }
  }

  #count(occasion: 'arrive' | 'close', cause: Cause): void {
    this.#causes[occasion][cause] = (this.#causes[occasion][cause] ?? 0) + 1;
  }

  resumed(): void {
    // A player comes once, so it has no session to resume.
  }

  /** From the places, so that the books can break. */
  report() {
    const at = (...places: readonly number[]): number =>
      this.#place.reduce((sum, each) => sum + (places.includes(each) ? 1 : 0), 0);
    return {
      counts: {
        arrivals: this.#place.length,
        arrivalsFailed: at(place.failed),
        arrivalsUnready: at(place.matching, place.trying, place.open),
        arrivalsNotDue: at(place.expected),
        playersStayed: at(place.waiting, place.playing),
        playersCut: at(place.cut),
        arrived: this.#times.arrival.count,
      },
      causes: this.#causes,
      samples: finished(this.#times),
    };
  }
}
