import { objectIn } from '../../units/json-text.js';

/** Seats of a room of the game. */
export const seatsPerRoom = 6;
/** Sequence numbers have nine digits; those from here on are pings. */
export const firstPing = 900_000_000;

/** Where matchmaking puts a client. */
export interface Seat {
  room: number;
  seat: number;
  /** As the server names it. */
  stream: string;
}

/** Reads `{"room":"g7","seat":3}`; undefined for anything else. */
export function seatIn(text: string): Seat | undefined {
  const { room, seat } = objectIn(text) ?? {};
  const [, digits] = (typeof room === 'string' && /^g(\d{1,9})$/.exec(room)) || [];
  if (digits === undefined || !Number.isInteger(seat)) return undefined;
  const number = Number(seat);
  return number >= 0 && number < seatsPerRoom
    ? { room: Number(digits), seat: number, stream: `${room}/${number}` }
    : undefined;
}

/** The numbers of keys: unique among all rooms of a run, which follow each other and are at most `rooms`. */
export class KeyNumbers {
  constructor(
    readonly rooms: number,
    readonly keysEach: number,
  ) {}

  /** A room’s place among those of the run. */
  placeOf(room: number): number {
    return room % this.rooms;
  }

  /** The place of a seat among all seats of the run. */
  seatOf({ room, seat }: Pick<Seat, 'room' | 'seat'>): number {
    return this.placeOf(room) * seatsPerRoom + seat;
  }

  sequenceOf(seat: number, number: number): number {
    return seat * this.keysEach + number;
  }
}

/** Whether so many clients have more keys than there are numbers. */
export function tooManyKeys(clients: number, keysEach: number): boolean {
  return clients * seatsPerRoom * keysEach > firstPing;
}
