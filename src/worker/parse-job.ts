import { type Job, resolveJob } from '../scenarios/job.js';
import { scenarioByName } from '../scenarios/list.js';

export type { Job } from '../scenarios/job.js';
export { defaultWorkers } from '../scenarios/load-options.js';
export { loginStage } from '../scenarios/logins.js';
export { behindLogins, type PlannedStage, plannedStages } from '../scenarios/rounds.js';
export type { GiveUp } from '../scenarios/scenario.js';
export { engineOffer } from '../wire/choice.js';

/** Checks a job body whole. Throws `ProblemError` with every problem at once. */
export function parseJob(body: unknown): Job {
  return resolveJob(body, scenarioByName);
}
