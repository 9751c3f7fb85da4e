import { X509Certificate } from 'node:crypto';

/** Why a text gives no certificate authority; undefined where it holds a certificate in PEM. */
export function pemFault(text: string): string | undefined {
  try {
    new X509Certificate(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
