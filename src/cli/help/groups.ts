import type { z } from 'zod';
import { loadOptions } from '../../run/catalog.js';
import { watchOptions } from '../../run/plan/run-options.js';

const last = 'More about the target:';

/** The headings under which help shows the options of a command that makes load, most used first, each with the keys of its options; `load` is what the load itself is declared by. */
function headings(load: z.ZodObject): [heading: string, keys: readonly string[]][] {
  return [
    [
      'Target:',
      [
        ...['target', 'targets', 'targetUrl', 'protocol', 'publishUrl', 'targetFiles', 'headers'],
        ...['targetProcesses', 'targetSettings'],
      ],
    ],
    ['Load:', Object.keys(load.shape)],
    ['Promises and results:', ['thresholds', 'limit', 'repeat', 'isProving', 'resultsDir', 'isJson', 'isMarkdown']],
    ['On a page:', Object.keys(watchOptions.shape)],
    ['Rig:', ['shards', 'localShards', 'token', 'seed', 'trustDir', ...Object.keys(loadOptions.shape)]],
  ];
}

/** The heading of each option of a schema, by key, in the order of the help: the first that has it. What no other has is more about the target. */
export function groupsOf(schema: z.ZodObject, load: z.ZodObject): Map<string, string> {
  const keys = Object.keys(schema.shape);
  const grouped = new Map<string, string>();
  for (const [heading, own] of [...headings(load), [last, keys] as const])
    for (const key of own) if (keys.includes(key) && !grouped.has(key)) grouped.set(key, heading);
  return grouped;
}
