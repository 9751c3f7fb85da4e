import { BlockList, isIP } from 'node:net';

/** Which hosts a bench-runner may load, so that it can't be aimed at strangers. Names are compared as given, never resolved. */
export class AllowList {
  readonly entries: readonly string[];
  readonly #addresses = new BlockList();
  readonly #names = new Set<string>();
  readonly #suffixes: string[] = [];

  /** Entries: `loopback`, a host name, `*.suffix`, an address or a CIDR block. Throws a RangeError on an entry that is none of these. */
  constructor(entries: readonly string[]) {
    this.entries = entries;
    for (const entry of entries) this.#add(entry.toLowerCase());
  }

  #add(entry: string): void {
    const [address = '', prefix] = entry.split('/');
    if (entry === 'loopback') {
      this.#names.add('localhost');
      this.#addresses.addSubnet('127.0.0.0', 8, 'ipv4');
      this.#addresses.addAddress('::1', 'ipv6');
    } else if (isIP(address)) {
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      const bits = prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix);
      if (!Number.isInteger(bits) || prefix === '') throw new RangeError(`${entry} is no CIDR block`);
      this.#addresses.addSubnet(address, bits, family);
    } else if (/^\*\.[a-z0-9.-]+$/.test(entry)) {
      this.#suffixes.push(entry.slice(1));
    } else if (/^[a-z0-9.-]+$/.test(entry)) {
      this.#names.add(entry);
    } else {
      throw new RangeError(`${JSON.stringify(entry)} is no host name, *.suffix, address, CIDR block or "loopback"`);
    }
  }

  /** Whether the host of this address may be loaded. */
  allows(url: string): boolean {
    const host = new URL(url).hostname.toLowerCase().replace(/^\[|\]$/g, '');
    const family = isIP(host);
    if (family !== 0) return this.#addresses.check(host, family === 4 ? 'ipv4' : 'ipv6');
    return this.#names.has(host) || this.#suffixes.some((suffix) => host.endsWith(suffix));
  }
}
