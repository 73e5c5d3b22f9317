import { expect, it } from 'vitest'
import { readParticle } from '../../media/particle/read-particle.ts'
import { particleDocument } from './particle-document.ts'

const lineOf = (text: string, what: string) => text.slice(0, text.indexOf(what)).split('\n').length

it('keeps the content of the template on the lines of the source', () => {
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

it('lets scripts find the declaration of the template', () => {
  const document = particleDocument("<template data-composition-id='a\"b' data-width=9>x</template>")
  expect(document).toContain('data-composition-id="a&quot;b" data-width="9">x</reelwright-composition>')
})

it('reads an unclosed template to the end, and returns undefined without a template', () => {
  expect(particleDocument('<template><b>x')).toContain('<b>x')
  expect(particleDocument('<p>x</p>')).toBeUndefined()
})

it('uses the first template at the root, not a nested one', () => {
  const source = `<div><template>inner</template></div><template data-composition-id="a" data-width="9" data-height="9">outer</template>`
  expect(readParticle(source).declaration).toEqual({ compositionId: 'a', width: 9, height: 9 })
  expect(particleDocument(source)).toContain('data-height="9">outer</reelwright-composition>')
  expect(particleDocument('<div><template>inner</template></div>')).toBeUndefined()
})
