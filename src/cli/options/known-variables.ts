import { calibrateOptions } from '../../commands/calibrate/calibration-grid.js';
import { reproduceOptions } from '../../commands/reproduce/plan.js';
import { kneeSchema } from '../../commands/search/knee/plan.js';
import { suiteOptions } from '../../commands/suite/command.js';
import { optionsOf, variablesOf } from '../../options/option.js';
import { bracketSchema, compareSchema, runSchema } from '../../run/plan/plan.js';
import { findOptions, leaveOptions, watchOptions } from '../../run/plan/run-options.js';
import { runnerOptions } from '../../runner/allow-list.js';
import { scenarios } from '../../scenarios/list.js';
import { homeVariable } from '../../targets/needs/need.js';

/** Returns every variable from which a command reads an option, and the one of the install folder. */
export function knownVariables(): string[] {
  const schemas = [
    ...[
      runnerOptions,
      watchOptions,
      leaveOptions,
      findOptions,
      kneeSchema,
      calibrateOptions,
      reproduceOptions,
      suiteOptions,
    ],
    ...scenarios.flatMap((each) => [runSchema(each), compareSchema(each), bracketSchema(each)]),
  ];
  return [homeVariable, ...new Set(schemas.flatMap((schema) => optionsOf(schema).flatMap(variablesOf)))];
}
