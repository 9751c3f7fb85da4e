import { z } from 'zod';
import { calibration } from './calibration.js';
import { comparison } from './comparison.js';
import { unfinished } from './journal.js';
import { finding, knee } from './search.js';
import { suiteResult } from './suite.js';

/**
 * Describes `experiment.json`: several runs with a question. `kind` names the question, and a comparison or a knee may
 * have a published table beside it.
 */
export const experiment = z.discriminatedUnion('kind', [
  comparison,
  finding,
  knee,
  calibration,
  suiteResult,
  unfinished,
]);

export type Experiment = z.output<typeof experiment>;
