import { createRequire } from 'node:module';
import { z } from 'zod';
import { optionsOf } from '../options/option.js';
import { headerFault } from '../units/http.js';
import { slotsIn, slotted } from '../units/slots.js';
import { objectIn } from '../units/text.js';

const load = createRequire(import.meta.url);

/** The rows of a file of users, each with a value for every column. */
export interface UserTable {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

export const reservedSlots = ['client', 'stream', 'data', 'n'];

/** Reads CSV with a line of column names. A fault names the problem and its line, but no value. */
export function readUsers(csv: string): UserTable | { fault: string } {
  const { parse } = load('csv-parse/sync') as typeof import('csv-parse/sync');
  let lines: { record: string[]; info: { lines: number } }[];
  try {
    // The types lack records with their lines.
    const records: unknown = parse(csv, { bom: true, info: true, relax_column_count: true, skip_empty_lines: true });
    lines = records as typeof lines;
  } catch (error) {
    const { lines: line } = error as { lines?: number };
    return { fault: `line ${line}: expected quotes around a whole value, and two for one within` };
  }
  const [head, ...rest] = lines;
  if (head === undefined || rest.length === 0)
    return { fault: 'expected a line of column names, and a line for each user' };
  const columns = head.record;
  const nameFault = columns.flatMap((name, index) => faultOfColumn(name, columns.indexOf(name) < index) ?? [])[0];
  if (nameFault !== undefined) return { fault: `line ${head.info.lines}: ${nameFault}` };
  const odd = rest.find(({ record }) => record.length !== columns.length);
  if (odd) {
    const { record, info } = odd;
    return { fault: `line ${info.lines}: expected ${columns.length} values, received ${record.length}` };
  }
  return { columns, rows: rest.map(({ record }) => record) };
}

/** Returns the fault of a column without its name, which is a value in a file that lacks the line of names. */
function faultOfColumn(name: string, isRepeated: boolean): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) return 'expected column names of letters, digits and underscores';
  if (reservedSlots.includes(name)) return `expected other column names than ${reservedSlots.join(', ')}`;
  return isRepeated ? 'expected each column name once' : undefined;
}

/** A value that a login gives: part of the JSON answer by the path of its keys, or the cookies that were set. */
export type Taken = string | true;

const cookieSlot = 'cookie';

const slotName = z.string().regex(/^[A-Za-z_]\w*$/, 'expected slots of letters, digits and underscores in `take`');
const path = z.string().regex(/^[^.]+(\.[^.]+)*$/, 'expected a key of the answer in `take`, or keys with dots between');

const shape = z.strictObject(
  {
    /** An `http(s)://` address, or a path of the target. */
    post: z
      .string('expected an address in `post`')
      .refine((text) => text.startsWith('/') || /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
        error: 'expected an http:// or https:// address in `post`, or a path of the target',
      }),
    json: z.unknown().optional(),
    form: z.record(z.string(), z.coerce.string(), 'expected a map of texts in `form`').optional(),
    body: z.string('expected text in `body`').optional(),
    headers: z.record(z.string(), z.string('expected texts in `headers`'), 'expected a map in `headers`').default({}),
    take: z.union(
      [
        path,
        z.record(slotName, z.union([path, z.literal(true)])).refine((map) => Object.keys(map).length > 0, {
          error: 'expected at least one slot in `take`',
        }),
      ],
      'expected a key of the answer in `take`, or a map of slots to keys, with `cookie: true` for cookies',
    ),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? 'expected post, json, form, body, headers and take alone' : undefined,
  },
);

/** Describes how a client logs in. Slots in all of it are replaced by values of the client. */
export interface Login extends Omit<z.output<typeof shape>, 'take'> {
  /** Values by slot. */
  take: Readonly<Record<string, Taken>>;
}

