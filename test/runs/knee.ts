import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runResult } from '../../src/results/result.js';
import { type Knee, type KneeTry, knee } from '../../src/results/search.js';
import { built } from '../built.js';
import type { Ended } from '../command.js';
import { keptDirectory, workplace } from '../workplace.js';

export const place = workplace();

export const metronome = ['knee', '--target', 'metronome', '--ramp-rate', '1000/s', '--warm-up', '3'];

export const brief = ['--min-rate', '10/s', '--max-rate', '11/s', '--duration', '1s', '--repeat', '1'];

export const limited = [...metronome, '--target-option', 'limit=2000/s', '--clients', '20'];

export function kept(ended: Ended): Knee {
  return knee.parse(JSON.parse(readFileSync(join(keptDirectory(ended), 'experiment.json'), 'utf8')));
}

export function resultOf({ directory }: KneeTry) {
  return runResult.parse(JSON.parse(readFileSync(join(directory, 'result.json'), 'utf8')));
}

export const main = built('src/cli/main.js');
