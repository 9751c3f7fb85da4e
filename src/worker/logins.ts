import { CauseNames } from '../measure/causes.js';
import { nowNs } from '../measure/rig/clock.js';
import { Recorder } from '../measure/samples/recorder.js';
import { type Login, readLogin, type Taken } from '../protocols/users.js';
import type { RoleReport } from '../scenarios/scenario.js';
import { draw } from '../scenarios/traffic/schedule.js';
import { request } from '../units/http.js';
import { type ClientValues, filledHeaders, slotted, unfitHeader, urlEncoded, withSlots } from '../units/slots.js';
import { jsonIn } from '../units/text.js';
import { requestCause, type SocketError } from '../wire/causes.js';
import type { Cause } from '../wire/wire.js';
import type { PlainJob } from './messages.js';
import { type Outlet, openOutlet } from './publish.js';

const mostBytes = 1_048_576;

/** Thrown when a login gave no value. Its text is a cause and quotes nothing of the target or the client. */
class LoginFailure extends Error {}

type Logins = ReturnType<typeof prepareLogins>;

/** Prepares to log in each client of a worker once, as fast as the target accepts logins. */
export function prepareLogins(job: Pick<PlainJob, 'load' | 'target'>, text: string, before: Users['valuesOf']) {
  const read = readLogin(text);
  if ('faults' in read) throw new Error('a parsed job has a login that can be read');
  const { login } = read;
  const { take, headers: given } = login;
  const url = new URL(login.post, (job.target.wsUrls[0] as string).replace(/^ws/i, 'http'));
  const all = new Map<number, Readonly<Record<string, string>>>();
  const failures = new Map<number, Cause>();
  const recorder = new Recorder(job.load.samplesCap);
  const names = new CauseNames();
  let outlet: Outlet | undefined;

  const logIn = async ({ pool }: Outlet, values: ClientValues): Promise<Record<string, string>> => {
    const headers = filledHeaders(given, values);
    const unfit = unfitHeader({ headers, subprotocols: [] });
    if (unfit !== undefined) throw new LoginFailure(`bad-value:${unfit}`);
    const { type, text } = bodyOf(login, values);
    const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
    const answer = await request(pool, {
      path: withSlots(slotted(url).slice(url.origin.length), values, urlEncoded),
      method: 'POST',
      headers: hasType ? headers : { ...headers, ...(type !== undefined && { 'content-type': type }) },
      body: text,
    });
    const body = await textOf(answer.body);
    if (answer.statusCode >= 400) throw new LoginFailure(`http-status:${answer.statusCode}`);
    const json = Object.values(take).some((from) => from !== true) ? jsonIn(body) : undefined;
    const cookies = [answer.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0] as string);
    return Object.fromEntries(Object.entries(take).map(([slot, from]) => [slot, takenFrom(from, json, cookies)]));
  };

  const one = async (outlet: Outlet, number: number, signal: AbortSignal): Promise<void> => {
    const startedNs = nowNs();
    try {
      if (signal.aborted) throw new LoginFailure('ours');
      const values = await logIn(outlet, before(number));
      recorder.record((nowNs() - startedNs) / 1000);
      all.set(number, values);
    } catch (error) {
      const why = error instanceof LoginFailure ? error.message : requestCause(error as SocketError);
      failures.set(number, names.nameOf(`login-failed:${why}`));
    }
  };

  const close = async (): Promise<void> => outlet?.pool.destroy();

  return {
    close,
    /** Resolves when each client of the range has logged in or failed. On abort the others fail. */
    async all({ first, capacity }: ClientRange, signal: AbortSignal): Promise<void> {
      const opened = openOutlet(url.href, job.load);
      outlet = opened;
      let next = first;
      const inTurn = async (): Promise<void> => {
        while (next < first + capacity) await one(opened, next++, signal);
      };
      await Promise.all(Array.from({ length: job.load.maxInFlight }, inTurn));
      await close();
    },
    taken: (number: number) => all.get(number),
    /** Returns the cause why a client could not log in; undefined if it did. */
    failureOf: (number: number) => failures.get(number),
    report(): Pick<RoleReport, 'counts' | 'causes' | 'samples'> {
      const causes: Record<string, number> = {};
      for (const cause of failures.values()) causes[cause] = (causes[cause] ?? 0) + 1;
      const [loggedIn, loginsFailed] = [all.size, failures.size];
      return {
        counts: { loginsAsked: loggedIn + loginsFailed, loggedIn, loginsFailed },
        causes: { login: causes },
        samples: { login: recorder.finish() },
      };
    },
  };
}

function bodyOf({ json, form, body }: Login, values: ClientValues): { type?: string; text: string } {
  if (json !== undefined) return { type: 'application/json', text: JSON.stringify(filled(json, values)) };
  if (body !== undefined) return { type: 'text/plain;charset=UTF-8', text: withSlots(body, values) };
  if (form === undefined) return { text: '' };
  const fields = new URLSearchParams(filled(form, values) as Record<string, string>);
  return { type: 'application/x-www-form-urlencoded', text: String(fields) };
}

function filled(value: unknown, values: ClientValues): unknown {
  if (typeof value === 'string') return withSlots(value, values);
  if (Array.isArray(value)) return value.map((each) => filled(each, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, values)]));
}

/** Reads an answer. Its size is limited, as a client may not wait for an endless answer. */
async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new LoginFailure('an answer of more than 1 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function takenFrom(from: Taken, json: unknown, cookies: readonly string[]): string {
  if (from === true) {
    if (cookies.length === 0) throw new LoginFailure('no cookie in the answer');
    return cookies.join('; ');
  }
  if (json === undefined) throw new LoginFailure('no JSON in the answer');
  const value = from.split('.').reduce<unknown>((at, key) => ownValue(at, key), json);
  if (!['string', 'number', 'boolean'].includes(typeof value)) throw new LoginFailure(`no ${from} in the answer`);
  return String(value);
}

function ownValue(at: unknown, key: string): unknown {
  return typeof at === 'object' && at !== null && Object.hasOwn(at, key)
    ? (at as Record<string, unknown>)[key]
    : undefined;
}

/** Holds the values of clients by their number in the run, and why one can't connect. */
export interface Users {
  valuesOf(number: number): ClientValues;
  failureOf(number: number): Cause | undefined;
}

/** Returns the values of clients before any login: their number, the stream, and their row of the file of users. */
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

/** Assigns rows to clients. Only the seed decides the order, so no sharding changes it. */
async function dealt(csv: string, seed: number): Promise<(number: number) => Map<string, string>> {
  const { readUsers } = await import('../protocols/users.js');
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

export interface ClientRange {
  first: number;
  capacity: number;
}

export function workerUsers(before: Users['valuesOf'], logins?: Pick<Logins, 'taken' | 'failureOf'>): Users {
  if (logins === undefined) return { valuesOf: before, failureOf: () => undefined };
  return {
    valuesOf(number) {
      const own = before(number);
      return (slot) => own(slot) ?? logins.taken(number)?.[slot];
    },
    failureOf: (number) => logins.failureOf(number),
  };
}
