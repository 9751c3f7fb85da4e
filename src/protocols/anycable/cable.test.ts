import { expect, test } from 'vitest';
import { signStream } from '../../../test/sign-stream.js';
import { isSigned, pubsubChannel } from './cable.js';

test('signStream signs as anycable-go verifies', () => {
  // Accepted by anycable-go 1.6.16 with --streams_secret=s3cret.
  expect(signStream('a<b>&"q"/é', 's3cret')).toBe(
    'ImE8Yj4mXCJxXCIvw6ki--7f27f4b2c2d462604ba5ecc5019f5aefb603b6cb16a3be962cd8a219729b4b51',
  );
});

test('two hyphens tell a signed name from a public one', () => {
  expect(isSigned('bench-7')).toBe(false);
  expect(pubsubChannel.identifierOf('bench-7')).toBe('{"channel":"$pubsub","stream_name":"bench-7"}');
  expect(pubsubChannel.identifierOf('ImI=--0f')).toBe('{"channel":"$pubsub","signed_stream_name":"ImI=--0f"}');
});
