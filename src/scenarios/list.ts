import { avalanche } from './avalanche/index.js';
import { connect } from './connect/index.js';
import { deploy } from './deploy/index.js';
import { echo } from './echo/index.js';
import { game } from './game/index.js';
import { idle } from './idle/index.js';
import { jitter } from './jitter/index.js';
import { latency } from './latency/index.js';
import { withLogins } from './logins.js';
import type { Scenario } from './scenario.js';
import { soakAndBurst } from './soak-and-burst/index.js';
import { steps } from './steps/index.js';
import { throughput } from './throughput/index.js';
import { whisper } from './whisper/index.js';

const list = [
  latency,
  idle,
  connect,
  jitter,
  throughput,
  whisper,
  echo,
  avalanche,
  deploy,
  steps,
  soakAndBurst,
  game,
] as unknown as readonly Scenario[];

/** Every scenario; a new one is a folder beside `latency`, and a line above. */
export const scenarios: readonly Scenario[] = list.map(withLogins);

export function scenarioByName(name: string): Scenario | undefined {
  return scenarios.find((scenario) => scenario.name === name);
}
