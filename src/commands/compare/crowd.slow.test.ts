import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Command } from '../../../test/command.js';
import { workplace } from '../../../test/workplace.js';
import { isGone, parseStat } from '../../targets/observe/proc-files.js';

const place = workplace();

it.runIf(process.platform === 'linux')('a driver that is killed leaves no server behind, stopped or not', async () => {
  const size = ['--starts', '3', '--rounds', '12', '--slot', '20ms', '--clients', '3'];
  const driver = place.ringside(['compare', 'latency', '--target', 'ws', '--target', 'socketio', ...size]);
  const stopped = await someStopped(driver);
  driver.kill('SIGKILL');
  await driver.ended;
  expect(stopped).not.toEqual([]);
  await expect.poll(() => driver.family(), { timeout: 60_000, interval: 101 }).toEqual([]);
});

/** The processes of a command that are stopped at one moment; none if it ends before there are any. */
async function someStopped(command: Command): Promise<number[]> {
  let hasEnded = false;
  void command.ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const stopped = command.family().flatMap(({ pid }) => (stateOf(pid) === 'T' ? [pid] : []));
    if (stopped.length > 0) return stopped;
    await delay(31);
  }
  return [];
}

function stateOf(pid: number): string | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).state;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
