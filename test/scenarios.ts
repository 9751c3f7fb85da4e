import { scenarioByName } from '../src/scenarios/list.js';
import type { Scenario } from '../src/scenarios/scenario.js';

/** A scenario of the list. */
export const scenarioCalled = (name: string): Scenario => scenarioByName(name) as Scenario;

export const latency = scenarioCalled('latency');
