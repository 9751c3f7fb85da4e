import { z } from 'zod';
import { type Counts, sumCounts } from '../measure/samples/sample-sum.js';
import { outsideSentence, type Problem, problem } from './problems.js';

const engineNames = ['native', 'js'] as const;

export const engineChoices = ['auto', ...engineNames] as const;

const count = z.number().int().min(0);

const engine = z.strictObject({ name: z.enum(engineNames), why: outsideSentence.optional() });

/** Describes the engine that `auto` takes, its OpenSSL, and the clients of each of its descriptor tables. */
export const engineOffer = engine.extend({ openssl: outsideSentence.optional(), clientsPerTable: count.optional() });

export type EngineOffer = z.output<typeof engineOffer>;

/** Sums the work of all engines of one name for the wire clients of a shard. */
export const engineUse = engine.extend({
  /** Deliveries and acknowledgements that clients received: exact, bracketed and unstamped ones. */
  handedOver: count,
  reads: count,
  /** Deliveries with a kernel timestamp of their own frame. */
  exact: count,
  /** Deliveries between the read before and a kernel timestamp. */
  bracketed: count,
  /** Deliveries stamped at their read. */
  unstamped: count,
  clockSteps: count,
  /** TLS handshakes by version, and those that resumed a session. The OpenSSL is that of Node. */
  handshakes: z.record(z.string(), count).optional(),
  openssl: outsideSentence.optional(),
  /** Native threads, their CPU time, and the time that they were ready to run without a core. */
  loops: count,
  cpuNs: z.number().min(0),
  coreWaitNs: z.number().min(0),
  /** If compression was offered: clients whose target chose it, and the bytes of their messages as they came. */
  compressedClients: count.optional(),
  deflatedBytes: count.optional(),
  inflatedBytes: count.optional(),
  /** Parameters of permessage-deflate that a target first chose; empty for none. */
  chosen: outsideSentence.optional(),
});

export type EngineUse = z.output<typeof engineUse>;

/** Sums the engines of one name, in the order of their first use. */
export function enginesTogether(uses: readonly EngineUse[]): EngineUse[] {
  const sums = new Map<string, EngineUse>();
  for (const use of uses) {
    const sum = sums.get(use.name);
    sums.set(use.name, sum ? added(sum, use) : use);
  }
  return [...sums.values()];
}

function added(
  { name, why, chosen, openssl, handshakes = {}, ...sum }: EngineUse,
  { name: _name, why: _why, chosen: another, openssl: other = openssl, handshakes: others = {}, ...more }: EngineUse,
): EngineUse {
  const first = chosen ?? another;
  const words = { ...(why !== undefined && { why }), ...(first !== undefined && { chosen: first }) };
  const ofTls = other !== undefined && { openssl: other, handshakes: sumCounts([handshakes, others]) };
  return { name, ...words, ...(sumCounts([sum, more] as Counts[]) as typeof sum), ...ofTls };
}

/** Describes each engine whose stamps do not add up to the deliveries it handed over. */
export function engineBreaks(uses: readonly EngineUse[]): string[] {
  return uses.flatMap(({ name, handedOver, exact, bracketed, unstamped }) => {
    const sum = exact + bracketed + unstamped;
    if (sum === handedOver) return [];
    return [`${name} engine: ${handedOver} handed over, and exact + bracketed + unstamped are ${sum}`];
  });
}

interface EngineOrder {
  client: string;
  engine: (typeof engineChoices)[number];
}

/** Explains why a bench-runner can't run the native engine of an order. `place` begins the message. */
export function engineProblems(
  { client, engine }: EngineOrder,
  wsUrls: readonly string[],
  offer: EngineOffer,
  place = '',
): Problem[] {
  if (client !== 'wire' || engine !== 'native') return [];
  const secure = wsUrls.find((url) => new URL(url).protocol === 'wss:');
  const message = `${place}--engine native: expected`;
  if (offer.name === 'native' && (secure === undefined || offer.openssl !== undefined)) return [];
  if (offer.name === 'native') {
    const hint = 'Leave --engine out: then wss:// runs on the JavaScript engine.';
    return [problem('engineLacking', `${message} a Node with OpenSSL 3 for ${secure}`, hint)];
  }
  return [problem('engineLacking', `${message} the addon of ringside-native; ${offer.why}`)];
}
