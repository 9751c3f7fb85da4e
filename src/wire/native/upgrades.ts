import { endOfHead, largestHeadBytes } from '../../units/http.js';
import { AcceptedHead, acceptFor, offerMaker, randomKey, refused, type UpgradeAnswer } from '../upgrade.js';
import type { OpenRequest, WireSetup } from '../wire.js';

/** Makes the upgrade requests of clients, and checks the heads of the answers. */
export class Upgrades {
  readonly #offer: ReturnType<typeof offerMaker>;
  readonly #acceptedHead: AcceptedHead;
  /** Keys of the clients that wait for their answer, and the subprotocols that they offered. */
  readonly #asked = new Map<number, { key: string; subprotocols: readonly string[] }>();
  /** The last request. Others mostly differ only in their keys. */
  #request = Buffer.alloc(0);
  #beforeKey = '';

  /** Throws a `TypeError` for a wrong header. */
  constructor(setup: WireSetup) {
    this.#offer = offerMaker(setup);
    this.#acceptedHead = new AcceptedHead(setup.compression);
  }

  /** Returns the whole request with a new key. Valid until the next call. Throws as `offerMaker`. */
  request(client: number, own?: OpenRequest): Uint8Array {
    const key = randomKey();
    const { beforeKey, subprotocols } = this.#offer(client, own);
    if (beforeKey !== this.#beforeKey) {
      this.#request = Buffer.from(`${beforeKey}${key}${endOfHead}`, 'latin1');
      this.#beforeKey = beforeKey;
    } else this.#request.write(key, beforeKey.length, 'latin1');
    this.#asked.set(client, { key, subprotocols });
    return this.#request;
  }

  /** Checks the client's final answer, `bytes[start, end)`. A part of its head may be missing. */
  judge(client: number, bytes: Buffer, start: number, end: number): UpgradeAnswer {
    const accepted = this.#acceptedHead;
    const { key, subprotocols } = this.#asked.get(client)!;
    const accept = acceptFor(key);
    this.#asked.delete(client);
    if (accepted.lengthIn(bytes, end, accept, subprotocols, start) > 0) return accepted;
    const answer = bytes.subarray(start, end);
    const headBytes = answer.indexOf(endOfHead);
    if (headBytes === -1 || headBytes > largestHeadBytes) return refused('bad-upgrade:header size');
    return accepted.judge(answer.subarray(0, headBytes + endOfHead.length), accept, subprotocols);
  }
}
