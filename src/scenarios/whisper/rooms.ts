/** Number of sequence numbers, which have nine digits. */
const sequences = 1e9;
const nobody = -1;

/** Returns the clients of a full room: no more than there are. */
export function roomSize({ clients, room }: { clients: number; room: number }): number {
  return Math.min(room, clients);
}

/** Returns the largest number of clients of a room if each whispers that often. */
export function roomAtMost(sendsEach: number): number {
  return Math.floor(sequences / sendsEach);
}

/**
 * Maps clients to rooms, which are runs of client numbers. A sequence is `code × sendsEach + number`, and codes repeat
 * outside a room.
 */
export class Rooms {
  readonly size: number;
  readonly #total: number;
  readonly #sendsEach: number;
  readonly #codes: number;

  /** Throws RangeError if one room has more whispers than there are sequence numbers. */
  constructor(totalClients: number, room: number, sendsEach: number) {
    const size = roomSize({ clients: totalClients, room });
    this.size = size;
    this.#total = totalClients;
    this.#sendsEach = sendsEach;
    this.#codes = Math.floor(sequences / sendsEach / size) * size;
    if (size > roomAtMost(sendsEach))
      throw new RangeError(`a room of ${size} with ${sendsEach} whispers each is too much to number`);
  }

  roomOf(client: number): number {
    return Math.floor(client / this.size);
  }

  sequenceOf(client: number, number: number): number {
    return (client % this.#codes) * this.#sendsEach + number;
  }

  numberOf(sequence: number): number {
    return sequence % this.#sendsEach;
  }

  /** Returns the client of the whole run that whispered to `receiver`, or -1. Allocates nothing. */
  senderOf(sequence: number, receiver: number): number {
    const code = Math.floor(sequence / this.#sendsEach);
    const base = receiver - (receiver % this.size);
    const member = code - (base % this.#codes);
    const sender = base + member;
    return member < 0 || member >= this.size || sender === receiver || sender >= this.#total ? nobody : sender;
  }
}
