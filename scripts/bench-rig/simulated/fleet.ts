import { type SimulatedPlan, simulatedLoads } from './load.js';
import { type Asked, SimulatedShard } from './shard.js';

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

  /** What the driver asked all of them for. */
  get asked(): Asked {
    const sum: Asked = { statuses: 0, statusBytes: 0, bodies: 0, bodyBytes: 0 };
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
