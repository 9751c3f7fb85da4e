import { setTimeout as delay } from 'node:timers/promises';
import { isGone } from '../../../src/targets/observe/proc-files.js';
import { countText } from '../../../src/units/text.js';
import { SimulatedFleet, simulatedJob } from '../../../test/doubles/simulated-fleet.js';
import { type BenchContext, type Bound, type Finding, printers } from '../judge.js';
import { cpuSecondsOf, resultIn, ringside, rssBytesOf, withDirectory } from '../processes/program.js';

const samplesEach = 1_000_000;
const broadcastsEach = 100;
const lookEveryMs = 200;

/** Runs one driver and 200 simulated shards over HTTP. All times are CPU time of the driver alone. */
export function scale(
  { waiting, merging, memory }: Record<'waiting' | 'merging' | 'memory', Bound>,
  { signal, isQuick }: BenchContext,
): Promise<Finding[]> {
  return withDirectory(async (directory) => {
    const [shards, publishMs] = isQuick ? [20, 5000] : [200, 15_000];
    const load = { shards, subscribersEach: samplesEach / broadcastsEach, broadcastsEach, metrics: ['delivery'] };
    const plan = { ...load, publishMs, otherMs: 500 };
    const fleet = await SimulatedFleet.start(plan);
    const addresses = fleet.shards.flatMap(({ url }) => ['--shard', url]);
    const args = [...simulatedJob(plan), ...addresses, '--json', '--results', directory];
    const driver = ringside(args, signal, 600_000);
    try {
      const looks: Look[] = [];
      const isEnded = driver.ended.then(() => true);
      while (!(await Promise.race([isEnded, delay(lookEveryMs, false, { signal })])))
        looks.push(...lookAt(driver.pid, fleet));
      const delivery = resultIn(await driver.ended).metrics.delivery?.count ?? 0;
      if (delivery !== shards * samplesEach) throw new Error(`${delivery} samples came out of the merge`);
      const publishing = spanOf(looks.filter(({ isPublishing }) => isPublishing));
      const collecting = spanOf(looks.filter(({ bodies }) => bodies > 0));
      const polls = `${Math.round((publishing.statuses * 1000) / publishing.atMs)} polls per second`;
      const bodies = `${countText(fleet.asked.bodies)} bodies, ${printers.megabytes(fleet.asked.bodyBytes)}`;
      return [
        { bound: waiting, value: publishing.cpuMs / publishing.atMs, detail: polls },
        { bound: merging, value: collecting.cpuMs, detail: bodies },
        { bound: memory, value: Math.max(...looks.map(({ rssBytes }) => rssBytes)), detail: '' },
      ];
    } finally {
      await driver.stop();
      fleet.stop();
    }
  });
}

interface Look {
  atMs: number;
  cpuMs: number;
  rssBytes: number;
  statuses: number;
  bodies: number;
  isPublishing: boolean;
}

/** Reads the driver and its requests. Returns an empty list for a driver that has just ended. */
function lookAt(pid: number, fleet: SimulatedFleet): Look[] {
  const { statuses, bodies } = fleet.asked;
  const isPublishing = fleet.shards.every((shard) => shard.isPublishing);
  try {
    const seen = { cpuMs: cpuSecondsOf(pid) * 1000, rssBytes: rssBytesOf(pid) };
    return [{ atMs: performance.now(), statuses, bodies, isPublishing, ...seen }];
  } catch (error) {
    // An ended process has no memory. Soon after it has no files.
    if (isGone(error) || (error as NodeJS.ErrnoException).code === undefined) return [];
    throw error;
  }
}

function spanOf(looks: readonly Look[]): Pick<Look, 'atMs' | 'cpuMs' | 'statuses'> {
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last || first === last) throw new Error('the driver was not seen for long enough');
  return {
    atMs: last.atMs - first.atMs,
    cpuMs: last.cpuMs - first.cpuMs,
    statuses: last.statuses - first.statuses,
  };
}
