import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { atLeastUs, finished, recordersOf, Seen, type SendTimes } from '../books/times.js';
import { type AudienceContext, nothingToReport, type RoleReport } from '../scenario.js';
import { StepTimes } from '../steps/times.js';
import type { PlayerBuckets } from './pings.js';
import { type GameSlot, type KeyNumbers, playersPerRoom } from './players.js';

type KeysShape = Pick<AudienceContext<never>, 'clientCount' | 'recorder'> & {
  numbers: KeyNumbers;
  hundreds: PlayerBuckets;
  /** Returns when the client's message left, if later than the send; 0 while that is unknown. */
  leftLaterAtNs(client: number): number;
};

const nobody = -1;
/** Stamps per key, each in a column of its own. */
const columns = 3;

/** Records the keys that one worker’s players typed and received. Only keys between its own players are timed. */
export class Keys {
  readonly #shape: KeysShape;
  /** Per client: the place of its seat among all of the run; -1 for a client that is not a player. */
  readonly #seat: Int32Array;
  /** Per seat of the run: the client of this worker on it. */
  readonly #clientOn: Int32Array;
  readonly #typedBy: Uint32Array;
  readonly #heardBy: Uint32Array;
  /** Per client: intended, sent and written time of each key, one after the other. */
  readonly #stamps: (Float64Array | undefined)[];
  /** Keys that arrived in time, by receiver and by seat and key of its room. */
  readonly #seen: Seen;
  /** Per room of the run. */
  readonly #players: Uint32Array;
  readonly #typed: Uint32Array;
  readonly #heard: Uint32Array;
  /** Per bucket of the arrival. */
  readonly #heardAt: Uint32Array;
  readonly #delivery: StepTimes;
  readonly #times: Record<'deliveryFromIntended' | 'deliveryAtLeast' | 'publishLag', Recorder>;
  readonly #counts = { received: 0, duplicate: 0, late: 0, stray: 0, untimed: 0, clockFaults: 0 };
  #attempted = 0;
  #isClosed = false;

  constructor(shape: KeysShape) {
    const { clientCount, numbers, hundreds, recorder } = shape;
    const rooms = (): Uint32Array => new Uint32Array(numbers.rooms);
    this.#shape = shape;
    this.#seat = new Int32Array(clientCount).fill(nobody);
    this.#clientOn = new Int32Array(numbers.rooms * playersPerRoom).fill(nobody);
    this.#typedBy = new Uint32Array(clientCount);
    this.#heardBy = new Uint32Array(clientCount);
    this.#stamps = new Array<Float64Array | undefined>(clientCount).fill(undefined);
    this.#seen = new Seen(clientCount, playersPerRoom * numbers.keysEach);
    this.#players = rooms();
    this.#typed = rooms();
    this.#heard = rooms();
    this.#heardAt = new Uint32Array(hundreds.count);
    this.#delivery = new StepTimes('delivery', recorder);
    for (let hundred = 0; hundred < hundreds.count; hundred++) this.#delivery.begin();
    this.#times = recordersOf(recorder, 'deliveryFromIntended', 'deliveryAtLeast', 'publishLag');
  }

  /** Makes a client a player of its room. Every key of the room is owed to it. */
  admit(client: number, seat: GameSlot): void {
    const { numbers } = this.#shape;
    const [room, place] = [numbers.placeOf(seat.room), numbers.seatOf(seat)];
    this.#seat[client] = place;
    this.#clientOn[place] = client;
    this.#players[room] = (this.#players[room] as number) + 1;
  }

