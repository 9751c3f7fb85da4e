import type { z } from 'zod';
import { loadOptions } from '../../run/catalog.js';
import { watchOptions } from '../../run/plan/run-options.js';

const targetKeys = ['target', 'targets', 'targetUrl', 'protocol', 'publishUrl', 'targetFiles', 'headers'];
const resultKeys = ['thresholds', 'limit', 'repeat', 'isProving', 'resultsDir', 'isJson', 'isMarkdown'];

/** The heading of each option by key, in the order of the help. `load` declares the load of the command. */
export function groupsOf(schema: z.ZodObject, load: z.ZodObject): Map<string, string> {
  const keys = Object.keys(schema.shape);
  const headings: readonly [heading: string, keys: readonly string[]][] = [
    ['Target:', [...targetKeys, 'targetProcesses', 'targetSettings']],
    ['Load:', Object.keys(load.shape)],
    ['Thresholds and results:', resultKeys],
    ['Watch page:', Object.keys(watchOptions.shape)],
    ['Rig:', ['shards', 'localShards', 'token', 'seed', 'trustDir', ...Object.keys(loadOptions.shape)]],
    ['More about the target:', keys],
  ];
  const grouped = new Map<string, string>();
  for (const [heading, own] of headings)
    for (const key of own) if (keys.includes(key) && !grouped.has(key)) grouped.set(key, heading);
  return grouped;
}
