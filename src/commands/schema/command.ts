import { Argument, type Command } from 'commander';
import { z } from 'zod';
import { jobRequest } from '../../contract/job.js';
import { calibration } from '../../results/calibration.js';
import { comparison } from '../../results/comparison.js';
import { diff } from '../../results/diff.js';
import { publishedFile } from '../../results/published.js';
import { runResult } from '../../results/result.js';
import { history } from '../history/history.js';
import { reproduction } from '../reproduce/reproduction.js';
import { finding } from '../search/finding.js';
import { knee } from '../search/knee/schema.js';
import { suiteResult } from '../suite/book.js';
import { suiteFile } from '../suite/suite-file.js';

const schemas: Readonly<Record<string, z.ZodType>> = {
  result: runResult,
  comparison,
  finding,
  knee,
  diff,
  history,
  reproduction,
  calibration,
  published: publishedFile,
  suite: suiteFile,
  'suite-result': suiteResult,
  job: jobRequest,
};

/** `ringside schema WHAT`: the JSON schema of a kept file, of what a command prints with `--json`, of a suite's file or of a job body. */
export function define(command: Command): void {
  command.addArgument(new Argument('<what>', 'whose schema').choices(Object.keys(schemas))).action((what: string) => {
    const schema = schemas[what];
    if (!schema) throw new Error(`no schema ${what}`);
    process.stdout.write(`${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`);
  });
}
