import { type SimulatedPlan, simulatedLoads } from './load.js';
import { SimulatedShard } from './shard.js';

/** Simulated shards in this process, as many as the plan says. */
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

  /** For the variable `SHARDS` of a driver. */
  get addresses(): string {
    return this.shards.map(({ url }) => url).join();
  }

  /** How often the driver asked for a status, how many bytes it read of such answers, and how many bodies it asked for. */
  get asked(): { statuses: number; statusBytes: number; bodies: number } {
    const sum = { statuses: 0, statusBytes: 0, bodies: 0 };
    for (const { asked } of this.shards) {
      sum.statuses += asked.statuses;
      sum.statusBytes += asked.statusBytes;
      sum.bodies += asked.bodies;
    }
    return sum;
  }

  stop(): void {
    for (const shard of this.shards) shard.stop();
  }
}
