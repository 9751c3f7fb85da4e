import { slotOrder } from '../../src/measure/paired/slots.js';
import type { Rounds } from '../../src/measure/paired/starts.js';
import { drawsOf } from '../../src/measure/stats/bootstrap.js';

/** A machine that several others share, and servers of known latency on it. */
export interface NoisyMachine {
  seed: number;
  /** By target, the natural logarithm of its latency over that of a server of 2 ms. */
  truth: readonly number[];
  starts: number;
  rounds: number;
  /** Standard deviation of a target's logarithm from start to start. */
  betweenStarts: number;
  /** Share of broadcasts that a stall of 5 to 150 ms hits. */
  stalls: number;
  /** Episodes of 4 s at twice the latency begin this far apart, on average. */
  episodesEveryS: number;
}

const slotS = 0.05;
const spread = 0.15;
const driftShare = 0.1;
const baseMs = 2;

/** What the broadcasts of a paired comparison take on that machine, by start, by round, by target; as logarithms. */
export function measuredOn(machine: NoisyMachine): Rounds[] {
  const draw = drawsOf(machine.seed);
  const uniform = (): number => (draw(1_000_003) + 0.5) / 1_000_003;
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const phase = uniform() * 2 * Math.PI;
  let nowS = 0;
  let slowUntilS = 0;
  let nextEpisodeS = uniform() * machine.episodesEveryS;
  const broadcast = (own: number): number => {
    nowS += slotS;
    if (nowS > nextEpisodeS) {
      slowUntilS = nowS + 4;
      nextEpisodeS = nowS + 4 + 2 * (machine.episodesEveryS - 4) * uniform();
    }
    const drift = driftShare * Math.sin((2 * Math.PI * nowS) / 60 + phase);
    const took = Math.log(baseMs) + own + drift + spread * normal() + (nowS < slowUntilS ? Math.log(2) : 0);
    return uniform() < machine.stalls ? Math.log(Math.exp(took) + 5 * 30 ** uniform()) : took;
  };
  return Array.from({ length: machine.starts }, (_, start) => {
    nowS += 2;
    const own = machine.truth.map((each) => each + machine.betweenStarts * normal());
    return slotOrder(machine.seed + start, own.length, machine.rounds).map((order) => {
      const round = new Array<number>(own.length).fill(Number.NaN);
      for (const target of order) round[target] = broadcast(own[target] as number);
      return round;
    });
  });
}
