import { soakSize } from '../../../test/soak-size.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeProblems } from './problem.ts'
import { readParticle } from './read-particle.ts'

const attributes = 'data-composition-id="a" data-width="640" data-height="360"'
const register = '<script>window.__timelines = { a: { duration: () => 1, seek() {} } }</script>'

/** A valid particle with this content added. */
const having = (inside: string) =>
  `<template ${attributes}>\n<p>text</p>\n${inside}\n${register}\n</template>`

const problemTexts = (source: string) =>
  readParticle(source).problems.map(({ severity, line, message }) => `${severity} ${line ?? '-'} ${message}`)

describe('a valid particle', () => {
  it.each([
    ['with its attributes on the template', having('')],
    [
      'with them on an element inside',
      `<template id="x"><style></style><div ${attributes}>${register}</div></template>`,
    ],
    [
      'in a whole document',
      `<!doctype html><html><head><title>t</title></head><body>${having('')}</body></html>`,
    ],
    [
      'with links that are only followed',
      having('<a href="https://example.com/">a</a><svg><use href="#b"/></svg>'),
    ],
    [
      'with all it shows',
      having('<img src="data:image/png;base64,AA=="><style>p{background:url(data:,x)}</style>'),
    ],
    ['with a library that may be installed', having('<script src="https://unpkg.com/gsap@3"></script>')],
  ])('%s has no problems', (_, source) => {
    expect(readParticle(source)).toEqual({
      declaration: { compositionId: 'a', width: 640, height: 360 },
      problems: [],
    })
  })
})

describe('images by name', () => {
  const inside = '<img src="logo">\n<p style="background: url(photo)"></p><script src="logo"></script>'
  const problems = (imageNames: readonly string[] | 'unknown') =>
    readParticle(having(inside), { imageNames }).problems.map(
      ({ severity, line, message }) => `${severity} ${line} ${message}`,
    )

  it('are errors that list the known names', () => {
    expect(problems(['cover', 'map'])).toEqual([
      expect.stringMatching(
        /^error 3 <img src="logo"> .* in composition\.assets\.file_id \(there: cover, map\)$/,
      ),
      expect.stringMatching(/^error 4 the style loads photo; .*\(there: cover, map\)$/),
      expect.stringMatching(/^error 4 <script src="logo"> is external; .* as a data: URI$/),
    ])
    expect(problems([])[0]).toMatch(/\(there: none\)$/)
  })

  it('are warnings where the names are unknown', () => {
    expect(problems('unknown').map((problem) => problem.split(' ', 2).join(' '))).toEqual([
      'warning 3',
      'warning 4',
      'error 4',
    ])
  })
})

