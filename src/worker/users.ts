import { draw } from '../scenarios/draws.js';
import type { ClientValues } from '../units/slots.js';
import type { Cause } from '../wire/wire.js';
import type { PlainJob } from './messages.js';

/** What the clients of a worker are, by their number in the whole run: their values, or why one can't connect. */
export interface Users {
  valuesOf(number: number): ClientValues;
  failureOf(number: number): Cause | undefined;
}

/** The values of clients before any login: their number, the stream, and their row of the file of users. */
export async function knownBefore({
  protocolOptions,
  stream,
  seed,
}: Pick<PlainJob, 'protocolOptions' | 'stream' | 'seed'>): Promise<Users['valuesOf']> {
  const { users } = protocolOptions as { users?: string };
  const rowOf = users === undefined ? () => undefined : await dealt(users, seed);
  return (number) => {
    const row = rowOf(number);
    return (slot) => (slot === 'client' ? String(number) : slot === 'stream' ? stream : row?.get(slot));
  };
}

/** Deals rows to clients in an order that the seed alone decides, so that no sharding changes it. */
async function dealt(csv: string, seed: number): Promise<(number: number) => Map<string, string>> {
  const { readUsers } = await import('../protocols/users/file.js');
  const table = readUsers(csv);
  if ('fault' in table) throw new Error('a parsed job has users that can be read');
  const { columns, rows } = table;
  const draws = Float64Array.from(rows, (_, row) => draw(seed, 'user', row, 0));
  const order = Array.from(rows.keys()).sort((a, b) => (draws[a] as number) - (draws[b] as number) || a - b);
  return (number) => {
    const row = rows[order[number % order.length] as number] as readonly string[];
    return new Map(columns.map((column, index) => [column, row[index] as string]));
  };
}

/** Which clients a worker has: numbers of the whole run. */
export interface ClientRange {
  first: number;
  capacity: number;
}

/** What logins came to, by the number of the client. */
interface LoginResults {
  taken(number: number): Readonly<Record<string, string>> | undefined;
  failureOf(number: number): Cause | undefined;
}

/** The clients of a worker by what was known before and what their logins took. */
export function usersOf(before: Users['valuesOf'], logins?: LoginResults): Users {
  if (logins === undefined) return { valuesOf: before, failureOf: () => undefined };
  return {
    valuesOf(number) {
      const own = before(number);
      return (slot) => own(slot) ?? logins.taken(number)?.[slot];
    },
    failureOf: (number) => logins.failureOf(number),
  };
}
