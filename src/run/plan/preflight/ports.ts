import { type Problem, problem } from '../../../contract/problems.js';
import { share } from '../../../measure/share.js';
import { type Info, inWords, type Need, type Part } from './need.js';

/** How often the port range can be used: once for each bound address, otherwise once towards each destination. */
export function portRanges(need: Pick<Need, 'sourceAddresses' | 'targetPorts'>): number {
  return need.sourceAddresses.length || need.targetPorts;
}

/** A machine without the source ports that the clients of its shards need. */
export function portProblems(need: Need, { urls, clients, halfOpen, info }: Part): Problem[] {
  const { sourcePorts, portsTaken } = info.limits;
  if (sourcePorts === null) return [];
  const ranges = portRanges(need);
  const short = takenOf(need, portsTaken ?? { byAddress: {}, byEndpoint: {} }).find(
    ({ taken }, index, { length }) =>
      share(clients + halfOpen, index, length) > (sourcePorts * ranges) / length - taken,
  );
  if (short === undefined) return [];
  const have = `there are ${sourcePorts * ranges} (${sourcePorts} × ${ranges})`;
  const taken = `${short.taken} ${short.where} are in use or in TIME_WAIT`;
  const who = `${urls.join(', ')}: ${inWords({ clients, halfOpen })}`;
  return [problem('portLimit', `${who} need as many source ports; ${have}, and ${taken}`)];
}

/** The taken ports of each source address, or of the range that the kernel chooses from. */
function takenOf(
  { sourceAddresses, endpoint }: Need,
  { byAddress, byEndpoint }: NonNullable<Info['limits']['portsTaken']>,
): { taken: number; where: string }[] {
  if (sourceAddresses.length === 0) {
    const isTowards = (key: string): boolean => endpoint !== undefined && key.endsWith(` ${endpoint}`);
    const towards = Object.entries(byEndpoint).flatMap(([key, taken]) => (isTowards(key) ? taken : []));
    return [{ taken: Math.max(0, ...towards), where: 'towards the target' }];
  }
  const taken = (address: string): number => byAddress[address] ?? 0;
  // A port of a wildcard address is taken on every address.
  const everywhere = taken('0.0.0.0') + taken('::');
  return sourceAddresses.map((address) => ({ taken: taken(address) + everywhere, where: `of ${address}` }));
}
