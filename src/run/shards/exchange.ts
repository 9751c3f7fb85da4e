import type { SendsQuery } from '../../contract/shard.js';
import type { Member } from './member.js';
import { NoAnswer } from './partial-body.js';
import { type AheadOfDriver, type ClockSample, monotonicOffsetOf, questions, sampleClock } from './shard-clock.js';

/** Gives each shard the sends of all others. A shard that is lost meanwhile ends the run by itself. */
export async function exchangeSends(members: readonly Member[]): Promise<void> {
  const there = members.filter(({ isOver }) => !isOver);
  const clocks = isOneClock(there) ? undefined : await Promise.all(there.map(clockOf));
  // One log at a time is in memory.
  for (const [from, member] of there.entries()) {
    const log = await member.sends();
    if (log === undefined) continue;
    await Promise.all(
      there.map(async (other, to) => {
        const clock = clocks ? relation(clocks[from], clocks[to]) : {};
        if (other !== member && clock) await other.learn(log, clock);
      }),
    );
  }
}

/** Reads a shard's clock. Undefined if the shard does not answer. */
async function clockOf({ client }: Member): Promise<AheadOfDriver | undefined> {
  const looks: ClockSample[] = [];
  try {
    while (looks.length < questions) looks.push(await sampleClock(client));
    return monotonicOffsetOf(looks);
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}

function isOneClock(members: readonly Member[]): boolean {
  const clockIds = new Set(members.map(({ info }) => info?.clockId));
  return clockIds.size === 1 && !clockIds.has(undefined);
}

/** Relates two clocks. Undefined if one is not known. */
function relation(from: AheadOfDriver | undefined, to: AheadOfDriver | undefined): SendsQuery | undefined {
  if (!from || !to) return undefined;
  return { shiftMs: to.aheadMs - from.aheadMs, errorMs: from.errorMs + to.errorMs };
}
