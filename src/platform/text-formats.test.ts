import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html, Html } from './text-formats.ts'

test('text is escaped, in elements and in attributes', () => {
  const hostile = `<script>"a" & 'b'`
  expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
    '<p title="&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;">&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;</p>',
  )
})

test('inserted text never contains markup', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '\\', '$', '`', 'a') }),
      (text) => {
        expect(html`${text}`.text).not.toMatch(/[<>"']|&(?!\w+;|#39;)/)
      },
    ),
  )
})

test('HTML is inserted unchanged, lists are joined, and absent values are omitted', () => {
  const items = [1, 2].map((each) => html`<b>${each}</b>`)
  const absent: string | undefined = undefined
  expect(html`${items}${absent}${false}${new Html('<br>')}`.text).toBe('<b>1</b><b>2</b><br>')
})
