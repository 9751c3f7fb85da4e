import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes } from '../src/contract/exit-codes.js';
import { count } from '../src/units/words.js';
import { type Holder, whileHeld } from './bench-rig/processes/held.js';
import { rssBytesOf } from './bench-rig/processes/process-status.js';
import { readSoakFlags, type SoakFlags } from './soak/flags.js';
import { growthOf } from './soak/growth.js';

const readingEveryMs = 5000;
const readingsPerMinute = 60_000 / readingEveryMs;
const rampPerSecond = 1000;
const mostGrowth = 0.05;

/** Holds connections for minutes in one bench-runner and fails when its memory grows: exit code 1, and 130 when it was interrupted. */
async function soak({ minutes, connections }: SoakFlags): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => controller.abort());
  const holdMs = minutes * 60_000;
  process.stderr.write(`${count(connections)} connections, ${minutes} min; RSS of the bench-runner in MB\n`);
  try {
    const { value: readings, result } = await whileHeld({ connections, rampPerSecond, holdMs }, signal, (holder) =>
      readAll(holder, holdMs, signal),
    );
    const growth = growthOf(readings, readingsPerMinute);
    const isKept = growth <= mostGrowth;
    const { held, lost } = result.ledger;
    const word = `${isKept ? 'kept' : 'BROKEN'}: ${percent(growth)}, bound ${percent(mostGrowth)}`;
    process.stdout.write(`${word}; held and proven ${held}, lost ${lost}, verdict ${result.verdict.rig}\n`);
    return isKept ? exitCodes.clean.code : exitCodes.bug.code;
  } catch (error) {
    if (!signal.aborted) throw error;
    return exitCodes.interrupted.code;
  }
}

/** Reads the memory every five seconds of the hold, and prints each minute of it in a line. */
async function readAll({ pid, idleRssBytes }: Holder, holdMs: number, signal: AbortSignal): Promise<number[]> {
  process.stdout.write(`before  ${megabytes(idleRssBytes)}\n`);
  const readings: number[] = [];
  // The last one is due a reading before the hold ends: none may fall into the probe.
  for (let dueMs = 0; dueMs < holdMs; dueMs += readingEveryMs) {
    readings.push(rssBytesOf(pid));
    if (readings.length % readingsPerMinute === 0) {
      const line = readings.slice(-readingsPerMinute).map(megabytes).join(' ');
      process.stdout.write(`${String(readings.length / readingsPerMinute).padStart(2)} min  ${line}\n`);
    }
    await delay(readingEveryMs, undefined, { signal });
  }
  return readings;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function percent(share: number): string {
  return `${share >= 0 ? '+' : ''}${(share * 100).toFixed(1)} %`;
}

function flagsOrExit(): SoakFlags {
  try {
    return readSoakFlags(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\nsoak [--minutes 10] [--connections 5000]\n`);
    return process.exit(exitCodes.input.code);
  }
}

process.exitCode = await soak(flagsOrExit());
