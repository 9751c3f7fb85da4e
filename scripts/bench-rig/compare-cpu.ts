import type { BenchContext, Bound, Finding } from './bench.js';
import type { ClientKind } from './processes/audience.js';

/** Holds the CPU in microseconds for `units` deliveries or connections. `serverUs` is the target's. */
export interface CpuCost {
  units: number;
  userUs: number;
  systemUs: number;
  serverUs?: number;
}

/** Measures wire and library clients in turn, and compares their CPU per unit. */
export async function compareCpu(
  bound: Bound,
  { isQuick, say }: BenchContext,
  measure: (client: ClientKind, turn: number) => Promise<CpuCost>,
): Promise<Finding[]> {
  const costs: Record<ClientKind, CpuCost[]> = { wire: [], library: [] };
  for (let turn = 0; turn < (isQuick ? 2 : 4); turn++) {
    const client = turn % 2 === 0 ? 'wire' : 'library';
    const cost = await measure(client, turn);
    costs[client].push(cost);
    const { measured, detail } = inWords([cost]);
    say(`  ${client}: ${measured} (${detail})`);
  }
  const { wire, library } = costs;
  const value = perUnit(wire, clientUs) / perUnit(library, clientUs);
  const detail = `${wire.reduce((sum, { units }) => sum + units, 0).toLocaleString('en-US')} of each`;
  return [
    { bound, value, detail },
    { what: '  wire client', ...inWords(wire) },
    { what: '  library client', ...inWords(library) },
  ];
}

const clientUs = ({ userUs, systemUs }: CpuCost): number => userUs + systemUs;

function perUnit(costs: readonly CpuCost[], usOf: (cost: CpuCost) => number): number {
  const sum = (of: (cost: CpuCost) => number): number => costs.reduce((total, cost) => total + of(cost), 0);
  return sum(usOf) / sum(({ units }) => units);
}

function inWords(costs: readonly CpuCost[]): { measured: string; detail: string } {
  const each = (usOf: (cost: CpuCost) => number): string => perUnit(costs, usOf).toFixed(2);
  const server = costs[0]?.serverUs === undefined ? '' : `; server ${each(({ serverUs = 0 }) => serverUs)} us`;
  const detail = `user ${each(({ userUs }) => userUs)}, sys ${each(({ systemUs }) => systemUs)}${server}`;
  return { measured: `${each(clientUs)} us`, detail };
}
