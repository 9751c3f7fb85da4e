import { z } from 'zod';
import { calibration } from './calibration.js';
import { comparison } from './comparison.js';
import { unfinished } from './journal.js';
import { finding, knee } from './search.js';
import { suiteResult } from './suite.js';

/** Describes `experiment.json`: several runs with a question, which `kind` names. */
export const experiment = z.discriminatedUnion('kind', [
  comparison,
  finding,
  knee,
  calibration,
  suiteResult,
  unfinished,
]);

export type Experiment = z.output<typeof experiment>;
