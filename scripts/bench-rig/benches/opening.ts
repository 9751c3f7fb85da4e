import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { count } from '../../../src/units/words.js';
import type { Bench } from '../bench.js';
import { audienceJob, type ClientKind } from '../processes/audience.js';
import { Child } from '../processes/child.js';
import type { OpeningCommands } from '../processes/opening-child.js';
import { withTarget } from '../processes/target.js';

const clients = 10_000;
const ratePerSecond = 2000;
const kinds = ['wire', 'library'] as const;

/** CPU per WebSocket opened, of our wire clients beside that of the real library: from the start of TCP to the answered upgrade. */
export const opening: Bench = {
  name: 'opening',
  bounds: ['openingCpu'],
  async run({ isQuick, signal, say }) {
    const rounds = isQuick ? 1 : 2;
    const costs: Record<ClientKind, NodeJS.CpuUsage[]> = { wire: [], library: [] };
    await withTarget(async (target) => {
      for (let turn = 0; turn < rounds * kinds.length; turn++) {
        const client = kinds[turn % kinds.length] as ClientKind;
        const cost = await measure(target, client, turn, signal);
        const { measured, detail } = inWords([cost]);
        say(`  ${client}: ${measured} (${detail})`);
        costs[client].push(cost);
      }
    });
    const ratio = cpuPerClient(costs.wire) / cpuPerClient(costs.library);
    return [
      { bound: 'openingCpu', value: ratio, detail: `${count(clients)} opened each, ${rounds} times` },
      { what: '  wire client', ...inWords(costs.wire) },
      { what: '  library client', ...inWords(costs.library) },
    ];
  },
};

async function measure(
  target: RunningTarget,
  client: ClientKind,
  turn: number,
  signal: AbortSignal,
): Promise<NodeJS.CpuUsage> {
  const job = audienceJob(target, { client, subscribers: clients, warmUp: 0, broadcasts: 1, ratePerSecond: 1 });
  // Ports of the turn before may still be in TIME_WAIT, and the kernel's search for a free one would be dearer: each turn has eight addresses of its own.
  const request = { ...job, load: { client, localAddresses: [`127.0.${turn + 1}.2-127.0.${turn + 1}.9`] } };
  const child = new Child<OpeningCommands>('./opening-child.js', signal);
  try {
    return await child.ask('open', { request, ratePerSecond });
  } finally {
    await child.stop();
  }
}

function cpuPerClient(costs: readonly NodeJS.CpuUsage[]): number {
  return each(costs, ({ user, system }) => user + system);
}

function each(costs: readonly NodeJS.CpuUsage[], usOf: (cost: NodeJS.CpuUsage) => number): number {
  return costs.reduce((sum, cost) => sum + usOf(cost), 0) / (costs.length * clients);
}

/** Of one client: its CPU, and where it went. */
function inWords(costs: readonly NodeJS.CpuUsage[]): { measured: string; detail: string } {
  const [user, system] = [each(costs, (cost) => cost.user), each(costs, (cost) => cost.system)];
  return { measured: `${(user + system).toFixed(1)} us`, detail: `user ${user.toFixed(1)}, sys ${system.toFixed(1)}` };
}
