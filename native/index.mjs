import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { built } from './compile.mjs';
import { packageOf, thisPlatform } from './platforms.mjs';

const require = createRequire(import.meta.url);

function loaded(place) {
  try {
    return { addon: require(place) };
  } catch (error) {
    const [line] = error.message.split('\n');
    return error.code === 'MODULE_NOT_FOUND' ? {} : { lack: `the addon could not be loaded: ${line}` };
  }
}

/** The addon of the package for this platform, or why that does not load; nothing if the package is not there. */
export function prebuilt() {
  // One for the other C library may load, and fail later.
  return loaded(packageOf(thisPlatform()));
}

/** The addon for this process, or in a sentence why there is none. `TEST_ADDON` is the path of another one. */
export function loadAddon() {
  const { TEST_ADDON: other } = process.env;
  if (other !== undefined) return loaded(other);
  const packed = prebuilt();
  if (packed.addon) return packed;
  if (existsSync(built.addon)) return loaded(built.addon);
  if (packed.lack) return packed;
  if (existsSync(built.lack)) return { lack: readFileSync(built.lack, 'utf8') };
  return { lack: 'the install script of ringside-native did not run' };
}
