import { runSibling } from '../siblings/sibling.js';
import { UwsApp } from './app.js';
import { compressionSettings, loadUws } from './library.js';

export interface UwsFacts {
  /** Folder of `--packages`. */
  packages?: string | undefined;
  compression?: string | undefined;
}

await runSibling<UwsFacts>(({ packages, ...facts }, say) => {
  return new UwsApp(loadUws('uws', packages), {
    settings: compressionSettings(facts),
    relay: (stream, text) => say({ kind: 'publish', stream, text }),
  });
});
