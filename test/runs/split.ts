import { expect } from 'vitest';
import { splitJob, wholeSplit } from '../split-job.js';
import { workplace } from '../workplace.js';

const place = workplace();

/** Runs the job against a target, split over so many shards of this machine, and checks it. */
export async function splitRun(target: string, of: number): Promise<void> {
  const driver = place.ringside(['run', 'latency', '--target', target, '--local-shards', String(of), ...splitJob]);
  const ended = await driver.ended;
  expect(driver.family()).toEqual([]);
  wholeSplit(ended, of);
}
