/** One bit for every pair of a client of a worker and a broadcast of the run. */
export class Seen {
  readonly #stride: number;
  readonly #bits: Uint8Array;

  constructor(clients: number, broadcasts: number) {
    this.#stride = Math.ceil(broadcasts / 8);
    this.#bits = new Uint8Array(clients * this.#stride);
  }

  has(client: number, broadcast: number): boolean {
    return ((this.#bits[client * this.#stride + (broadcast >>> 3)] as number) & (1 << (broadcast & 7))) !== 0;
  }

  mark(client: number, broadcast: number): void {
    const at = client * this.#stride + (broadcast >>> 3);
    this.#bits[at] = (this.#bits[at] as number) | (1 << (broadcast & 7));
  }
}
