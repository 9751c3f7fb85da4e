import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { z } from 'zod';
import { bytesOption, countOption, durationOption, rateOption } from '../scenarios/options.js';
import { hostOf } from '../units/addresses.js';
import { outsideText } from '../units/text.js';
import { longestMs } from '../units/unit.js';

const any = Number.MAX_SAFE_INTEGER;

export const runnerOptions = z.strictObject({
  host: z.string().default('127.0.0.1').meta({
    flag: 'host',
    placeholder: 'address',
    help: 'address to listen on; other than loopback needs --token',
  }),
  port: countOption('port', 8080, [0, 65_535], 'port to listen on; 0 takes a free one'),
  token: z.string().min(1).optional().meta({
    flag: 'token',
    placeholder: 'secret',
    isSecret: true,
    help: 'bearer token of every request except /health',
  }),
  allowTargets: z.array(z.string()).default(['loopback']).meta({
    flag: 'allow-target',
    placeholder: 'host',
    help: 'allowed target: host, *.suffix, address, CIDR block or loopback; repeatable',
  }),
  allowsModules: z.boolean().default(false).meta({
    flag: 'allow-modules',
    help: 'run flows that drivers send; their code has this user’s rights',
  }),
  maxClients: countOption('max-clients', 1_000_000, [1, any], 'most clients per job on this shard'),
  maxPublishesPerSecond: rateOption(
    'max-rate',
    10_000,
    any,
    'most publishes and client messages per second, over all shards',
  ),
  maxPayloadBytes: bytesOption('max-payload', 1_000_000, [1, any], 'longest payload of a broadcast'),
  maxDurationMs: durationOption('max-duration', 3_600_000, [1, longestMs], 'longest job'),
  maxBodyBytes: bytesOption(
    'max-body',
    64_000_000,
    [1024, any],
    'largest request body; a job carries the file of users',
  ),
  lingerMs: durationOption('linger', 25_000, [0, 3_600_000], 'longest wait after a signal for results to be fetched'),
  keepMs: durationOption('keep', 86_400_000, [1, longestMs], 'time for which results wait to be fetched'),
});

export type RunnerOptions = z.output<typeof runnerOptions>;

/** Returns the limits of a job, as a bench-runner reports them. */
export function jobLimits(options: RunnerOptions) {
  return {
    clients: options.maxClients,
    publishesPerSecond: options.maxPublishesPerSecond,
    payloadBytes: options.maxPayloadBytes,
    durationMs: options.maxDurationMs,
    bodyBytes: options.maxBodyBytes,
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Explains why an Authorization header is refused; undefined if it is right. Compares in constant time. */
export function tokenFault(header: string | undefined, token: string): string | undefined {
  // The scheme is case-insensitive (RFC 9110, section 11.1).
  const given = /^bearer (.+)$/i.exec(header ?? '')?.[1];
  if (given === undefined) return 'expected Authorization: Bearer with the token, received no bearer token';
  if (timingSafeEqual(digest(given), digest(token))) return undefined;
  return 'expected the token of this bench-runner, received another one';
}

interface Asked {
  method: string;
  headers: IncomingHttpHeaders;
}

/** Explains why a request may come from a web page of another site, by its Host, Origin or content type (CORS). */
export function pageFault({ method, headers: { host, origin, 'content-type': type = '' } }: Asked): string | undefined {
  if (host !== undefined && !isLoopbackHost(nameIn(host)))
    return `expected a Host of loopback, received ${outsideText(host)}`;
  if (origin !== undefined && origin !== `http://${host}`)
    return `expected no request of another origin, received one of ${outsideText(origin)}`;
  if (method === 'POST' && !/^application\/json\b/i.test(type))
    return `expected content-type: application/json, received ${type === '' ? 'none' : outsideText(type)}`;
  return undefined;
}

function nameIn(host: string): string {
  const { six, name = host } = /^(?:\[(?<six>.*)\]|(?<name>[^:]*))(?::\d*)?$/.exec(host)?.groups ?? {};
  return (six ?? name).toLowerCase();
}

/** Returns true if only this machine can reach a listening address. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Holds the hosts that a bench-runner may load. Compares names as given and never resolves them. */
export class AllowList {
  readonly #addresses = new BlockList();
  readonly #names = new Set<string>();
  readonly #suffixes: string[] = [];

  /** Entries: `loopback`, a host name, `*.suffix`, an address or a CIDR block. Throws a RangeError on any other. */
  constructor(readonly entries: readonly string[]) {
    for (const entry of entries) this.#add(entry.toLowerCase());
  }

  #add(entry: string): void {
    const [address = '', prefix, ...more] = entry.split('/');
    if (entry === 'loopback') {
      this.#names.add('localhost');
      this.#addresses.addSubnet('127.0.0.0', 8, 'ipv4');
      this.#addresses.addAddress('::1', 'ipv6');
    } else if (isIP(address)) {
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      const widest = family === 'ipv4' ? 32 : 128;
      const bits = prefix === undefined ? widest : Number(prefix);
      const isBlock = /^\d+$/.test(prefix ?? '0') && bits <= widest && more.length === 0;
      if (!isBlock) throw new RangeError(`${JSON.stringify(entry)} is no CIDR block`);
      this.#addresses.addSubnet(address, bits, family);
    } else if (isName(entry)) {
      this.#names.add(entry);
    } else if (entry.startsWith('*.') && isName(entry.slice(2))) {
      this.#suffixes.push(entry.slice(1));
    } else {
      throw new RangeError(`${JSON.stringify(entry)} is no host name, *.suffix, address, CIDR block or "loopback"`);
    }
  }

  allows(url: string): boolean {
    const host = hostOf(url).toLowerCase();
    const family = isIP(host);
    if (family !== 0) return this.#addresses.check(host, family === 4 ? 'ipv4' : 'ipv6');
    return this.#names.has(host) || this.#suffixes.some((suffix) => host.endsWith(suffix));
  }
}

/** URLs read a name that ends in a number as an address, such as `127.1`. */
function isName(text: string): boolean {
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/.test(text) && !/(^|\.)(\d+|0x[0-9a-f]*)\.?$/.test(text);
}
