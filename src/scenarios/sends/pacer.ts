import type { RoleContext } from '../scenario.js';
import type { SendSchedule } from './schedule.js';

/** A timer of Node has whole milliseconds. */
const leastWaitMs = 1;

/** Calls `due` for each turn of a schedule, never early, all that is due at once. Ends early on abort. */
export async function walk(
  schedule: SendSchedule,
  startAtNs: number,
  { nowNs, sleep }: Pick<RoleContext<unknown>, 'nowNs' | 'sleep'>,
  signal: AbortSignal,
  due: (client: number, number: number, intendedAtNs: number) => void,
): Promise<void> {
  const instant = (turn: number): number =>
    startAtNs + schedule.dueNs(schedule.clientOf(turn), schedule.numberOf(turn));
  for (let turn = 0; !signal.aborted; ) {
    const untilNs = nowNs();
    for (; turn < schedule.turns && instant(turn) <= untilNs; turn++) {
      due(schedule.clientOf(turn), schedule.numberOf(turn), instant(turn));
    }
    if (turn === schedule.turns) return;
    await sleep(Math.max(leastWaitMs, Math.ceil((instant(turn) - nowNs()) / 1e6)), signal);
  }
}
