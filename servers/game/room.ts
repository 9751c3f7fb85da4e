/** Seats of a room. */
export const roomSize = 6;
/** How long after its first seat a room takes no more players, and how many seconds it then counts down. */
export const closesAfterMs = 2000;
export const countdownFrom = 3;
const lettersPerWord = 5;

/** What players type, over and over: a game has no end. */
export const passage =
  'the quick brown fox jumps over the lazy dog while five wizards mix a bright potion and sing of old ships at sea ';

/** What a room says to everybody in it. */
export type Message =
  | readonly ['entered', seat: number]
  | readonly ['countdown', seconds: number]
  | readonly ['start', players: number]
  | readonly ['wpm', bySeat: readonly number[]];

interface Player {
  typed: number;
  isHere: boolean;
}

/** One game: seats given and taken, a countdown, and what everybody typed. It has no clock and no sockets. */
export class Room {
  readonly #players = new Map<number, Player>();
  readonly #openedMs: number;
  #given = 0;
  #nextMs = 0;
  #countdown = countdownFrom;
  #startedMs: number | undefined;

  constructor(nowMs: number) {
    this.#openedMs = nowMs;
  }

  /** Whether it has no seat left to give. */
  isClosed(nowMs: number): boolean {
    return this.#given === roomSize || nowMs >= this.#openedMs + closesAfterMs;
  }

  get hasStarted(): boolean {
    return this.#startedMs !== undefined;
  }

  /** Whether everybody who had come is gone. */
  get isOver(): boolean {
    return this.hasStarted && ![...this.#players.values()].some(({ isHere }) => isHere);
  }

  give(): number {
    return this.#given++;
  }

  /** Whether the seat was given, is free, and the game has yet to start. */
  enter(seat: number): boolean {
    if (this.hasStarted || seat >= this.#given || this.#players.has(seat)) return false;
    this.#players.set(seat, { typed: 0, isHere: true });
    return true;
  }

  leave(seat: number): void {
    const player = this.#players.get(seat);
    if (player === undefined) return;
    player.isHere = false;
    // Before the start the seat is free again.
    if (!this.hasStarted) this.#players.delete(seat);
  }

  /** Whether that was the key to type; then the player has advanced. */
  type(seat: number, key: unknown): boolean {
    const player = this.#players.get(seat);
    if (!this.hasStarted || player === undefined || key !== passage[player.typed % passage.length]) return false;
    player.typed++;
    return true;
  }

  /** What is to be said by now; called often, it counts and broadcasts once a second. */
  tick(nowMs: number): readonly Message[] {
    if (!this.isClosed(nowMs) || nowMs < this.#nextMs) return [];
    this.#nextMs = Math.max(this.#nextMs, nowMs) + 1000;
    if (this.#startedMs !== undefined) return [['wpm', this.#wordsPerMinute(nowMs - this.#startedMs)]];
    if (this.#countdown > 0) return [['countdown', this.#countdown--]];
    this.#startedMs = nowMs;
    return [['start', this.#players.size]];
  }

  #wordsPerMinute(playedMs: number): number[] {
    const minutes = playedMs / 60_000;
    return [...this.#players.values()].map(({ typed }) => Math.round(typed / lettersPerWord / minutes));
  }
}
