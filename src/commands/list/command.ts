import { z } from 'zod';
import { optionsOf } from '../../options/option.js';
import { protocols } from '../../protocols/list.js';
import { columns } from '../../render/words/table.js';
import { formOptions } from '../../run/plan/run-options.js';
import { scenarios } from '../../scenarios/list.js';
import { targets } from '../../targets/list.js';
import { jsonText } from '../../units/text.js';
import { plain } from '../command.js';

interface List {
  head: string[];
  rows: Record<string, unknown>[];
  below?(): string;
}

const lists: Readonly<Record<string, List>> = {
  targets: {
    head: ['name', 'protocol', 'summary'],
    rows: targets.map(({ name, protocol, summary, options }) => ({
      ...{ name, protocol, summary },
      options: options ? tableOf(options) : [],
    })),
    below: optionsOfTargets,
  },
  scenarios: { head: ['name', 'summary'], rows: scenarios.map(({ name, summary }) => ({ name, summary })) },
  protocols: {
    head: ['name', 'library', 'verbs', 'summary'],
    rows: protocols.map(({ name, library, verbs, summary }) => ({ name, library, verbs: verbs.join(' '), summary })),
  },
};

/** `ringside list targets|scenarios|protocols`. */
export const command = plain({
  arguments: [{ form: '<what>', help: 'what to list', choices: Object.keys(lists) }],
  flags: z.strictObject({ isJson: formOptions.shape.isJson }),
  examples: ['list targets', 'list scenarios --json'],
  async run(session, { args: [what = ''], own: { isJson } }) {
    const { head, rows, below } = lists[what] as List;
    if (isJson) return session.print(jsonText(rows));
    const cells = rows.map((row) => head.map((title) => String(row[title])));
    session.print(`${columns(head, cells, [...head.keys()])}${below?.() ?? ''}\n`);
  },
});

function tableOf(options: z.ZodObject): { option: string; default: string; meaning: string }[] {
  return optionsOf(options).map(({ flag, placeholder, defaultText = '', help: meaning }) => ({
    option: `${flag}=${placeholder}`,
    default: defaultText,
    meaning,
  }));
}

function optionsOfTargets(): string {
  const schemas = new Set(targets.flatMap(({ options }) => options ?? []));
  const tables = [...schemas].map((schema) => {
    const names = targets.filter(({ options }) => options === schema).map(({ name }) => name);
    const rows = tableOf(schema).map((each) => [each.option, each.default, each.meaning]);
    return `\n\n--target-option of ${names.join(', ')}:\n${columns(['option', 'default', 'meaning'], rows, [0, 1, 2])}`;
  });
  return tables.join('');
}