/** Reads the login of a JSON text. Returns all its faults if it has any, without a value of it. */
export function readLogin(text: string): { login: Login } | { faults: string[] } {
  const parsed = shape.safeParse(objectIn(text));
  if (!parsed.success) {
    const messages = parsed.error.issues.map(({ message }) =>
      message.startsWith('expected') ? message : 'expected a JSON object with `post` and `take`',
    );
    return { faults: [...new Set(messages)] };
  }
  const { take, ...rest } = parsed.data;
  const bodies = [rest.json, rest.form, rest.body].filter((each) => each !== undefined);
  const taken = typeof take === 'string' ? { [take.split('.').at(-1) as string]: take } : take;
  const faults = [
    ...(bodies.length > 1 ? ['expected one of json, form and body'] : []),
    ...Object.entries(rest.headers).flatMap(([name, value]) => headerFault(name, value) ?? []),
    ...Object.entries(taken).flatMap(([name, from]) =>
      (from === true) === (name === cookieSlot)
        ? []
        : [`expected \`${cookieSlot}: true\` in \`take\` for cookies alone`],
    ),
    ...(Object.keys(taken).every((name) => slotName.safeParse(name).success)
      ? []
      : ['expected a map in `take` for a key that is no name of a slot']),
  ];
  return faults.length > 0 ? { faults } : { login: { ...rest, take: taken } };
}

export function slotsOfLogin({ take: _take, ...asked }: Login): string[] {
  return slotsIn(JSON.stringify(asked));
}

/** A fault of an option: its flag, and the expected and received value, without a secret. */
export interface OptionFault {
  flag: string;
  text: string;
}

/** Returns the slots of clients beyond their number and stream. Undefined if a fault hides them. */
export function slotsOfUsers({ users, login }: Readonly<Record<string, unknown>>): string[] | undefined {
  const table = typeof users === 'string' ? readUsers(users) : { columns: [] };
  const read = typeof login === 'string' ? readLogin(login) : undefined;
  if ('fault' in table || (read && 'faults' in read)) return undefined;
  return [...table.columns, ...Object.keys(read?.login.take ?? {})];
}

/** Returns faults of the clients' values across options: a slot without a value, and too few users. */
export function faultsOfUsers(
  schema: z.ZodObject,
  values: Readonly<Record<string, unknown>>,
  { wsUrls, clients }: { wsUrls: readonly string[]; clients: number },
): OptionFault[] {
  const { users, login, reusesUsers } = values as { users?: string; login?: string; reusesUsers?: boolean };
  const faults: OptionFault[] = [];
  const wrong = (flag: string, text: string): void => void faults.push({ flag, text });
  const table = users === undefined ? undefined : readUsers(users);
  if (table && 'fault' in table) wrong('users', table.fault);
  const { columns, rows } = table && 'rows' in table ? table : { columns: [], rows: undefined };
  if (rows && rows.length < clients && reusesUsers !== true)
    wrong('users', `expected a line for each of ${clients} clients, received ${rows.length}; or allow --reuse-users`);
  if (reusesUsers === true && users === undefined) wrong('reuse-users', 'goes with --users, which is not given');
  const before = ['client', 'stream', ...columns];
  const check = (flag: string, used: readonly string[], known: readonly string[]): void => {
    const unknown = used.filter((name) => !known.includes(name)).map((name) => `{${name}}`);
    const names = known.map((name) => `{${name}}`).join(', ');
    if (unknown.length > 0) wrong(flag, `expected ${names} as its only variables, received ${unknown.join(', ')}`);
  };
  const read = login === undefined ? undefined : readLogin(login);
  if (read && 'faults' in read) return faults;
  const taken = Object.keys(read?.login.take ?? {});
  if (read) check('login', slotsOfLogin(read.login), before);
  const again = taken.filter((name) => before.includes(name) || reservedSlots.includes(name));
  if (again.length > 0) wrong('login', `expected new names of slots in \`take\`, received ${again.join(', ')}`);
  // The values that a wrong file would have brought are not known.
  if (table && 'fault' in table) return faults;
  const known = [...before, ...taken];
  for (const wsUrl of wsUrls) check('target-url', slotsIn(slotted(new URL(wsUrl))), known);
  for (const { key, flag, hasSlots } of optionsOf(schema))
    if (hasSlots && values[key] !== undefined) check(flag, slotsIn([values[key]].flat().join('\n')), known);
  return faults;
}
