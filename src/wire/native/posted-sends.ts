import type { SendBatch } from '../wire.js';
import type { Handle, NativeAddon, ReportRing } from './addon.js';
import { eachPiece } from './pieces.js';

/** Those of this thread that have sends under way. */
const waiting = new Set<PostedSends>();

/** Tells what became of all posted sends of this thread by now: a delivery may answer a send of another engine. */
export function tellPostedSends(): void {
  for (const each of waiting) each.tell();
}

/** The sends of one engine that its threads hold until they are due, and what they report of them. */
export class PostedSends {
  readonly #heads: Uint32Array;
  readonly #tails: Uint32Array;
  #underWay = 0;

  constructor(
    private readonly addon: NativeAddon,
    private readonly handle: Handle,
    private readonly rings: readonly ReportRing[],
    private readonly told: (batch: SendBatch) => void,
  ) {
    this.#heads = new Uint32Array(rings.length);
    this.#tails = new Uint32Array(rings.length);
  }

  /** False if one ring might not hold the reports of all that would be under way. */
  post(client: number, message: string | Uint8Array, dueNs: number, token: number, generation: number): boolean {
    if (this.#underWay === this.rings[0]?.client.length) return false;
    this.addon.post(this.handle, client, message, dueNs, token, generation);
    this.#underWay++;
    waiting.add(this);
    return true;
  }

  /** Tells what is known by now. */
  tell(): void {
    this.addon.reports(this.handle, this.#heads);
    this.rings.forEach((ring, loop) => {
      const [tail, head] = [this.#tails[loop] as number, this.#heads[loop] as number];
      this.#tails[loop] = head;
      eachPiece(ring.client.length, tail, head, (start, end) => this.#hand(ring, start, end));
    });
  }

  #hand(ring: ReportRing, start: number, end: number): void {
    if (!waiting.has(this)) return;
    this.#underWay -= end - start;
    if (this.#underWay === 0) waiting.delete(this);
    this.told({
      count: end - start,
      client: ring.client.subarray(start, end),
      token: ring.token.subarray(start, end),
      sentAtNs: ring.sentAtNs.subarray(start, end),
      writtenAtNs: ring.writtenAtNs.subarray(start, end),
      fate: ring.fate.subarray(start, end),
    });
  }

  /** Tells no more. */
  forget(): void {
    waiting.delete(this);
  }
}
