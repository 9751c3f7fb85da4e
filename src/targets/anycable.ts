import { binaryOf, binaryOfPackage, binaryOnPath } from './launch/anycable-binary.js';
import { anycableServer } from './launch/anycable-server.js';

/** AnyCable: `ANYCABLE_GO_BIN`, else `anycable-go` on PATH, else what the npm package has downloaded. A wrong variable is an error, not a miss. */
export const anycable = anycableServer({
  name: 'anycable',
  summary: 'AnyCable with its in-memory broker',
  find: () => {
    const named = binaryOf('ANYCABLE_GO_BIN');
    if (named !== undefined) return named;
    const [onPath, ofPackage] = [binaryOnPath(), binaryOfPackage()];
    const found = [onPath, ofPackage].find((place) => place !== undefined && 'path' in place);
    return (
      found ??
      onPath ??
      ofPackage ?? { why: 'there is no anycable-go: not in ANYCABLE_GO_BIN, not on PATH, not as an npm package' }
    );
  },
  hint: 'Set ANYCABLE_GO_BIN to an anycable-go binary, or install @anycable/anycable-go and run `npx anycable-go --version` once, online.',
});
