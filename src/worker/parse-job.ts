import { type Job, resolveJob } from '../scenarios/job.js';
import { scenarioByName } from '../scenarios/list.js';

/** Checks a job body whole. Throws `ProblemError` with every problem at once. */
export function parseJob(body: unknown): Job {
  return resolveJob(body, scenarioByName);
}
