import { expect } from 'vitest';
import { built } from '../built.js';
import { soundResult } from '../latency.js';
import { canHaveLossyLink, farAddress, overLossyLink } from '../namespace.js';
import { exitOf, workplace } from '../workplace.js';

const place = workplace();
if (!canHaveLossyLink) {
  process.stderr.write('lossy links are not tried: they take unshare, ip, nft, veth and numgen of the kernel\n');
}

/** A latency run whose target is at the far end of a cable that loses what arrives at one end. */
async function measure(lossAt: 'near' | 'far') {
  const at = `${farAddress}:7077`;
  const script = [
    `$far ${process.execPath} ${built('servers/ws/main.js')} --host ${farAddress} --port 7077 > listening & target=$!`,
    "trap 'kill $target $holder' EXIT",
    'until [ -s listening ]; do sleep 0.1; done',
    `${process.execPath} ${built('src/cli/main.js')} run latency --target-url ws://${at}/ws --protocol ws-json \\`,
    `  --publish-url http://${at}/_broadcast \\`,
    '  --clients 17 --broadcasts 211 --rate 50/s --ramp-rate 100/s --drain 10s',
  ].join('\n');
  const ended = await place.start('unshare', overLossyLink(lossAt, script)).ended;
  const result = soundResult(ended);
  const counts = result.shards[0]?.result?.rig.shard.tcp?.counts;
  return { ended, result, counts };
}

/** Checks that a link which loses segments at one end is counted and judged, and loses no delivery. */
export async function isSeen(lossAt: 'near' | 'far', sign: 'outOfOrder' | 'sentAgain'): Promise<void> {
  const { ended, result, counts } = await measure(lossAt);
  expect(counts?.[sign]).toBeGreaterThan(counts?.openingsSentAgain ?? 0);
  expect(result.ledger).toMatchObject({ acked: 211, delivered: 17 * 211, lost: 0 });
  const marks = (result.verdict.doubts ?? []).filter(({ rule }) => rule === 'link-lossy');
  expect(marks.map(({ metric }) => metric)).toContain('delivery');
  expect(ended.code).toBe(exitOf(result));
}
