import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scriptJson } from './document.js';
import { html } from './markup.js';

it('escapes what is filled in, keeps markup, joins lists and leaves out nothing', () => {
  expect(
    html`<p title="${'a"b'}">${"<&'"}${html`<b>${7}</b>`}${['x', html`<i>y</i>`]}${null}${undefined}${false}</p>`.text,
  ).toBe('<p title="a&quot;b">&lt;&amp;&#39;<b>7</b>x<i>y</i></p>');
});

it('puts any JSON into a script without ending it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      const kept = { value, text: `${text}</script><!--` };
      const printed = scriptJson(kept).text;
      expect(printed).not.toContain('<');
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(kept)));
    }),
  );
});
