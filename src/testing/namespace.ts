import { spawnSync } from 'node:child_process';

const setUp = 'ip link set lo up';

/** The arguments of `unshare` that run a shell script in a network of its own, its loopback up. */
export function inOwnNetwork(script: string): string[] {
  return ['--map-root-user', '--net', 'bash', '-c', `${setUp} && ${script}`];
}

/** Shell text that sets the source ports of the network it runs in. */
export function setPortRange(low: number, high: number): string {
  return `echo "${low} ${high}" > /proc/sys/net/ipv4/ip_local_port_range`;
}

/** Whether this system lets us have one, and set its source ports. */
export const canHaveOwnNetwork = spawnSync('unshare', inOwnNetwork(setPortRange(32_768, 60_999))).status === 0;
