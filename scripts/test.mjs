import { spawn } from 'node:child_process';
import { once } from 'node:events';

/*
 * Runs npm scripts one after the other, up to the first that fails, and prints how long each took. An argument is a
 * script with what follows it, such as `docs -- --check`, or several that run at once, with ` & ` between them.
 * It is JavaScript because its first stage is the build.
 */
const stages = process.argv.slice(2);
const took = [];
let status = 0;

async function statusOf(script) {
  const [code] = await once(spawn('npm', ['run', '--silent', ...script.split(' ')], { stdio: 'inherit' }), 'exit');
  // A script that a signal ended has no code.
  return code ?? 1;
}

for (const stage of stages) {
  const from = performance.now();
  status = Math.max(...(await Promise.all(stage.split(' & ').map(statusOf))));
  took.push([stage, performance.now() - from]);
  if (status !== 0) break;
}

const total = took.reduce((sum, [, ms]) => sum + ms, 0);
for (const [stage, ms] of [...took, ['all', total]]) {
  process.stdout.write(`${stage.padEnd(24)}${(ms / 1000).toFixed(1).padStart(7)} s\n`);
}
if (status !== 0) process.stdout.write(`${took.at(-1)[0]} failed\n`);
process.exitCode = status;
