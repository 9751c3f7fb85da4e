import { z } from 'zod';
import type { ProtocolDefinition, Session, SessionSink, Verb } from '../../protocols/definition.js';
import { addProtocol } from '../../protocols/list.js';
import { overWs } from '../../protocols/messages/index.js';
import { thrownInWords } from '../user-code.js';
import { exactly, FlowFault, loadDefault } from './load-flow.js';

const work = z.custom((value) => typeof value === 'function', 'expected a function');
const text = z.string().min(1);
const marker = exactly({ marker: text, sequenceOffset: z.int().min(0), sequenceDigits: z.int().min(1).max(9) });
const verbs = ['subscribe', 'echo', 'whisper', 'broadcast', 'acknowledge', 'resume', 'batch', 'streams'] as const;

const definitionSchema = exactly({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected at most forty small letters, digits and dashes'),
  summary: text.max(200),
  verbs: z.array(z.enum(verbs)),
  subprotocols: z.array(text).optional(),
  defaultPath: z.union([z.string().startsWith('/'), work], 'expected a path or a function').optional(),
  acknowledgement: text.optional(),
  replies: z.array(exactly({ received: text, isPrefix: z.boolean().optional(), send: text.optional() })).optional(),
  tickMs: z.number().min(1).optional(),
  closeMeaning: work.optional(),
  publishesByClients: exactly({ joins: z.boolean(), isAnswered: z.boolean() }).optional(),
  markers: exactly({ publish: marker.optional(), echo: marker.optional(), whisper: marker.optional() }).optional(),
  isPairedInOrder: z.literal(true).optional(),
  publishing: work.optional(),
  batching: work.optional(),
  session: work,
} satisfies Record<keyof ProtocolDefinition, z.ZodType>);

/** Begins a digest, in the names of protocols. */
const digits = 16;
const nameInRun = new RegExp(`@([0-9a-f]{${digits}})$`);

/** Returns how the digest of a user's protocol begins, by its name in a run. Undefined for a protocol of ours. */
export function digestStart(protocol: string): string | undefined {
  return nameInRun.exec(protocol)?.[1];
}

/**
 * Imports a bundle, and makes the protocol that it exports known in this thread: as its name with the start of its
 * digest, which is returned. `file` is the user's. Throws `FlowFault`.
 */
export async function loadProtocol(path: string, digest: string, file: string): Promise<string> {
  const schema = { schema: definitionSchema, maker: 'defineProtocol' };
  const definition = (await loadDefault(path, file, schema)) as ProtocolDefinition;
  const lacking = lackingMethods(definition, file);
  if (lacking.length > 0) throw new FlowFault(lacking.map((fault) => `${file}: ${fault}`));
  const name = `${definition.name}@${digest.slice(0, digits)}`;
  const session: ProtocolDefinition['session'] = (...given) => guarded(definition, file, ...given);
  addProtocol(overWs({ subprotocols: [], defaultPath: '/', ...withFaults(definition, file), name, session }));
  return name;
}

/** Makes errors of a definition's functions, but for `session`, faults of its file. They end the run. */
function withFaults(definition: ProtocolDefinition, file: string): ProtocolDefinition {
  const faulty = (work: unknown): unknown => {
    if (typeof work !== 'function') return work;
    return (...given: unknown[]): unknown => {
      try {
        return faulty(work.call(definition, ...given));
      } catch (error) {
        throw new FlowFault([thrownInWords(error, file)]);
      }
    };
  };
  const made = Object.entries(definition).map(([key, value]) => [key, faulty(value)] as const);
  return Object.fromEntries(made) as unknown as ProtocolDefinition;
}

/** Imports the protocol of a job, by its name in the run, from its file. Throws `FlowFault`. */
export async function loadJobProtocol(protocol: string, path: string): Promise<void> {
  await loadProtocol(path, digestStart(protocol) ?? '', protocol);
}

const needed: Partial<Record<Verb, keyof Session>> = { echo: 'echo', whisper: 'whisper', broadcast: 'broadcast' };

/** Makes a session that talks to nobody, and lists what it lacks. */
function lackingMethods(definition: ProtocolDefinition, file: string): string[] {
  const { verbs, batching } = definition;
  const nothing = (): boolean => false;
  const made = sessionOr(file, () =>
    definition.session(new Proxy({} as SessionSink, { get: () => nothing }), {}, () => '0'),
  );
  if (typeof made === 'string') return [`session: ${made}`];
  const all: (keyof Session)[] = ['opened', 'received', 'subscribe', ...verbs.flatMap((verb) => needed[verb] ?? [])];
  const lacking = all.filter((name) => typeof made[name] !== 'function');
  const faults = lacking.map((name) => `session: expected a session with the method ${name}, received none`);
  const isBatched = !verbs.includes('batch') || batching !== undefined;
  return isBatched ? faults : [...faults, 'batching: expected a function for the verb batch, received none'];
}

/** Returns a new session, or in words why there is none. */
function sessionOr(file: string, make: () => Session): Session | string {
  try {
    const made: unknown = make();
    return typeof made === 'object' && made !== null
      ? (made as Session)
      : `expected a session, received ${typeof made}`;
  } catch (error) {
    return thrownInWords(error, file);
  }
}

/** A user's session, whose errors end its own connection and are counted by their line. */
interface Guard {
  own: Session;
  sink: SessionSink;
  file: string;
}

const incoming = ['opened', 'received', 'position', 'receivedBinary', 'ponged'] as const;
const outgoing = ['subscribe', 'echo', 'whisper', 'broadcast', 'tick'] as const;

/** The methods of all guarded sessions, so that a client has none of its own. No call has more than three arguments. */
const guards: Partial<Record<keyof Session, unknown>> = {};
for (const name of [...incoming, ...outgoing]) {
  guards[name] = function (this: Guard, one: unknown, another: unknown, third: unknown): unknown {
    const { own, sink, file } = this;
    const method = own[name] as ((one: unknown, another: unknown, third: unknown) => unknown) | undefined;
    try {
      if (method) return method.call(own, one, another, third);
      if (name === 'receivedBinary') sink.refused('a binary message');
    } catch (error) {
      sink.refused(`the session threw at ${thrownInWords(error, file)}`);
    }
    return false;
  };
}

function guarded(
  definition: ProtocolDefinition,
  file: string,
  ...[sink, options, values]: Parameters<ProtocolDefinition['session']>
): Session {
  const made = sessionOr(file, () => definition.session(sink, options, values));
  const refuse = (): void => sink.refused(String(made));
  const own = typeof made === 'string' ? { opened: refuse, received: refuse, subscribe: refuse } : made;
  const guard: Guard = { own, sink, file };
  return Object.setPrototypeOf(guard, guards) as Session;
}
