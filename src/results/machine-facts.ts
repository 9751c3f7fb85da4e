import type { ShardResult } from '../contract/shard.js';
import type { RunResult } from './result.js';

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
