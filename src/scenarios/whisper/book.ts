import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { DeliveryTimes, Seen, type SendTimes } from '../books/times.js';
import type { AudienceContext } from '../scenario.js';
import type { Rooms } from './rooms.js';

type WhisperShape = Pick<AudienceContext<never>, 'firstClient' | 'clientCount' | 'totalClients' | 'recorder'> & {
  rooms: Rooms;
  sendsEach: number;
  warmUp: number;
  /** Returns when the client's message left, if later than the send; 0 while that is unknown. */
  leftLaterAtNs(client: number): number;
};

/**
 * Records the whispers that one worker's clients sent and received. Only whispers between its own clients are timed.
 */
export class WhisperBook {
  readonly #isMember: Uint8Array;
  /** By client and number, in nanoseconds; 0 without a send. */
  readonly #sentAtNs: Float64Array;
  readonly #writtenAtNs: Float64Array;
  readonly #intendedAtNs: Float64Array;
  /** Whispers that arrived in time, by receiver and the place of sender and number in the room. */
  readonly #seen: Seen;
  /** Per sender of this worker, warm-up included. */
  readonly #sent: Uint32Array;
  /** Per sender of the whole run. */
  readonly #sends: Uint32Array;
  readonly #heard: Uint32Array;
  /** Per receiver of this worker, warm-up included. */
  readonly #heardBy: Uint32Array;
  readonly #times: DeliveryTimes;
  /** Per measured number: deliveries from senders of this worker. */
  readonly #delivered: Uint32Array;
  readonly #counts = { received: 0, duplicate: 0, late: 0, stray: 0, untimed: 0, clockFaults: 0 };
  #attempted = 0;
  #isClosed = false;

  constructor(private readonly shape: WhisperShape) {
    const { clientCount, totalClients, sendsEach, warmUp, rooms } = shape;
    this.#isMember = new Uint8Array(clientCount);
    this.#sentAtNs = new Float64Array(clientCount * sendsEach);
    this.#writtenAtNs = new Float64Array(clientCount * sendsEach);
    this.#intendedAtNs = new Float64Array(clientCount * sendsEach);
    this.#seen = new Seen(clientCount, rooms.size * sendsEach);
    this.#sent = new Uint32Array(clientCount);
    this.#sends = new Uint32Array(totalClients);
    this.#heard = new Uint32Array(totalClients);
    this.#heardBy = new Uint32Array(clientCount);
    this.#delivered = new Uint32Array(sendsEach - warmUp);
    this.#times = new DeliveryTimes(
      { sentAtNs: this.#sentAtNs, writtenAtNs: this.#writtenAtNs, intendedAtNs: this.#intendedAtNs },
      sendsEach - warmUp,
      shape.recorder,
    );
  }

  admit(client: number): void {
    this.#isMember[client] = 1;
  }

  dismiss(client: number): void {
    this.#isMember[client] = 0;
  }

  /** Enters a whisper of a client of this worker. */
  send(client: number, number: number, { intendedAtNs, sentAtNs, writtenAtNs }: SendTimes): void {
    const { firstClient, sendsEach, warmUp } = this.shape;
    const at = client * sendsEach + number;
    this.#intendedAtNs[at] = intendedAtNs;
    this.#sentAtNs[at] = sentAtNs;
    this.#writtenAtNs[at] = writtenAtNs;
    this.#sent[client] = (this.#sent[client] as number) + 1;
    if (number < warmUp) return;
    this.#attempted++;
    this.#sends[firstClient + client] = (this.#sends[firstClient + client] as number) + 1;
  }

