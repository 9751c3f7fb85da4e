import { setTimeout as delay } from 'node:timers/promises';
import { isGone } from '../../../src/targets/observe/proc/files.js';
import { countText } from '../../../src/units/text.js';
import { type Bench, type Bound, printers } from '../bench.js';
import { cpuSecondsOf, rssBytesOf } from '../processes/child.js';
import { CliProcess, resultIn } from '../processes/cli-process.js';
import { withDirectory } from '../processes/places.js';
import { type SimulatedPlan, simulatedJob, simulatedLoads } from '../simulated/load.js';
import { type AskedOfShard, SimulatedShard } from '../simulated/shard.js';

/** Runs simulated shards in this process, as many as the plan requires. */
export class SimulatedFleet {
  readonly shards: readonly SimulatedShard[];

  private constructor(shards: readonly SimulatedShard[]) {
    this.shards = shards;
  }

  static async start(plan: SimulatedPlan): Promise<SimulatedFleet> {
    return new SimulatedFleet(
      await Promise.all((await simulatedLoads(plan)).map((load) => SimulatedShard.start(load))),
    );
  }

  /** Returns the value of the variable `SHARDS` for a driver. */
  get addresses(): string {
    return this.shards.map(({ url }) => url).join();
  }

  /** Sums the requests of the driver to all shards. */
  get asked(): AskedOfShard {
    const sum: AskedOfShard = { statuses: 0, statusBytes: 0, bodies: 0, bodyBytes: 0 };
    for (const { asked } of this.shards) {
      sum.statuses += asked.statuses;
      sum.statusBytes += asked.statusBytes;
      sum.bodies += asked.bodies;
      sum.bodyBytes += asked.bodyBytes;
    }
    return sum;
  }

  stop(): void {
    for (const shard of this.shards) shard.stop();
  }
}

const samplesEach = 1_000_000;
const withinMs = 600_000;
const lookEveryMs = 200;

const waiting: Bound = {
  what: 'driver CPU while 200 simulated shards publish',
  atMost: 0.5,
  print: (cores) => `${(cores * 100).toFixed(1)} % of a core`,
};
const merging: Bound = {
  what: 'driver CPU to fetch, merge and keep 200 × 1,000,000 samples',
  atMost: 20_000,
  print: printers.seconds,
};
const memory: Bound = { what: 'most memory of that driver', atMost: 1e9, print: printers.megabytes };

/** Runs one driver and 200 simulated shards over HTTP. All times are CPU time of the driver alone. */
export const scale: Bench = {
  name: 'scale',
  bounds: [waiting, merging, memory],
  isOnRequest: true,
  run: ({ signal, isQuick }) =>
    withDirectory(async (directory) => {
      const shards = isQuick ? 20 : 200;
      const publishMs = isQuick ? 5000 : 15_000;
      const broadcastsEach = 100;
      const plan = {
        ...{ shards, subscribersEach: samplesEach / broadcastsEach, broadcastsEach, metrics: ['delivery'] },
        ...{ publishMs, otherMs: 500 },
      };
      const fleet = await SimulatedFleet.start(plan);
      const addresses = fleet.shards.flatMap(({ url }) => ['--shard', url]);
      const driver = new CliProcess(
        [...simulatedJob(plan), ...addresses, '--json', '--results', directory],
        signal,
        withinMs,
      );
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
    }),
};

/** Describes a driver and its requests at one instant. */
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

/** Returns the differences between the first reading and the last. */
function spanOf(looks: readonly Look[]): Pick<Look, 'atMs' | 'cpuMs' | 'statuses'> {
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last || first === last) throw new Error('the driver was not seen for long enough');
  return {
    atMs: last.atMs - first.atMs,
    cpuMs: last.cpuMs - first.cpuMs,
    statuses: last.statuses - first.statuses,
  };
}
