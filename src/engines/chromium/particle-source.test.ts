import { expect, it } from 'vitest'
import { animatedImageLine } from './particle-source.ts'

it.each([
  ['images', 'data:image/png'],
  ['parameters', 'data:;;base64;'],
  ['drawings', 'data:image/svg+xml,<svg>'],
])('reads 2 MiB that only begins like %s in linear time', (_, beginning) => {
  const source = (bytes: number) => beginning.repeat(bytes / beginning.length)
  const read = (bytes: number) => {
    const text = source(bytes)
    const begun = process.cpuUsage()
    expect(animatedImageLine(text)).toBeUndefined()
    const { user, system } = process.cpuUsage(begun)
    return (user + system) / 1000
  }
  read(2 ** 16)
  const quarter = read(2 ** 19)
  // A quadratic search would take sixteen times as long, minutes.
  expect(read(2 ** 21)).toBeLessThan(quarter * 10 + 500)
})

const control = '\x21\xf9\x04'
const twice = `GIF89a${control}one${control}two`
const gif = `data:image/gif;name=a;base64,${btoa(twice)}`
const webp = 'RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\x02'
const percents = (text: string) => Buffer.from(text, 'latin1').toString('hex').replaceAll(/../g, '%$&')
const box = (brand: string, compatible: string) =>
  `data:image/avif;base64,${btoa(`\0\0\0\x1cftyp${brand}\0\0\0\0mif1${compatible}miaf\0\0\0\x10avis`)}`
const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
const base64 = (text: string) => `data:image/svg+xml;base64,${btoa(text)}`
const escaped = (text: string) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
const animate = '<rect><animate attributeName="x" to="9" dur="1s"/></rect>'

it.each([
  ['a GIF with parameters', `<img src="${gif}">`],
  ['an AVIF sequence', `<img src="${box('avis', 'avif')}">`],
  ['an AVIF sequence with the brand in second place', `<img src="${box('avif', 'avis')}">`],
  ['an SVG with SMIL', `<img src="${base64(svg(animate))}">`],
  ['an SVG with CSS', `b { background: url(${escaped(svg('<style>@keyframes a {}</style>'))}) }`],
  ['an SVG with a style', `<img src="${escaped(svg('<g style="animation: a 1s"/>'))}">`],
  ['an unescaped SVG', `<img src='data:image/svg+xml,${svg(animate)}'>`],
  ['a GIF without a type', `<img src="data:;base64,${btoa(twice)}">`],
  ['a GIF without anything before', `<img src="data:,${percents(twice)}">`],
  ['a GIF declared as JPEG', `<img src="data:image/jpeg;base64,${btoa(twice)}">`],
  ['a GIF declared as PNG', `<img src="data:image/png;base64;a=b,${btoa(twice)}">`],
  ['a GIF with many parameters', `<img src="data:image/gif${';a=b'.repeat(500)};base64,${btoa(twice)}">`],
  ['a GIF split over lines', `<img src="data:image/gif;base64,${btoa(twice).replaceAll(/.{8}/g, '$&\n')}">`],
  ['a PNG declared as GIF', `<img src="data:image/gif;base64,${btoa('\x89PNG\r\n\x1a\n acTL IDAT')}">`],
  ['a WebP declared as AVIF', `<img src="data:image/avif;base64,${btoa(webp)}">`],
  [
    'an AVIF sequence declared as text',
    `<img src="${box('avis', 'avif').replace('image/avif', 'text/html')}">`,
  ],
  ['a drawing that holds a GIF before it', `<img src="${base64(svg(`<image href="${gif}"/>`))}">`],
  [
    'a drawing behind an image',
    `<img src='data:image/svg+xml,${svg(`<image href="data:image/png;base64,AA=="/>${animate}`)}'>`,
  ],
])('finds %s', (_, source) => {
  expect(animatedImageLine(`\n${source}`)).toBe(2)
})

it.each([
  ['an AVIF', `<img src="${box('avif', 'mif1')}">`],
  ['a GIF with one picture', `<img src="data:image/png;base64,${btoa(`GIF89a${control}one`)}">`],
  ['text that is not an image', `<a href="data:text/plain,${control}${control}">`],
  ['a drawing', `<img src="${base64(svg('<g id="animation"/>'))}">`],
  ['a drawing beside one of the page that is animated', `<img src="${escaped(svg('<g/>'))}">${svg(animate)}`],
  ['an address that a script completes', `'data:image/svg+xml,' + drawn; '${svg(animate)}'`],
])('accepts %s', (_, source) => {
  expect(animatedImageLine(source)).toBeUndefined()
})

/** Nests SVGs, each escaped once more than the outer one. */
const nested = (depth: number) =>
  Array.from({ length: depth }, (_, level) => {
    const colon = level === 0 ? ':' : `%${'25'.repeat(level - 1)}3A`
    return `data${colon}image/svg+xml,<svg><image href='`
  }).join('')

it('inspects nested SVGs, and limits their depth', () => {
  expect(animatedImageLine(nested(4))).toBeUndefined()
  const begun = process.cpuUsage()
  expect(animatedImageLine(nested(1000))).toBe(1)
  const { user, system } = process.cpuUsage(begun)
  expect((user + system) / 1000).toBeLessThan(1000)
})
