import { chmodSync, cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('..', import.meta.url));
const sources = fileURLToPath(new URL('../..', import.meta.url));

// The compiler leaves what it once made of other sources and with other options. The package would hold it.
for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const isMade = path.endsWith('.js') && !path.endsWith('.test.js') && existsSync(sources + path.replace(/js$/, 'ts'));
  if (/\.js(\.map)?$/.test(path) && !isMade) rmSync(dist + path);
}

// The compiler drops the executable bit that a `bin` needs in a checkout.
chmodSync(`${dist}src/cli/main.js`, 0o755);

// What `ringside install` installs is pinned beside the servers.
rmSync(`${dist}servers/needs`, { recursive: true, force: true });
cpSync(`${sources}servers/needs`, `${dist}servers/needs`, { recursive: true });
