import net from 'node:net';
import { createLookupOnce } from '../dialer.js';

/** Finds the addresses of a target's host, at once where that is an address. */
export class TargetAddresses {
  readonly #host: string;
  readonly #lookup = createLookupOnce();

  constructor(url: string) {
    this.#host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  }

  /** The host itself, if it needs no lookup. */
  get literal(): string | undefined {
    return net.isIP(this.#host) === 0 ? undefined : this.#host;
  }

  /** Calls back with the addresses in the system's order. A failure is not kept. */
  resolve(onFound: (addresses: readonly string[]) => void, onFailed: (error: NodeJS.ErrnoException) => void): void {
    this.#lookup(this.#host, { all: true }, (error, addresses) => {
      if (error) onFailed(error);
      else onFound((addresses as { address: string }[]).map(({ address }) => address));
    });
  }
}
