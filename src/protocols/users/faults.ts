import type { z } from 'zod';
import { optionsOf } from '../../options/option.js';
import { slotsIn, slotted } from '../../units/slots.js';
import type { clientOptions } from '../client-options.js';
import { readUsers, reservedSlots } from './file.js';
import { readLogin, slotsOfLogin } from './login.js';

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
  const { users, login, reusesUsers } = values as z.output<typeof clientOptions>;
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
