import { spawnSync } from 'node:child_process';

const setUp = 'ip link set lo up';

/** The arguments of `unshare` that run a shell script in a network of its own, its loopback up. */
export function inOwnNetwork(script: string): string[] {
  return ['--map-root-user', '--net', 'bash', '-c', `${setUp} && ${script}`];
}

// A prime: a broadcast takes about 20 segments, and the loss must not fall on the same one of each.
const everyNth = 'numgen inc mod 23 == 0';

/**
 * The arguments of `unshare` that run a shell script in its own network, which a cable joins to a second one. What
 * `$far` runs is in the second, at `farAddress`. The named end loses every 23rd TCP segment that arrives. Both networks
 * end with the script.
 */
export function overLossyLink(lossAt: 'near' | 'far', script: string): string[] {
  const lines = [
    'set -e',
    'unshare --net sleep 300 & holder=$!',
    "trap 'kill $holder' EXIT",
    'until [ "$(readlink /proc/$holder/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.05; done',
    'near=; far="nsenter --target $holder --net"',
    'ip link add near type veth peer name far netns $holder',
    'ip addr add 10.83.0.1/30 dev near && ip link set near up',
    `$far ip addr add ${farAddress}/30 dev far && $far ip link set far up && $far ip link set lo up`,
    `$${lossAt} nft add table inet loss`,
    `$${lossAt} nft add chain inet loss arriving '{ type filter hook input priority 0; }'`,
    `$${lossAt} nft add rule inet loss arriving iifname ${lossAt} meta l4proto tcp ${everyNth} drop`,
    script,
  ];
  return inOwnNetwork(lines.join('\n'));
}

/** The address of the far end of a lossy link. */
export const farAddress = '10.83.0.2';

/** Whether this system lets us have one: it takes `ip`, `nft` and a kernel with veth and numgen. */
export const canHaveLossyLink = spawnSync('unshare', overLossyLink('far', 'true')).status === 0;

/** Shell text that sets the source ports of the network it runs in. */
export function setPortRange(low: number, high: number): string {
  return `echo "${low} ${high}" > /proc/sys/net/ipv4/ip_local_port_range`;
}

/** Whether this system lets us have one, and set its source ports. */
export const canHaveOwnNetwork = spawnSync('unshare', inOwnNetwork(setPortRange(32_768, 60_999))).status === 0;

/** Shell text that has the kernel track the connections of the network it runs in. */
export const track = [
  'nft add table inet tracking',
  "nft add chain inet tracking arriving '{ type filter hook input priority 0; }'",
  'nft add rule inet tracking arriving ct state established accept',
].join(' && ');

/** Whether this system lets us: it takes `nft` and a kernel with connection tracking. */
export const canTrack = spawnSync('unshare', inOwnNetwork(track)).status === 0;
