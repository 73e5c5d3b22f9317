import { expect, it } from 'vitest'
import { movingImageLine } from './moving-images.ts'

it('reads 2 MiB of what only begins like images about as fast as four times a quarter of it', () => {
  const source = (bytes: number) => 'data:image/png'.repeat(bytes / 14)
  const read = (bytes: number) => {
    const text = source(bytes)
    const begun = performance.now()
    expect(movingImageLine(text)).toBeUndefined()
    return performance.now() - begun
  }
  read(2 ** 16)
  const quarter = read(2 ** 19)
  // Were each beginning compared with all that follows, it would take sixteen times as long, minutes.
  expect(read(2 ** 21)).toBeLessThan(quarter * 10 + 500)
})

const control = '\x21\xf9\x04'
const gif = `data:image/gif;name=a;base64,${btoa(`GIF89a${control}one${control}two`)}`
const box = (brand: string, compatible: string) =>
  `data:image/avif;base64,${btoa(`\0\0\0\x1cftyp${brand}\0\0\0\0mif1${compatible}miaf\0\0\0\x10avis`)}`
const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
const base64 = (text: string) => `data:image/svg+xml;base64,${btoa(text)}`
const escaped = (text: string) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
const animate = '<rect><animate attributeName="x" to="9" dur="1s"/></rect>'

it.each([
  ['a GIF with parameters', `<img src="${gif}">`],
  ['a sequence of AVIF', `<img src="${box('avis', 'avif')}">`],
  ['a sequence of AVIF that tells it second', `<img src="${box('avif', 'avis')}">`],
  ['a drawing with SMIL', `<img src="${base64(svg(animate))}">`],
  ['a drawing with CSS', `b { background: url(${escaped(svg('<style>@keyframes a {}</style>'))}) }`],
  ['a drawing with a style', `<img src="${escaped(svg('<g style="animation: a 1s"/>'))}">`],
  ['a drawing written out', `<img src='data:image/svg+xml,${svg(animate)}'>`],
  ['a drawing that holds a GIF before it', `<img src="${base64(svg(`<image href="${gif}"/>`))}">`],
  [
    'a drawing behind an image',
    `<img src='data:image/svg+xml,${svg(`<image href="data:image/png;base64,AA=="/>${animate}`)}'>`,
  ],
])('finds %s', (_, source) => {
  expect(movingImageLine(`\n${source}`)).toBe(2)
})

it.each([
  ['an AVIF', `<img src="${box('avif', 'mif1')}">`],
  ['a drawing', `<img src="${base64(svg('<g id="animation"/>'))}">`],
  ['a drawing beside one of the page that is animated', `<img src="${escaped(svg('<g/>'))}">${svg(animate)}`],
  ['an address that a script completes', `'data:image/svg+xml,' + drawn; '${svg(animate)}'`],
])('lets %s be', (_, source) => {
  expect(movingImageLine(source)).toBeUndefined()
})