  /** Removes a player that was cut before its game began. A player that received a key stays owed all of them. */
  dismiss(client: number): void {
    if (this.#heardBy[client] !== 0 || this.#seat[client] === nobody) return;
    const room = Math.floor((this.#seat[client] as number) / playersPerRoom);
    this.#clientOn[this.#seat[client] as number] = nobody;
    this.#seat[client] = nobody;
    this.#players[room] = (this.#players[room] as number) - 1;
  }

  /** Keys that the client has typed, which is also the number of its next one. */
  typedBy(client: number): number {
    return this.#typedBy[client] as number;
  }

  sequenceOf(client: number): number {
    return this.#shape.numbers.sequenceOf(this.#seat[client] as number, this.typedBy(client));
  }

  /** Enters the next key of a player. */
  typed(client: number, { intendedAtNs, sentAtNs, writtenAtNs }: SendTimes): void {
    const stamps = this.#stamps[client] ?? new Float64Array(this.#shape.numbers.keysEach * columns);
    this.#stamps[client] = stamps;
    stamps.set([intendedAtNs, sentAtNs, writtenAtNs], this.typedBy(client) * columns);
    this.#typedBy[client] = this.typedBy(client) + 1;
    const room = Math.floor((this.#seat[client] as number) / playersPerRoom);
    this.#typed[room] = (this.#typed[room] as number) + 1;
    this.#attempted++;
    this.#times.publishLag.record((sentAtNs - intendedAtNs) / 1000);
  }

  get attempted(): number {
    return this.#attempted;
  }

  get received(): number {
    return this.#counts.received;
  }

  /** Ends the drain. A key that arrives from now on is late, and stays lost. */
  close(): void {
    this.#isClosed = true;
  }

  /** Hot path: allocates nothing. */
  take(batch: DeliveryBatch, index: number): void {
    const { keysEach } = this.#shape.numbers;
    const counts = this.#counts;
    const client = batch.client[index] as number;
    const sequence = batch.sequence[index] as number;
    const own = this.#seat[client] as number;
    const sender = Math.floor(sequence / keysEach);
    const room = Math.floor(sender / playersPerRoom);
    const number = sequence % keysEach;
    if (own === nobody || room !== Math.floor(own / playersPerRoom)) {
      counts.stray++;
      return;
    }
    const place = (sender % playersPerRoom) * keysEach + number;
    if (this.#seen.has(client, place)) {
      counts.duplicate++;
      return;
    }
    if (this.#isClosed) {
      counts.late++;
      return;
    }
    this.#seen.mark(client, place);
    counts.received++;
    this.#heardBy[client] = (this.#heardBy[client] as number) + 1;
    this.#heard[room] = (this.#heard[room] as number) + 1;
    const receivedAtNs = batch.receivedAtNs[index] as number;
    const hundred = this.#shape.hundreds.at(receivedAtNs);
    this.#heardAt[hundred] = (this.#heardAt[hundred] as number) + 1;
    const typist = this.#clientOn[sender] as number;
    if (typist === nobody) counts.untimed++;
    else this.#time(typist, number, receivedAtNs, batch.notBeforeNs[index] as number);
  }

  #time(typist: number, number: number, receivedAtNs: number, notBeforeNs: number): void {
    const stamps = this.#stamps[typist];
    const sentAtNs = stamps?.[number * columns + 1] ?? 0;
    if (stamps === undefined || sentAtNs === 0 || receivedAtNs < sentAtNs) {
      this.#counts.clockFaults++;
      return;
    }
    this.#delivery.record(this.#shape.hundreds.at(sentAtNs), (receivedAtNs - sentAtNs) / 1000);
    this.#times.deliveryFromIntended.record((receivedAtNs - (stamps[number * columns] as number)) / 1000);
    const written = number * columns + 2;
    if (stamps[written] === 0) stamps[written] = this.#shape.leftLaterAtNs(typist);
    this.#times.deliveryAtLeast.record(atLeastUs(notBeforeNs, stamps[written] as number));
  }

  /** Counts deliveries by room from the bits of its players, independent of the counters. */
  #marked(): Uint32Array {
    const { clientCount, numbers } = this.#shape;
    const marked = new Uint32Array(numbers.rooms);
    for (let client = 0; client < clientCount; client++) {
      const room = Math.floor((this.#seat[client] as number) / playersPerRoom);
      if (room < 0) continue;
      for (let place = 0; place < playersPerRoom * numbers.keysEach; place++) {
        if (this.#seen.has(client, place)) marked[room] = (marked[room] as number) + 1;
      }
    }
    return marked;
  }

  report(): RoleReport {
    return {
      ...nothingToReport,
      counts: {
        ...this.#counts,
        attempted: this.#attempted,
        subscribers: this.#players.reduce((sum, each) => sum + each, 0),
      },
      samples: { ...this.#delivery.finish(), ...finished(this.#times) },
      series: {
        players: this.#players,
        typed: this.#typed,
        heard: this.#heard,
        marked: this.#marked(),
        heardAt: this.#heardAt,
      },
    };
  }
}
