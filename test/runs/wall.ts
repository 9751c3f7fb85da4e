import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StopCode } from '../../src/contract/stop-reasons.js';
import type { RunResult } from '../../src/results/result.js';
import { built } from '../built.js';
import type { Ended } from '../command.js';
import { type Served, workplace } from '../workplace.js';

export const place = workplace();

let files = 0;

/** A file of this test alone. */
export function written(text: string, mode = 0o600): string {
  const path = join(place.folder, `file-${files++}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** Runs against a metronome in the place of anycable-go, so that it is managed, after the shell text `setUp`. */
export function standIn(walls: string[], flags: string[], shards = 1, setUp = ':'): Promise<Ended> {
  const metronome = `exec '${process.execPath}' '${built('servers/metronome/main.js')}' --protocol=anycable`;
  // Of the flags that anycable-go takes it knows three.
  const known = `for each; do shift; case "$each" in --host=*|--port=*|--version) set -- "$@" "$each";; esac; done`;
  const start = `#!/bin/sh\n${setUp}\n${known}\n${metronome} ${walls.join(' ')} "$@"\n`;
  const env = { ANYCABLE_GO_BIN: written(start, 0o700) };
  return place.measure(['run', ...flags, '--target', 'anycable'], shards, env);
}

export const connectFlags = (connections: number, more: string[] = []): string[] => [
  ...['connect', '--clients', String(connections), '--rate', '211/s', '--stall', '1s'],
  ...more,
];

/** Checks the sums of a run of connections and its stop code; gives its stop reason. */
export function stoppedBy(code: StopCode, result: RunResult): RunResult['stop'] {
  expect(result.stop.code, result.stop.evidence.join('; ')).toBe(code);
  expect(result.verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
  return result.stop;
}

export const shardAt = ({ port }: Served): string[] => ['--shard', `http://127.0.0.1:${port}`];
