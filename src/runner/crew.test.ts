import { afterEach, describe, expect, it } from 'vitest';
import { jobTo } from '../../test/runner-http.js';
import { parseJob } from '../worker/parse-job.js';
import { Crew } from './crew.js';

const crews: Crew[] = [];

/** A crew of a publisher and two audiences that run that program, and what it tells of those that broke. */
function crewOf(program: string): { crew: Crew; broken: string[] } {
  const broken: string[] = [];
  const body = jobTo(9);
  const events = { log: () => undefined, gaveUp: () => undefined, broke: (error: Error) => broken.push(error.message) };
  const entry = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const crew = new Crew(parseJob(body), body, 2, 0, events, entry);
  crews.push(crew);
  return { crew, broken };
}

afterEach(async () => {
  await Promise.all(crews.splice(0).map((crew) => crew.dismiss()));
});

const imports = "import { parentPort, workerData } from 'node:worker_threads';";
const reports = "parentPort.postMessage({ type: 'report', report: { counts: {} } }); parentPort.close();";

describe('a worker', () => {
  it('that ends without a word is broken, and its stage is over', async () => {
    const { crew, broken } = crewOf(
      `${imports} parentPort.on('message', () => { if (workerData.index === 1) process.exit(7); parentPort.postMessage({ type: 'stageDone', name: 'ramp' }); });`,
    );
    await crew.stage('ramp', 0, 0);
    expect(broken).toEqual(['audience 1 ended before it reported, with code 7']);
  });

  it('that fails is told of once', async () => {
    const { crew, broken } = crewOf(`${imports} parentPort.on('message', () => { throw new Error('a fault'); });`);
    expect(await crew.report()).toEqual([]);
    expect(broken).toEqual(['a fault', 'a fault', 'a fault']);
  });

  it('that has reported may end', async () => {
    const { crew, broken } = crewOf(`${imports} parentPort.on('message', () => { ${reports} });`);
    expect((await crew.report()).length).toBe(3);
    await crew.dismiss();
    expect(broken).toEqual([]);
  });
});
