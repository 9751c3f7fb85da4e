import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** The rows of a file of users, each with a value for every column. */
export interface UserTable {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Names of slots that columns must not have. */
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
