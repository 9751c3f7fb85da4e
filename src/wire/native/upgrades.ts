import { endOfHead, largestHeadBytes } from '../../units/http.js';
import {
  AcceptedHead,
  acceptFor,
  offerMaker,
  randomKey,
  refused,
  requestMaker,
  type UpgradeAnswer,
} from '../upgrade.js';
import type { WireSetup } from '../wire.js';

/** Makes the upgrade requests of clients, and checks the heads of the answers. */
export class Upgrades {
  readonly #requestBeforeKey: (client: number) => string;
  readonly #offer: (client: number) => readonly string[];
  readonly #acceptedHead = new AcceptedHead();
  /** Keys of the clients that wait for their answer. */
  readonly #keys = new Map<number, string>();
  /** The last request. Others mostly differ only in their keys. */
  #request = Buffer.alloc(0);
  #beforeKey = '';

  /** Throws a `TypeError` for a wrong header. */
  constructor(setup: WireSetup) {
    this.#requestBeforeKey = requestMaker(setup);
    this.#offer = offerMaker(setup);
  }

  /** Returns the whole request with a new key. Valid until the next call. */
  request(client: number): Uint8Array {
    const key = randomKey();
    const beforeKey = this.#requestBeforeKey(client);
    if (beforeKey !== this.#beforeKey) {
      this.#request = Buffer.from(`${beforeKey}${key}${endOfHead}`, 'latin1');
      this.#beforeKey = beforeKey;
    } else this.#request.write(key, beforeKey.length, 'latin1');
    this.#keys.set(client, key);
    return this.#request;
  }

  /** Checks the client's final answer, `bytes[start, end)`. A part of its head may be missing. */
  judge(client: number, bytes: Buffer, start: number, end: number): UpgradeAnswer {
    const accepted = this.#acceptedHead;
    const accept = acceptFor(this.#keys.get(client)!);
    this.#keys.delete(client);
    if (accepted.lengthIn(bytes, end, accept, start) > 0) return accepted;
    const answer = bytes.subarray(start, end);
    const headBytes = answer.indexOf(endOfHead);
    if (headBytes === -1 || headBytes > largestHeadBytes) return refused('bad-upgrade:header size');
    return accepted.judge(answer.subarray(0, headBytes + endOfHead.length), accept, this.#offer(client));
  }
}
