import { z } from 'zod';
import { parseHeaders } from '../units/http.js';
import { type ClientUpgrade, isSubprotocol, slotted, withSlots } from '../units/slots.js';
import type { Protocol, ProtocolValues } from './protocol.js';
import { readLogin, readUsers } from './users.js';

/** Options that clients of every protocol take. A new one needs its field here and its use in `upgradeTo`. */
export const clientOptions = z.strictObject({
  headers: z
    .array(z.string())
    .check(({ value, issues }) => {
      for (const message of parseHeaders(value).errors) issues.push({ code: 'custom', input: value, message });
    })
    .optional()
    .meta({
      flag: 'header',
      placeholder: 'name: value',
      heading: 'Target:',
      separator: '\n',
      isSecret: true,
      hasSlots: true,
      shown: (lines: string[]) => ({ upgradeHeaders: Object.keys(parseHeaders(lines).headers).join(', ') }),
      help: 'header of each client’s upgrade, `{client}` being its number; repeatable',
    }),
  subprotocols: z
    .array(z.string().refine((text) => isSubprotocol(withSlots(text, () => '0')), 'expected a name without spaces'))
    .optional()
    .meta({
      flag: 'subprotocol',
      placeholder: 'name',
      isSecret: true,
      hasSlots: true,
      shown: ({ length }: string[]) => ({ furtherSubprotocols: length }),
      help: 'further subprotocol that clients offer; repeatable',
    }),
  /** A file name on the command line, and the content of the file in a job. */
  users: z
    .string()
    .min(1)
    .optional()
    .meta({
      flag: 'users',
      placeholder: 'file',
      isSecret: true,
      shown: (csv: string) => ({ users: usersInWords(csv) }),
      help: 'CSV file of users, one for each client; columns are slots',
    }),
  reusesUsers: z
    .boolean()
    .optional()
    .meta({ flag: 'reuse-users', help: 'clients share the users of a file that is too short' }),
  login: z
    .string()
    .check(({ value, issues }) => {
      const read = readLogin(value);
      for (const message of 'faults' in read ? read.faults : []) issues.push({ code: 'custom', input: value, message });
    })
    .optional()
    .meta({
      flag: 'login',
      placeholder: 'json',
      isSecret: true,
      help: 'login of each client before it connects: {"post", "json", "take"}',
    }),
});

/** Returns the number of users in words, without column names: if the line of names is missing, they are values. */
function usersInWords(csv: string): string {
  const table = readUsers(csv);
  return 'rows' in table ? `${table.rows.length} lines` : '(hidden)';
}

/** Returns the address and the upgrade of both kinds of clients, given checked values of `clientOptions`. */
export function upgradeTo(address: URL, options: Readonly<Record<string, unknown>>): ClientUpgrade {
  const { headers = [], subprotocols = [] } = options as z.output<typeof clientOptions>;
  return { url: slotted(address), headers: parseHeaders(headers).headers, subprotocols };
}

/** Completes a target's address by the protocol's default path. The default query replaces the same keys. */
export function completeAddress(
  { defaultPath }: Pick<Protocol, 'defaultPath'>,
  address: string,
  options: ProtocolValues = {},
): URL {
  const url = new URL(address);
  const standard = new URL(typeof defaultPath === 'string' ? defaultPath : defaultPath(options), url);
  if (url.pathname === '/') url.pathname = standard.pathname;
  else if (/.\/$/.test(standard.pathname) && !url.pathname.endsWith('/')) url.pathname += '/';
  // Kept as text: URLSearchParams would encode the braces of slots.
  const own = partsOf(standard);
  const names = own.map(nameOf);
  url.search = [...partsOf(url).filter((part) => !names.includes(nameOf(part))), ...own].join('&');
  return url;
}

function partsOf({ search }: URL): string[] {
  return search.slice(1).split('&').filter(Boolean);
}

function nameOf(part: string): string {
  return part.split('=', 1)[0] ?? '';
}
