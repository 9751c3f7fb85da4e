import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { collectedMemory, withInspector } from './memory.js';
import { inspectorFlags, inspectorLine } from './program.js';

/** Keeps `kept` bytes and leaves an object behind. Says when that is collected, and ends in the end. */
const garbage = (name: string, kept: number): string => `
  globalThis.kept = Array.from({ length: ${kept} / 8 }, (_, i) => i + 0.5);
  globalThis.registry = new FinalizationRegistry((name) => process.stdout.write(name + ' collected\\n'));
  registry.register({ left: true }, '${name}');
  setTimeout(() => process.exit(), 60_000);
  process.stdout.write('${name} ready\\n');
`;
const keptBytes = 8_000_000;
const main = `
  const { Worker } = require('node:worker_threads');
  for (const _each of [1, 2]) new Worker(${JSON.stringify(garbage('worker', keptBytes))}, { eval: true });
  ${garbage('main', 0)}
`;

let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

/** A process with two workers, where its inspector listens, and what it said. */
async function started() {
  const lines: string[] = [];
  child = spawn(process.execPath, [...inspectorFlags, '-e', main], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [createInterface(child.stdout!), createInterface(child.stderr!)];
  const named = new Promise<string>((resolve) => {
    stderr.on('line', (line) => {
      const [, address] = inspectorLine.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  stdout.on('line', (line) => lines.push(line));
  const said = async (text: string, times: number): Promise<void> => {
    while (lines.filter((line) => line === text).length < times) await once(stdout, 'line');
  };
  await Promise.all([said('main ready', 1), said('worker ready', 2)]);
  return { pid: child.pid!, inspector: await named, said };
}

it('collects the garbage of the main thread and of each worker, and tells what each heap then uses', async () => {
  const { inspector, said } = await started();
  const used = await withInspector(inspector, (all) => all.collect());
  await Promise.all([said('main collected', 1), said('worker collected', 2)]);
  expect(used).toHaveLength(3);
  for (const bytes of used.slice(1)) expect(bytes).toBeGreaterThan(keptBytes);
});

it('reads the memory of a process, with the heaps of all its isolates', async () => {
  const { rssBytes, heapBytes } = await collectedMemory(await started());
  expect(heapBytes).toBeGreaterThan(2 * keptBytes);
  expect(rssBytes).toBeGreaterThan(heapBytes);
});

it('throws if the process ends meanwhile', async () => {
  const { inspector } = await started();
  const asked = withInspector(inspector, (all) => {
    child?.kill('SIGKILL');
    return all.collect();
  });
  await expect(asked).rejects.toThrow('did not answer');
});
