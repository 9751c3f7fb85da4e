import { z } from 'zod';
import { outsideSentence, type Problem, problem } from './problems.js';

const engineNames = ['native', 'js'] as const;

/** What a job may ask for. */
export const engineChoices = ['auto', ...engineNames] as const;

const count = z.number().int().min(0);

/** `why`: what keeps it from being the native one. */
const engine = z.strictObject({ name: z.enum(engineNames), why: outsideSentence.optional() });

/** The engine that `auto` takes for `ws://`, and how many clients it has in each descriptor table of its own. */
export const engineOffer = engine.extend({ clientsPerTable: count.optional() });

export type EngineOffer = z.output<typeof engineOffer>;

/** What all engines of one name did for the wire clients of a shard. */
export const engineUse = engine.extend({
  /** Deliveries and acknowledgements that clients got: exact, bracketed and unstamped ones. */
  handedOver: count,
  /** Reads of sockets that brought bytes. */
  reads: count,
  /** With a kernel timestamp of its own frame. */
  exact: count,
  /** Between the read before and a kernel timestamp. */
  bracketed: count,
  /** Stamped when it was read. */
  unstamped: count,
  clockSteps: count,
  /** Native threads, what they used of the CPU, and how long they were ready to run without a core. */
  loops: count,
  cpuNs: z.number().min(0),
  coreWaitNs: z.number().min(0),
});

export type EngineUse = z.output<typeof engineUse>;

/** Sums of the engines of one name, in the order of their first use. */
export function enginesTogether(uses: readonly EngineUse[]): EngineUse[] {
  const sums = new Map<string, EngineUse>();
  for (const use of uses) {
    const sum = sums.get(use.name);
    sums.set(use.name, sum ? added(sum, use) : use);
  }
  return [...sums.values()];
}

function added(sum: EngineUse, more: EngineUse): EngineUse {
  return {
    ...sum,
    handedOver: sum.handedOver + more.handedOver,
    reads: sum.reads + more.reads,
    exact: sum.exact + more.exact,
    bracketed: sum.bracketed + more.bracketed,
    unstamped: sum.unstamped + more.unstamped,
    clockSteps: sum.clockSteps + more.clockSteps,
    loops: sum.loops + more.loops,
    cpuNs: sum.cpuNs + more.cpuNs,
    coreWaitNs: sum.coreWaitNs + more.coreWaitNs,
  };
}

/** Each engine whose stamps do not add up to what it handed over, in words. */
export function engineBreaks(uses: readonly EngineUse[]): string[] {
  return uses.flatMap(({ name, handedOver, exact, bracketed, unstamped }) => {
    const sum = exact + bracketed + unstamped;
    if (sum === handedOver) return [];
    return [`${name} engine: ${handedOver} handed over, and exact + bracketed + unstamped are ${sum}`];
  });
}

/** What an order of wire clients says of their engine. */
interface EngineOrder {
  client: string;
  engine: (typeof engineChoices)[number];
}

/** Why a bench-runner can't run the native engine that an order asks for; `place` begins the message. */
export function engineProblems(
  { client, engine }: EngineOrder,
  wsUrls: readonly string[],
  offer: EngineOffer,
  place = '',
): Problem[] {
  if (client !== 'wire' || engine !== 'native') return [];
  const secure = wsUrls.find((url) => new URL(url).protocol === 'wss:');
  const message = `${place}--engine native: expected`;
  if (secure !== undefined) {
    const hint = 'Leave --engine out: wss:// runs on the JavaScript engine.';
    return [problem('engineLacking', `${message} a ws:// address, received ${secure}`, hint)];
  }
  if (offer.name === 'native') return [];
  return [problem('engineLacking', `${message} the addon of ringside-native; ${offer.why}`)];
}
