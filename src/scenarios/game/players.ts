import type { Recorder } from '../../measure/samples/recorder.js';
import type { Cause, Clients } from '../../protocols/protocol.js';
import { objectIn } from '../../units/text.js';
import type { Roster } from '../roster/roster.js';
import { Visits } from '../roster/visits.js';
import type { AudienceContext } from '../scenario.js';
import type { GameOptions } from './options.js';

/** Seats of a room of the game. */
export const playersPerRoom = 6;
/** First sequence number of pings. Sequence numbers have nine digits, and those below are keys. */
export const firstPing = 900_000_000;

/** Holds the room and the seat that matchmaking gave to a client. */
export interface GameSlot {
  room: number;
  seat: number;
  /** Name of the seat's stream on the server. */
  stream: string;
}

/** Reads `{"room":"g7","seat":3}`. Returns undefined for anything else. */
export function gameSlotIn(text: string): GameSlot | undefined {
  const { room, seat } = objectIn(text) ?? {};
  const [, digits] = (typeof room === 'string' && /^g(\d{1,9})$/.exec(room)) || [];
  if (digits === undefined || !Number.isInteger(seat)) return undefined;
  const number = Number(seat);
  return number >= 0 && number < playersPerRoom
    ? { room: Number(digits), seat: number, stream: `${room}/${number}` }
    : undefined;
}

/**
 * Numbers the keys of a run, unique among all its rooms. The rooms follow each other, and there are at most `rooms`.
 */
export class KeyNumbers {
  constructor(
    readonly rooms: number,
    readonly keysEach: number,
  ) {}

  /** Returns the place of a room among those of the run. */
  placeOf(room: number): number {
    return room % this.rooms;
  }

  /** Returns the place of a seat among all seats of the run. */
  seatOf({ room, seat }: Pick<GameSlot, 'room' | 'seat'>): number {
    return this.placeOf(room) * playersPerRoom + seat;
  }

  sequenceOf(seat: number, number: number): number {
    return seat * this.keysEach + number;
  }
}

/** Returns true if so many clients have more keys than there are numbers. */
export function tooManyKeys(clients: number, keysEach: number): boolean {
  return clients * playersPerRoom * keysEach > firstPing;
}

/** Longest time from the first seat of a room to its start, by the game’s rules. */
const longestCountdownMs = 5000;
const matchmaking = '/api/pvp/matchmake';
/** Marks a client that does not wait for the start of a game. */
const notWaiting = Number.POSITIVE_INFINITY;

export interface PlayerHooks {
  entered(client: number, seat: GameSlot): void;
  started(client: number): void;
  /** Called for a client that had entered. `hasStarted` is true if its game had started, too. */
  cut(client: number, hasStarted: boolean): void;
}

/** Holds the clients of one worker in the game: visitors that find a room first, and play once it starts. */
export class Players {
  readonly #roster: Roster;
  readonly #visits: Visits;
  readonly #hooks: PlayerHooks;
  readonly #isPlaying: Uint8Array;
  /** Per client: since when it has a seat and no game. */
  readonly #waitsSinceNs: Float64Array;
  readonly #seats: (GameSlot | undefined)[];
  readonly #matchmaking: Recorder;
  #playing = 0;

  constructor(roster: Roster, context: AudienceContext<GameOptions>, hooks: PlayerHooks) {
    this.#roster = roster;
    this.#hooks = hooks;
    this.#visits = new Visits(roster, context, {
      admit: (client) => this.#match(client),
      arrived: (client) => this.#entered(client),
      cut: (client) => this.#cut(client),
    });
    this.#isPlaying = new Uint8Array(context.clientCount);
    this.#waitsSinceNs = new Float64Array(context.clientCount).fill(notWaiting);
    this.#seats = new Array<GameSlot | undefined>(context.clientCount).fill(undefined);
    this.#matchmaking = context.recorder();
  }

  begin(startAtNs: number): void {
    this.#visits.begin(startAtNs);
  }

  get playing(): number {
    return this.#playing;
  }

  isPlaying(client: number): boolean {
    return this.#isPlaying[client] === 1;
  }

  streamOf(client: number): string {
    return this.#seats[client]?.stream ?? '';
  }

  tick(): void {
    this.#visits.tick();
    const { load, nowNs: now } = this.#roster.context;
    const longestNs = (load.subscribeTimeoutMs + longestCountdownMs) * 1e6;
    const nowNs = now();
    this.#waitsSinceNs.forEach((sinceNs, client) => {
      if (nowNs - sinceNs > longestNs) this.#roster.giveUpOn(client, 'subscribe-timeout');
    });
  }

  /** Finds a seat. Returns the cause if there is none. */
  async #match(client: number): Promise<Cause | undefined> {
    const askedNs = this.#roster.context.nowNs();
    const answer = await this.#roster.context.ask(matchmaking);
    if ('cause' in answer) return answer.cause;
    this.#seats[client] = gameSlotIn(answer.text);
    if (this.#seats[client] === undefined) return 'protocol-error:no seat';
    this.#matchmaking.record((this.#roster.context.nowNs() - askedNs) / 1000);
    return undefined;
  }

  /** Subscribes a client to the stream of its seat. */
  enter(clients: Clients, client: number): void {
    const seat = this.#seats[client];
    if (seat) clients.subscribe(client, seat.stream);
  }

  #entered(client: number): void {
    const seat = this.#seats[client];
    if (seat === undefined) return;
    this.#waitsSinceNs[client] = this.#roster.context.nowNs();
    this.#hooks.entered(client, seat);
    this.#roster.clients?.subscribe(client, startOf(seat));
  }

  #cut(client: number): void {
    const hasStarted = this.isPlaying(client);
    this.#waitsSinceNs[client] = notWaiting;
    this.#isPlaying[client] = 0;
    if (hasStarted) this.#playing--;
    this.#hooks.cut(client, hasStarted);
  }

  /** Begins the game of a client whose room confirms the start. */
  confirmed(client: number, stream: string): void {
    const seat = this.#seats[client];
    if (seat === undefined || stream !== startOf(seat) || this.#waitsSinceNs[client] === notWaiting) return;
    this.#waitsSinceNs[client] = notWaiting;
    this.#isPlaying[client] = 1;
    this.#playing++;
    this.#hooks.started(client);
  }

  report() {
    const { counts, causes, samples } = this.#visits.report();
    return {
      counts: {
        arrivals: counts.visits,
        arrivalsFailed: counts.visitsFailed,
        arrivalsUnready: counts.visitsUnready,
        arrivalsNotDue: counts.visitsNotDue,
        playersStayed: counts.visitsStayed,
        playersCut: counts.visitsCut,
        arrived: counts.arrived,
      },
      causes,
      samples: { ...samples, matchmaking: this.#matchmaking.finish() },
    };
  }
}

/** Returns the stream that announces the start of the game in a client's room. */
function startOf({ stream }: GameSlot): string {
  return `${stream}/start`;
}
