import { createHash } from 'node:crypto';
import type { ShardResult } from '../contract/shard.js';
import { isMap } from '../units/text.js';
import type { RunResult } from './result.js';

/** Returns JSON with sorted keys. Equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isMap(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

/** Returns twelve hex digits. They are equal for equal shapes in any order of keys. */
export function fingerprint(shape: Record<string, unknown>): string {
  return createHash('sha256').update(canonicalJson(shape)).digest('hex').slice(0, 12);
}

/** Returns the first difference of two shapes: `options.clients: 200 and 1000`. Undefined if they are equal. */
export function firstDifference(one: unknown, other: unknown, place = ''): string | undefined {
  if (canonicalJson(one) === canonicalJson(other)) return undefined;
  if (!isMap(one) || !isMap(other)) return `${place}: ${inWords(one)} and ${inWords(other)}`;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  const differing = keys.map((key) => firstDifference(one[key], other[key], place === '' ? key : `${place}.${key}`));
  return differing.find((each) => each !== undefined);
}

const inWords = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Returns true if a run of this shape was one side of a paired comparison. Others then ran beside it, in turn. */
export function isInTurn(shape: Readonly<Record<string, unknown>>): boolean {
  return 'slots' in shape;
}

/** Returns facts of the machines that made a load: those of its shards, or of the driver if all shards were lost. */
export function machineFacts({
  shards,
  environment,
}: Pick<RunResult, 'shards' | 'environment'>): Record<string, string> {
  const own = shards.flatMap(({ result }) => result?.machine ?? []);
  const facts = (own.length > 0 ? own : [environment.driver]).map(factsOf);
  return Object.fromEntries(namesIn(facts).map((name) => [name, valuesOf(name, facts).sort().join(' + ')]));
}

/** Returns the facts in which the machines of runs differ: `machine governor: performance and powersave`. */
export function machinesApart(runs: readonly RunResult[]): string[] {
  const facts = runs.map(machineFacts);
  return namesIn(facts).flatMap((name) => {
    const values = valuesOf(name, facts);
    return values.length > 1 ? `${name}: ${values.join(' and ')}` : [];
  });
}

type Facts = Record<string, string>;

function factsOf({ mitigations = {}, ...facts }: ShardResult['machine']): Facts {
  const named = Object.entries(facts).map(([name, value]) => [`machine ${name}`, value]);
  const against = Object.entries(mitigations).map(([fault, how]) => [`mitigation of ${fault}`, how]);
  return Object.fromEntries([...named, ...against].map(([name, value]) => [name, String(value)]));
}

const namesIn = (all: readonly Facts[]): string[] => [...new Set(all.flatMap(Object.keys))];

const valuesOf = (name: string, all: readonly Facts[]): string[] => [
  ...new Set(all.map((facts) => facts[name] ?? 'nothing')),
];
