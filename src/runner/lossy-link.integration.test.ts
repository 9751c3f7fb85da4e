import { describe, expect, it } from 'vitest';
import { built } from '../../test/built.js';
import { soundResult } from '../../test/latency.js';
import { canHaveLossyLink, farAddress, overLossyLink } from '../../test/namespace.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();
if (!canHaveLossyLink)
  process.stderr.write('lossy links are not tried: they take unshare, ip, nft, veth and numgen of the kernel\n');

/** A latency run whose target is at the far end of a cable that loses what arrives at one end. */
async function measure(lossAt: 'near' | 'far') {
  const at = `${farAddress}:7077`;
  const script = [
    `$far ${process.execPath} ${built('servers/ws/main.js')} --host ${farAddress} --port 7077 > listening & target=$!`,
    "trap 'kill $target $holder' EXIT",
    'until [ -s listening ]; do sleep 0.1; done',
    `${process.execPath} ${built('src/cli/main.js')} run latency --target-url ws://${at}/ws --publish-url http://${at}/_broadcast --protocol ws-json \\`,
    '  --subscribers 17 --broadcasts 211 --rate 50/s --ramp-rate 100/s --drain 10s',
  ].join('\n');
  const ended = await place.start('unshare', overLossyLink(lossAt, script)).ended;
  const result = soundResult(ended);
  const counts = result.shards[0]?.result?.rig.shard.tcp?.counts;
  return { ended, result, counts };
}

describe.runIf(canHaveLossyLink)('a link that loses segments', () => {
  it.each([
    ['from the target to the rig', 'near', 'outOfOrder'],
    ['from the rig to the target', 'far', 'sentAgain'],
  ] as const)('%s is counted, told and judged', async (_name, lossAt, sign) => {
    const { ended, result, counts } = await measure(lossAt);
    expect(counts?.[sign]).toBeGreaterThan(counts?.openingsSentAgain ?? 0);
    expect(result.ledger).toMatchObject({ acked: 211, delivered: 17 * 211, lost: 0 });
    expect(result.verdict.evidence.map(({ rule }) => rule)).toContain('link-lossy');
    expect(result.verdict.doubts?.map(({ metric }) => metric)).toContain('delivery');
    expect(ended.stdout).toMatch(/^network /m);
    expect(ended.code).toBe(4);
  });
});
