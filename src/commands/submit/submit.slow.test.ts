import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { flowFiles } from '../../../test/flow-files.js';
import { served } from '../../../test/flow-libraries.js';
import { attach, attachedResult, place, wholeLedger, wholeRun } from '../../../test/runs/attach.js';
import { commandLineOf, type SubmittedFiles, type SubmittedJob, submitted } from '../../../test/runs/submit.js';
import { keptResult } from '../../../test/workplace.js';
import { packageFile } from '../../units/package-files.js';

it.concurrent('the driver of a manifest runs as it says there, and attach fetches the whole run', async () => {
  const { args, shards } = await wholeRun();
  const { stdout, stderr } = await place.run(submitted(args));
  const [, runId = ''] = /ringside attach ([0-9a-f]{8})/.exec(stderr) ?? [];
  const driver = place.ringside(commandLineOf(parse(stdout) as SubmittedJob));
  const [second, left] = await Promise.all([
    driver.said('stderr', / publish /).then(() => attachedResult(attach({ runId, shards }), { runId })),
    driver.ended,
  ]);
  expect(left.code).toBe(0);
  expect(second.stop.code).toBe('completed');
  expect(second.ledger).toMatchObject(wholeLedger);
});

const flow = flowFiles({
  'unlucky.ts': `export default { async client(me) {
  const conn: Conn = await me.open('/');
  if (me.number === 3) throw new Error('bad luck');
  await conn.close();
} };
interface Conn { close(): Promise<void> }`,
})('unlucky.ts');

it.concurrent('a flow runs from the Secret of a manifest as from its file, with its lines', async () => {
  const [port, runner] = await Promise.all([
    served(place, packageFile('test/flows/servers/rough.mjs')),
    place.benchRunner(['--allow-modules']),
  ]);
  const shards = ['--shard', `http://127.0.0.1:${runner.port}`];
  const load = ['--target-url', `ws://127.0.0.1:${port}`, '--clients', '7', ...shards];
  const { stdout, stderr } = await place.run(submitted(['run', 'flow', flow, ...load]));
  const [, runId = ''] = /ringside attach ([0-9a-f]{8})/.exec(stderr) ?? [];
  const { items } = parse(stdout) as { items: [SubmittedFiles, SubmittedJob] };
  const folder = join(place.folder, 'modules');
  for (const { key, path } of items[1].spec.template.spec.volumes?.[0]?.secret?.items ?? []) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), Buffer.from(items[0].data[key] ?? '', 'base64'));
  }
  const driver = place.ringside(commandLineOf(items[1]).map((each) => each.replace(/^\/modules/, folder)));
  expect((await driver.ended).stderr).not.toContain('error:');
  const { ledger, stop } = keptResult(await attach({ runId, shards }).ended);
  expect(stop.code).toBe('completed');
  const leftByCause = { 'user:bad luck at unlucky.ts:3': 1 };
  expect(ledger).toMatchObject({ begun: 7, finished: 6, left: 1, connected: 7, leftByCause });
});
