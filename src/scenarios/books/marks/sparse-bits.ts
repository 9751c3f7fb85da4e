const leastSlots = 1024;
/** The table grows beyond this share of used slots. */
const fullFrom = 0.5;

/**
 * Holds a bit for each pair of a client and a number, where most pairs have none: a hash table of words, each of which
 * holds 32 numbers in a row of one client. It allocates only when it doubles.
 */
export class SparseBits {
  #mask = leastSlots - 1;
  #used = 0;
  /** The client plus 1; 0 for a free slot. */
  #client = new Int32Array(leastSlots);
  #block = new Int32Array(leastSlots);
  #word = new Int32Array(leastSlots);

  has(client: number, number: number): boolean {
    return ((this.#word[this.#slotOf(client, number >>> 5)] as number) & (1 << (number & 31))) !== 0;
  }

  /** Sets a bit. Returns false if it was set before. */
  add(client: number, number: number): boolean {
    const block = number >>> 5;
    let slot = this.#slotOf(client, block);
    if (this.#client[slot] === 0) {
      if (this.#used >= this.#client.length * fullFrom) {
        this.#grow();
        slot = this.#slotOf(client, block);
      }
      this.#used++;
      this.#client[slot] = client + 1;
      this.#block[slot] = block;
    }
    const bit = 1 << (number & 31);
    const word = this.#word[slot] as number;
    this.#word[slot] = word | bit;
    return (word & bit) === 0;
  }

  each(visit: (client: number, number: number) => void): void {
    this.#client.forEach((client, slot) => {
      if (client === 0) return;
      const first = (this.#block[slot] as number) * 32;
      const word = this.#word[slot] as number;
      for (let bit = 0; bit < 32; bit++) if ((word & (1 << bit)) !== 0) visit(client - 1, first + bit);
    });
  }

  /** Returns the slot of a word, or the free one in which it belongs. */
  #slotOf(client: number, block: number): number {
    // The finaliser of MurmurHash3, so that clients and blocks in a row spread over all slots.
    let hash = Math.imul(client, 0x9e3779b1) ^ Math.imul(block + 1, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    let slot = (hash ^ (hash >>> 16)) & this.#mask;
    while (this.#client[slot] !== 0 && (this.#client[slot] !== client + 1 || this.#block[slot] !== block))
      slot = (slot + 1) & this.#mask;
    return slot;
  }

  #grow(): void {
    const [clients, blocks, words] = [this.#client, this.#block, this.#word];
    const slots = clients.length * 2;
    this.#mask = slots - 1;
    this.#client = new Int32Array(slots);
    this.#block = new Int32Array(slots);
    this.#word = new Int32Array(slots);
    for (let from = 0; from < clients.length; from++) {
      if (clients[from] === 0) continue;
      const to = this.#slotOf((clients[from] as number) - 1, blocks[from] as number);
      this.#client[to] = clients[from] as number;
      this.#block[to] = blocks[from] as number;
      this.#word[to] = words[from] as number;
    }
  }
}
