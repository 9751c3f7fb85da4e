import type { SendBatch } from '../wire.js';
import type { Commands } from './addon.js';
import { type LoopMemory, type ReportRing, ringAt } from './layout.js';
import { eachPiece } from './pieces.js';

/** Those of this thread that have sends under way. */
const waiting = new Set<PostedSends>();

/** Tells what became of all posted sends of this thread by now: a delivery may answer a send of another engine. */
export function tellPostedSends(): void {
  for (const each of waiting) each.tell();
}

/** The sends of one engine that its threads hold until they are due, and what they report of them. */
export class PostedSends {
  #underWay = 0;

  constructor(
    private readonly commands: Commands,
    private readonly loops: readonly LoopMemory[],
    private readonly told: (batch: SendBatch) => void,
  ) {}

  /** False if one ring might not hold the reports of all that would be under way. */
  post(client: number, generation: number, message: string | Uint8Array, dueNs: number, token: number): boolean {
    if (this.#underWay === this.loops[0]?.reports.client.length) return false;
    this.commands.post(client, generation, message, dueNs, token);
    this.#underWay++;
    waiting.add(this);
    return true;
  }

  /** Tells what is known by now. */
  tell(): void {
    for (const { reports, heads, tails } of this.loops) {
      const tail = tails[ringAt.reports] as number;
      const head = Atomics.load(heads, ringAt.reports);
      Atomics.store(tails, ringAt.reports, head);
      eachPiece(reports.client.length, tail, head, (start, end) => this.#hand(reports, start, end));
    }
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
