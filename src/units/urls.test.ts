import { expect, it } from 'vitest';
import { withoutSecrets } from './urls.js';

it('leaves out credentials and the query of an address', () => {
  expect(withoutSecrets('wss://user:hunter2@ring.example:3001/ws?jid=token#part')).toBe(
    'wss://ring.example:3001/ws#part',
  );
  expect(withoutSecrets('http://ring:7001')).toBe('http://ring:7001');
  expect(withoutSecrets('http://ring:7001/')).toBe('http://ring:7001/');
});
