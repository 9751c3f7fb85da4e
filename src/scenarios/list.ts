import { connect } from './connect/index.js';
import { idle } from './idle/index.js';
import { latency } from './latency/index.js';
import type { Scenario } from './scenario.js';

/** Every scenario; a new one is a folder beside `latency` and a line here. */
export const scenarios: readonly Scenario[] = [latency, idle, connect] as unknown as readonly Scenario[];

/** The scenario of that name, if there is one. */
export function scenarioByName(name: string): Scenario | undefined {
  return scenarios.find((scenario) => scenario.name === name);
}
