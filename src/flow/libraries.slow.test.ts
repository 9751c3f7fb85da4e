import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { besideLibraries, libraryFlows, titleOf, whyNotHere } from '../../test/flow-libraries.js';
import { keptResult, voidedBy, workplace } from '../../test/workplace.js';
import { flowLibrariesNeed } from '../targets/needs/list.js';
import { packageFile } from '../units/package-files.js';

const place = workplace();
const [clients, requests] = [5, 20];

/** Sockets of each client: a document has two copies. */
const sockets = (name: string): number => (name === 'hocuspocus' ? 2 : 1);
/** Servers that end the socket themselves, once the client has said goodbye in its protocol. */
const endsItself = ['mqtt', 'colyseus'];

describe.concurrent.each(libraryFlows)('$name', ({ name, needs, serve }) => {
  const why = whyNotHere(needs);

  // The library takes the class of the engine, unchanged. All that it asks is answered, and it ends by itself.
  it.skipIf(why).each(['native', 'js'])(titleOf(`${name} runs on the %s engine`, why), async (engine) => {
    const port = await serve(place);
    const flow = besideLibraries(place, `test/flows/${name}.flow.ts`);
    const load = ['--clients', `${clients}`, '--duration', '20s', '--engine', engine];
    const result = keptResult(
      await place.run(['run', 'flow', flow, '--target-url', `ws://127.0.0.1:${port}`, ...load]),
    );
    const connects = clients * sockets(name);
    expect(result.ledger).toMatchObject({
      ...{ begun: clients, finished: clients, ended: 0, left: 0 },
      ...{ connects, connected: connects, notConnected: 0, cut: endsItself.includes(name) ? expect.any(Number) : 0 },
      ...{ checks: clients * requests, checksKept: clients * requests, checksBroken: 0, checksNotReached: 0 },
      ...{ streamLost: 0, threw: 0 },
    });
    expect([result.stop.code, voidedBy(result)]).toEqual(['completed', []]);
  });
});

const why = whyNotHere([flowLibrariesNeed]);

it.skipIf(why)(titleOf('flows with client libraries fit the types of these', why), () => {
  const [ofTests, ofExamples] = ['test/flows/mqtt.flow.ts', 'examples/flows/mqtt-telemetry.ts'].map((path) =>
    dirname(besideLibraries(place, path)),
  );
  const compilerOptions = {
    ...{ noEmit: true, rootDir: '/', typeRoots: [packageFile('node_modules/@types')] },
    paths: { 'ringside-bench/flow': [packageFile('src/flow/index.ts')] },
  };
  const include = [`${ofTests}/*.ts`, ...['mqtt', 'graphql'].map((name) => `${ofExamples}/${name}-*.ts`)];
  const project = join(place.folder, 'beside-libraries/tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({ extends: packageFile('tsconfig.json'), compilerOptions, include, exclude: [] }),
  );
  const compiler = packageFile('node_modules/typescript/bin/tsc');
  expect(() => execFileSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' })).not.toThrow();
});
