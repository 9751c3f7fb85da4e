import { Argument, type Command } from 'commander';
import { protocols, scenarios } from '../contract/catalog.js';
import { columns } from '../report/table.js';
import { targets } from '../targets/list.js';

const lists: Readonly<Record<string, { head: string[]; rows(): Record<string, string>[] }>> = {
  targets: {
    head: ['name', 'protocol', 'summary'],
    rows: () => targets.map(({ name, protocol, summary }) => ({ name, protocol, summary })),
  },
  scenarios: {
    head: ['name', 'summary'],
    rows: () => scenarios.map(({ name, summary }) => ({ name, summary })),
  },
  protocols: {
    head: ['name', 'library', 'verbs', 'summary'],
    rows: () =>
      protocols.map(({ name, library, verbs, summary }) => ({ name, library, verbs: verbs.join(' '), summary })),
  },
};

/** `ringside list targets|scenarios|protocols`. */
export function define(command: Command): void {
  command
    .addArgument(new Argument('<what>', 'what to list').choices(Object.keys(lists)))
    .option('--json', 'print one JSON document')
    .action((what: string, { json }: { json?: boolean }) => {
      const list = lists[what];
      if (!list) throw new Error(`no list ${what}`);
      const rows = list.rows();
      const text = json
        ? JSON.stringify(rows, null, 2)
        : columns(
            list.head,
            rows.map((row) => list.head.map((title) => row[title] ?? '')),
            list.head.map((_title, index) => index),
          );
      process.stdout.write(`${text}\n`);
    });
}
