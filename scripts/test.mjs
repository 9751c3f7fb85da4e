import { spawnSync } from 'node:child_process';

/*
 * Runs npm scripts one after the other, up to the first that fails, and prints how long each took. An argument is a
 * script with what follows it, such as `docs -- --check`.
 * It is JavaScript because its first stage is the build.
 */
const stages = process.argv.slice(2);
const took = [];
let status = 0;

for (const stage of stages) {
  const from = performance.now();
  // A stage that a signal ended has no status.
  status = spawnSync('npm', ['run', '--silent', ...stage.split(' ')], { stdio: 'inherit' }).status ?? 1;
  took.push([stage, performance.now() - from]);
  if (status !== 0) break;
}

const total = took.reduce((sum, [, ms]) => sum + ms, 0);
for (const [stage, ms] of [...took, ['all', total]]) {
  process.stdout.write(`${stage.padEnd(18)}${(ms / 1000).toFixed(1).padStart(7)} s\n`);
}
if (status !== 0) process.stdout.write(`${took.at(-1)[0]} failed\n`);
process.exitCode = status;
