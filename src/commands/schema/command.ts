import { z } from 'zod';
import { jobRequest } from '../../contract/job.js';
import { diff } from '../../results/diff.js';
import { experiment } from '../../results/experiment.js';
import { publishedFile } from '../../results/published.js';
import { runResult } from '../../results/result.js';
import { jsonText } from '../../units/text.js';
import { plain } from '../command.js';
import { drillResult } from '../drill/findings.js';
import { history } from '../history/history.js';
import { suiteFile } from '../suite/read.js';

const schemas: Readonly<Record<string, z.ZodType>> = {
  result: runResult,
  experiment,
  diff,
  history,
  drill: drillResult,
  published: publishedFile,
  suite: suiteFile,
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
