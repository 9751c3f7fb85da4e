import type { RunResult } from '../contract/result.js';
import { canonicalJson } from './fingerprint.js';

/** What else differs between two runs of one shape, each by name: target, versions, settings, machine, and how the load was laid out. */
export function differences(before: RunResult, after: RunResult): string[] {
  const [one, other] = [circumstances(before), circumstances(after)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((place) => canonicalJson(one[place]) !== canonicalJson(other[place]))
    .map((place) => `${place}: ${inWords(one[place])} and ${inWords(other[place])}`);
}

function circumstances({ target, tool, environment, job }: RunResult): Record<string, unknown> {
  return {
    target: target.name,
    ringside: tool.version,
    ...prefixed('version of ', target.versions),
    ...prefixed('setting ', target.settings),
    ...prefixed('machine ', environment.driver),
    shards: job.shards,
    workers: job.load.workers,
  };
}

function prefixed(prefix: string, entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [`${prefix}${name}`, value]));
}

function inWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
