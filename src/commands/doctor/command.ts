import type { EngineOffer } from '../../contract/engine.js';
import type { MachineLimits } from '../../contract/shard.js';
import { readClockId, readMachine } from '../../measure/rig/machine.js';
import { columns } from '../../render/words/table.js';
import { descriptorsBeside } from '../../run/plan/needs.js';
import { targets } from '../../targets/list.js';
import { needs } from '../../targets/needs/list.js';
import { clientsPerAddress, leastAddresses } from '../../units/addresses.js';
import { countText } from '../../units/text.js';
import { plain } from '../command.js';
import { needRow } from '../install/command.js';

const unknown = 'unknown on this system';

/** `ringside doctor`: prints what one process of this machine can carry, and which targets can start here. */
export const command = plain({
  async run(session) {
    const rows = await Promise.all(
      targets.map(async (target) => {
        const available = await target.availability();
        return available.isAvailable
          ? [target.name, 'ready', available.version]
          : [target.name, 'not available', `${available.why.replace(/\.?$/, '.')} ${available.hint}`];
      }),
    );
    const facts = columns(
      ['', ''],
      [...factsOf(session.limits), engineRow(await session.engine())],
      [0, 1],
    ).trimStart();
    const installs = needs.map((need) => needRow(need)).map(({ name, state, where }) => [name, state, where]);
    const tables = [
      columns(['target', 'here', ''], rows, [0, 1, 2]),
      columns(['install', 'here', ''], installs, [0, 1, 2]),
    ];
    session.print(`${[facts, ...tables].join('\n\n')}\n`);
  },
});

function engineRow({ name, why }: EngineOffer): string[] {
  return ['wire engine', why === undefined ? name : `${name}: ${why}`];
}

function factsOf({ descriptors, sourcePorts, connectionTracking, memoryAvailableBytes }: MachineLimits): string[][] {
  const machine = readMachine();
  const available = memoryAvailableBytes === null ? '' : `, of which ${inGib(memoryAvailableBytes)} are available`;
  const share = `a bench-runner needs one per client and publish in flight, and ${countText(descriptorsBeside)} more`;
  const addresses = `loopback uses one address per ${countText(clientsPerAddress)} clients, at least ${leastAddresses}`;
  return [
    ['cpu', `${machine.cores} × ${machine.cpu}`],
    ['memory', inGib(machine.memoryBytes) + available],
    ['system', `${machine.kernel}, ${machine.runtime}`],
    ['clock', readClockId()],
    [
      'file descriptors',
      descriptors === null ? unknown : `${countText(descriptors)} per process (ulimit -n); ${share}`,
    ],
    ['source ports', sourcePorts === null ? unknown : `${countText(sourcePorts)} per source address; ${addresses}`],
    ['connection tracking', trackingOf(connectionTracking)],
  ];
}

function trackingOf(tracking: MachineLimits['connectionTracking']): string {
  if (tracking === null) return 'none seen in this network';
  return `${countText(tracking.most)} connections at most; --own-network leaves them`;
}

function inGib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
