import { z } from 'zod';
import { jobRequest } from '../../contract/job.js';
import { calibration } from '../../results/calibration.js';
import { comparison } from '../../results/comparison.js';
import { diff } from '../../results/diff.js';
import { publishedFile } from '../../results/published.js';
import { runResult } from '../../results/result.js';
import { jsonText } from '../../units/text.js';
import { plain } from '../command.js';
import { drillResult } from '../drill/schema.js';
import { history } from '../history/history.js';
import { reproduction } from '../reproduce/reproduction.js';
import { findResult } from '../search/find/answer.js';
import { knee } from '../search/knee/row.js';
import { suiteResult } from '../suite/book.js';
import { suiteFile } from '../suite/read.js';

const schemas: Readonly<Record<string, z.ZodType>> = {
  result: runResult,
  comparison,
  finding: findResult,
  knee,
  diff,
  history,
  reproduction,
  calibration,
  drill: drillResult,
  published: publishedFile,
  suite: suiteFile,
  'suite-result': suiteResult,
  job: jobRequest,
};

/** `ringside schema WHAT`: prints the JSON schema of a kept file, a `--json` document, a suite file or a job body. */
export const command = plain({
  arguments: [{ form: '<what>', help: 'document to describe', choices: Object.keys(schemas) }],
  examples: ['schema result'],
  async run(session, { args: [what = ''] }) {
    session.print(jsonText(z.toJSONSchema(schemas[what] as z.ZodType, { io: 'input' })));
  },
});