describe('problems are reported with their lines', () => {
  it.each<[string, RegExp]>([
    ['', /^error - there is no <template>/],
    ['<div><template></template></div>', /^error - there is no <template>/],
    [`<template ${attributes}>${register}`, /^error 1 the <template> is not closed/],
    [
      `<template ${attributes}><!-- __timelines --></template>`,
      /^error 1 the <template> contains no element/,
    ],
    [having('').replace('data-composition-id="a"', ''), /^error 1 data-composition-id is missing/],
    [having('').replace('640', '64px'), /^error 1 data-width must be a whole number of pixels, 1 to 4096/],
    [having('').replace('360', '4097'), /^error 1 data-height must be/],
    [
      having('<img src="logo.png">'),
      /^error 3 <img src="logo\.png"> is external; .* data: URI, or use the name of an image/,
    ],
    [having('<img\nsrcset="https://example.com/a.png 2x">'), /^error 4 <img srcset="https:/],
    [having('<svg><image xlink:href="file:///etc/passwd"/></svg>'), /^error 3 <image href="file:\/\/\/etc/],
    [
      having('<link rel="prefetch" href="//example.com">'),
      /^error 3 <link href="\/\/example\.com"> is external/,
    ],
    [having('<script src="http://example.com/a.js"></script>'), /^error 3 <script src="http:/],
    [having('<p style="background: url( \'a.png\' )">'), /^error 3 the style loads a\.png/],
    [having('<style>\n\n@import "b.css";</style>'), /^error 5 the style loads b\.css/],
    [having('<div><div><video src="data:,"></video></div></div>'), /^error 3 <video> plays by its own clock/],
    [`${having('')}<p>more</p>`, /^warning 5 <p> outside the first <template> is ignored/],
    [`${having('')}\n<template></template>`, /^warning 6 <template> outside the first/],
  ])('%s', (source, expected) => {
    expect(problemTexts(source)).toEqual([expect.stringMatching(expected)])
  })

  it('all at once, in order', () => {
    const problems = problemTexts(
      having('<img src="a.png">\n<iframe></iframe>\n<img src="b.png">').replace('640', ''),
    )
    expect(problems.map((problem) => problem.split(' ', 2).join(' '))).toEqual([
      'error 1',
      'error 3',
      'error 4',
      'error 5',
    ])
  })

  it('as a sentence with only the first problems', () => {
    const { problems } = readParticle(having('<img src="a">'.repeat(10)))
    expect(describeProblems(problems)).toMatch(/^line 3: .*; and 2 more$/)
  })
})

describe('a hostile source', () => {
  /** Processor time of work, s. */
  const seconds = (work: () => unknown) => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1e6
  }

  it.each([
    ['elements in elements', '<div>'.repeat(600), /more than 512 levels deep/],
    [
      'elements that make the parser search all open ones',
      '<b>'.repeat(300_000) + '<li>'.repeat(300_000),
      /512 levels deep/,
    ],
    [
      'attributes that are compared with all earlier ones',
      `<p ${Array.from({ length: 300_000 }, (_, n) => `a${n}`).join(' ')}>`,
      /attributes/,
    ],
  ])('%s is rejected immediately', (_, inside, expected) => {
    let problems: string[] = []
    // Without the limits, parsing takes minutes.
    expect(seconds(() => (problems = problemTexts(having(inside))))).toBeLessThan(30)
    expect(problems).toEqual([expect.stringMatching(expected)])
  })

  // In `npm test`, a fifth of the size has an eleventh of the time: quadratic work takes a twenty-fifth.
  const scale = soakSize(0.2, 1)
  const distance = 160_000 * scale

  it.each([
    ['elements side by side', '<img src="a">\n'.repeat(200_000 * scale)],
    ['addresses on lines of one style', `<style>${'url(a)\n'.repeat(2_300_000 * scale)}</style>`],
    // Counting lines from the beginning each time, the second takes minutes and the third almost one.
    [
      'addresses that are far from each other',
      `<style>${`${'\n'.repeat(distance)}url(a)`.repeat(100)}</style>`,
    ],
  ])('with many %s is read, and the first problems are reported', (_, inside) => {
    let problems: string[] = []
    expect(seconds(() => (problems = problemTexts(having(inside))))).toBeLessThan(30 * scale ** 1.5)
    expect(problems).toHaveLength(100)
    const line = Number(/^error (\d+) /.exec(problems[1] ?? '')?.[1])
    expect([4, distance + 3, 2 * distance + 3]).toContain(line)
  })

  it('with many lines gets the right line numbers', () => {
    expect(problemTexts(having('<style>\nurl(a) url(#b)\n\nurl(c)</style>'))).toEqual([
      expect.stringMatching(/^error 4 the style loads a/),
      expect.stringMatching(/^error 6 the style loads c/),
    ])
  })

  it('of any text never throws, and has a canvas of allowed sides where it has one', () => {
    const part = fc.constantFrom(
      '<template ',
      attributes,
      '>',
      '</template>',
      '<p',
      '"',
      "'",
      '<!--',
      '<script>',
      '</script>',
      '<svg>',
      '<table>',
      '<style>url(',
      '\n',
      ' data-width="9"',
      '<select>',
      '<math>',
      '\0',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 40 }), (parts) => {
        const { declaration, problems } = readParticle(parts.join(''))
        if (!declaration) expect(problems.length).toBeGreaterThan(0)
        else
          expect([declaration.width, declaration.height].every((side) => side >= 1 && side <= 4096)).toBe(
            true,
          )
      }),
    )
  })
})