  /** Takes back the last `count` whispers of a client, which never left. Returns how many of them are measured. */
  withdraw(client: number, count: number): number {
    const { firstClient, sendsEach, warmUp } = this.shape;
    let left = count;
    let measured = 0;
    for (let number = sendsEach - 1; number >= 0 && left > 0; number--) {
      if (this.#sentAtNs[client * sendsEach + number] === 0) continue;
      this.#sentAtNs[client * sendsEach + number] = 0;
      this.#sent[client] = (this.#sent[client] as number) - 1;
      left--;
      if (number >= warmUp) measured++;
    }
    this.#attempted -= measured;
    this.#sends[firstClient + client] = (this.#sends[firstClient + client] as number) - measured;
    return measured;
  }

  /** Ends the drain. A whisper that arrives from now on is late, and stays lost. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whispers sent, without warm-up. `received` counts deliveries that arrived in time, with warm-up. */
  get sent(): number {
    return this.#attempted;
  }

  get received(): number {
    return this.#counts.received;
  }

  get deliveryBins(): Uint32Array {
    return this.#times.bins;
  }

  /** Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    const { rooms, firstClient, clientCount, sendsEach, warmUp } = this.shape;
    const counts = this.#counts;
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      const sequence = batch.sequence[i] as number;
      const sender = rooms.senderOf(sequence, firstClient + client);
      const number = rooms.numberOf(sequence);
      const own = sender - firstClient;
      const isOwn = own >= 0 && own < clientCount;
      if (this.#isMember[client] !== 1 || sender < 0 || (isOwn && !this.#hasSent(sender, number))) {
        counts.stray++;
        continue;
      }
      const place = (sender % rooms.size) * sendsEach + number;
      const isMeasured = number >= warmUp;
      if (this.#seen.has(client, place)) {
        if (isMeasured) counts.duplicate++;
        continue;
      }
      if (this.#isClosed) {
        if (isMeasured) counts.late++;
        continue;
      }
      this.#seen.mark(client, place);
      counts.received++;
      this.#heardBy[client] = (this.#heardBy[client] as number) + 1;
      if (!isMeasured) continue;
      this.#heard[sender] = (this.#heard[sender] as number) + 1;
      if (!isOwn) {
        counts.untimed++;
        continue;
      }
      const at = own * sendsEach + number;
      if (this.#writtenAtNs[at] === 0) this.#writtenAtNs[at] = this.shape.leftLaterAtNs(own);
      this.#delivered[number - warmUp] = (this.#delivered[number - warmUp] as number) + 1;
      if (!this.#times.record(at, number - warmUp, batch, i)) counts.clockFaults++;
    }
  }

  /** Returns true if a client has every whisper that others of its room can have sent. */
  hasAll(client: number): boolean {
    const { rooms, firstClient, totalClients } = this.shape;
    const receiver = firstClient + client;
    const base = receiver - (receiver % rooms.size);
    let owed = 0;
    for (let sender = base; sender < Math.min(base + rooms.size, totalClients); sender++) {
      if (sender !== receiver) owed += this.#sentBy(sender);
    }
    return (this.#heardBy[client] as number) >= owed;
  }

  /** Returns true if a client of this worker, by its number in the whole run, sent that whisper. */
  #hasSent(sender: number, number: number): boolean {
    const { firstClient, clientCount, sendsEach } = this.shape;
    const own = sender - firstClient;
    return own >= 0 && own < clientCount && (this.#sentAtNs[own * sendsEach + number] as number) > 0;
  }

  #sentBy(sender: number): number {
    const { firstClient, clientCount, sendsEach } = this.shape;
    const own = sender - firstClient;
    return own < 0 || own >= clientCount ? sendsEach : (this.#sent[own] as number);
  }

  /**
   * Counts per sender the members that each whisper should reach (`peers`), and deliveries by the bits (`marked`).
   * Counts per measured number the `missing` whispers from senders of this worker. Only its own worker knows the sends
   * of a client.
   */
  #byMembers(): Record<'peers' | 'marked' | 'missing', Uint32Array> {
    const { rooms, firstClient, totalClients, clientCount, sendsEach, warmUp } = this.shape;
    const peers = new Uint32Array(totalClients);
    const marked = new Uint32Array(totalClients);
    const missing = new Uint32Array(sendsEach - warmUp);
    for (let client = 0; client < clientCount; client++) {
      if (this.#isMember[client] !== 1) continue;
      const receiver = firstClient + client;
      const base = receiver - (receiver % rooms.size);
      for (let sender = base; sender < Math.min(base + rooms.size, totalClients); sender++) {
        if (sender === receiver) continue;
        peers[sender] = (peers[sender] as number) + 1;
        const start = (sender - base) * sendsEach;
        for (let number = warmUp; number < sendsEach; number++) {
          if (this.#seen.has(client, start + number)) marked[sender] = (marked[sender] as number) + 1;
          else if (this.#hasSent(sender, number)) missing[number - warmUp] = (missing[number - warmUp] as number) + 1;
        }
      }
    }
    return { peers, marked, missing };
  }

  report(): { counts: Record<string, number>; series: Record<string, Uint32Array>; samples: Record<string, Samples> } {
    const times = this.#times.report();
    return {
      counts: {
        ...this.#counts,
        attempted: this.#attempted,
        subscribers: this.#isMember.reduce((sum, each) => sum + each, 0),
      },
      series: {
        sends: this.#sends,
        heard: this.#heard,
        delivered: this.#delivered,
        ...this.#byMembers(),
        ...times.series,
      },
      samples: times.samples,
    };
  }
}
