import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyEdits } from '../text-edits.ts'
import { findImageUrls, isAssetName } from './image-urls.ts'

const urls = (inside: string) => findImageUrls(`<template>${inside}</template>`).map(({ url }) => url)

it.each<[string, string, readonly string[]]>([
  [
    'attributes with any quotes',
    `<img src="a"><img src='b'><img src=c><img  SRC = " d " >`,
    ['a', 'b', 'c', 'd'],
  ],
  [
    'srcset',
    '<img srcset="a 1x, data:image/png;base64,AA== 2x,b 3x">',
    ['a', 'data:image/png;base64,AA==', 'b'],
  ],
  ['picture', '<picture><source srcset="a"><img src="b"></picture>', ['a', 'b']],
  ['SVG', '<svg><image href="a"/><image xlink:href="b"/><feImage href="c"/></svg>', ['a', 'b', 'c']],
  ['poster and background', '<video poster="a"></video><table background="b"></table>', ['a', 'b']],
  [
    'style attributes',
    `<p style="background: url( 'a b' ), url(&quot;c&quot;), url(d)"></p>`,
    ['a b', 'c', 'd'],
  ],
  ['style elements', '<style>p { background: url("a"), URL(b) }\n</style>', ['a', 'b']],
  ['nothing else', '<a href="a"></a><script src="b"></script><use href="c"/><p title="url(d)"></p>', []],
])('finds the URLs of images in %s', (_, inside, expected) => {
  expect(urls(inside)).toEqual(expected)
})

it('ignores what is outside the template', () => {
  expect(findImageUrls('<img src="a"><template><img src="b"></template><img src="c">')).toMatchObject([
    { url: 'b' },
  ])
})

it.each([
  ['logo', true],
  [' my logo.png ', true],
  ['images/logo', true],
  ['', false],
  ['/logo', false],
  ['//example.com', false],
  ['#id', false],
  ['https://example.com/logo', false],
  ['data:,x', false],
])('%j may be a name: %s', (url, expected) => {
  expect(isAssetName(url)).toBe(expected)
})

it('returns ranges of the text that can be replaced, in any text', () => {
  const part = fc.constantFrom(
    ...[
      '<template>',
      '<img src="',
      "<p style='",
      'url(',
      ')',
      '"',
      "'",
      '>',
      '<style>',
      '</style>',
      '&quot;',
    ],
    ...['srcset=', ' ', ',', 'name', '<svg><image xlink:href=', '\n', '</template>', '=', '/'],
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const source = `<template>${parts.join('')}`
      const found = findImageUrls(source)
      for (const { url, from, to } of found) expect(source.slice(from, to)).toBe(url)
      const edits = found.map(({ from, to }) => ({ from, to, replacement: '' }))
      const removed = found.reduce((sum, { url }) => sum + url.length, 0)
      expect(applyEdits(source, edits)).toHaveLength(source.length - removed)
    }),
  )
})
