import { expect, it } from 'vitest'
import { particleDocument } from './particle-document.ts'

const lineOf = (text: string, what: string) => text.slice(0, text.indexOf(what)).split('\n').length

it('keeps what the template holds on the lines of the source', () => {
  const source = `<!doctype html>
<html><body><p>outside</p>
<template id="t">
  <div data-composition-id="a"></div>
  <script>one()</script></template></body></html>`
  const document = particleDocument(source) ?? ''
  expect(lineOf(document, 'one()')).toBe(lineOf(source, 'one()'))
  expect(document).not.toContain('outside')
  expect(document).toContain('  <div data-composition-id="a"></div>')
})

it('lets scripts find what the template itself declares', () => {
  const document = particleDocument("<template data-composition-id='a\"b' data-width=9>x</template>")
  expect(document).toContain('data-composition-id="a&quot;b" data-width="9">x</div>')
})

it('takes a template that is not closed to the end, and tells when there is none', () => {
  expect(particleDocument('<template><b>x')).toContain('<b>x')
  expect(particleDocument('<p>x</p>')).toBeUndefined()
})
