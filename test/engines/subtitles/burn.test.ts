import type { Size } from '../../../src/media/geometry.ts'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCanvas, GlobalFonts, loadImage } from '@napi-rs/canvas'
import { beforeAll, describe, expect, test } from 'vitest'
import { burnVideo } from '../../../src/engines/subtitles/burn.ts'
import { locateFfmpeg, useFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'
import { subtitleStyleNames } from '../../../src/contract/subtitle-styles.ts'
import { lineLimit, presetStyle } from '../../../src/media/subtitles/style-presets.ts'
import type { Typeface } from '../../../src/media/subtitles/text-width.ts'
import { wrapText } from '../../../src/media/subtitles/wrap.ts'
import { temporaryFolder } from '../../mcp/temporary-folder.ts'
import { sampleCases } from '../../soak-size.ts'
import { ffmpeg, rgbFrames, streams } from '../../video-split-screen/media.ts'
import { burnPixels, burnedOnGrey, presetAssFile, typefaceHere } from './burn-pixels.ts'
import { drawGoldenPreset, goldenPresetFile, goldenFonts } from './golden/golden.ts'

const canvases = [
  { width: 1920, height: 1080 },
  { width: 1080, height: 1080 },
  { width: 1080, height: 1920 },
]

const texts = {
  'zh-CN': '我以前从来没有去过海边，但是今年夏天一定要和你一起去看看大海，你觉得怎么样？',
  'ja-JP': '私はまだ一度も海へ行ったことがないので、この夏はあなたと一緒に見に行きたいです。',
  'ko-KR': '나는 아직 바다에 가 본 적이 없어서 올여름에는 꼭 너와 함께 바다를 보러 가고 싶어',
  'en-US':
    'I have never been to the sea before, but this summer I would WILLINGLY go and look at it with you.',
} as const

interface Ink {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Where a picture on grey has ink, px. */
function inkIn(pixels: Uint8Array, { width, height }: Size): Ink {
  const ink = { left: width, right: -1, top: height, bottom: -1 }
  for (let at = 0; at < width * height; at += 1) {
    const off = Math.abs((pixels[3 * at] ?? 128) - 128) + Math.abs((pixels[3 * at + 2] ?? 128) - 128)
    if (off < 24) continue
    const [x, y] = [at % width, Math.floor(at / width)]
    ink.left = Math.min(ink.left, x)
    ink.right = Math.max(ink.right, x)
    ink.top = Math.min(ink.top, y)
    ink.bottom = Math.max(ink.bottom, y)
  }
  return ink
}

/** Where each of some files has ink, burned on grey. */
async function inksOf(canvas: Size, files: readonly string[]): Promise<Ink[]> {
  const inks: Ink[] = []
  await burnedOnGrey(canvas, files, (pixels) => inks.push(inkIn(pixels, canvas)))
  expect(inks).toHaveLength(files.length)
  return inks
}

describe.each(sampleCases(canvases, 1))('$width x $height', (canvas) => {
  const looks = Object.entries(texts).flatMap(([language, text]) =>
    subtitleStyleNames.map((preset) => ({ language, text, preset })),
  )
  const drawn = new Map<string, { readonly typeface: Typeface; readonly ink: Ink }>()
  beforeAll(async () => {
    const faces = new Map<string, Typeface>()
    for (const language of Object.keys(texts)) faces.set(language, await typefaceHere(language))
    const all = looks.flatMap(({ language, ...look }) => {
      const typeface = faces.get(language)
      return typeface ? [{ ...look, canvas, typeface, name: `${language} ${look.preset}` }] : []
    })
    const inks = await inksOf(canvas, all.map(presetAssFile))
    for (const [index, ink] of inks.entries()) {
      const { name = '', typeface } = all[index] ?? {}
      if (typeface) drawn.set(name, { typeface, ink })
    }
  })

  test.each(looks)(
    '$language in $preset stays within the margins, as wide as was measured',
    ({ language, text, preset }) => {
      const { typeface, ink } = drawn.get(`${language} ${preset}`) ?? {}
      if (!typeface || !ink) throw new Error('it was not drawn')
      const style = presetStyle({ preset, colour: '雅黑', canvas, typeface, name: 'Default' })
      const room = lineLimit(style, canvas, typeface)
      const lines = wrapText(text, room)
      const { left, right, top, bottom } = ink
      expect(left).toBeGreaterThanOrEqual(style.marginX - 1)
      expect(right).toBeLessThanOrEqual(canvas.width - style.marginX)
      expect(typeface.isMeasured(text)).toBe(true)
      // Signs that are narrower than their place begin and end a line: at most an em of it has no ink.
      const measured = Math.max(...lines.map(room.measure)) + 2 * style.outline + style.shadow
      expect(right - left + 1).toBeLessThanOrEqual(measured + 5)
      expect(right - left + 1).toBeGreaterThan(measured - 1.2 * style.em)
      // As many lines as were made: libass broke none of them again.
      const high = bottom - top + 1 - 2 * style.outline - style.shadow
      expect(Math.abs(high / style.size - lines.length)).toBeLessThan(0.5)
    },
  )
})

test('two languages are placed one above the other without overlap in all presets', async () => {
  const [typeface, below] = [await typefaceHere('zh-CN'), await typefaceHere('en-US')]
  const canvas = { width: 640, height: 360 }
  const files = subtitleStyleNames.flatMap((preset) => {
    const look = { preset, canvas, typeface, text: '你好，我们去海边看看吧' }
    return [
      presetAssFile(look),
      presetAssFile({ ...look, original: { text: 'Let us go to the sea', typeface: below } }),
    ]
  })
  const inks = await inksOf(canvas, files)
  for (const index of subtitleStyleNames.keys()) {
    const [alone, both] = inks.slice(2 * index)
    if (!alone || !both) throw new Error('it was not drawn')
    expect(alone.top - both.top).toBeGreaterThan(0.5 * (alone.bottom - alone.top))
    expect(both.bottom).toBeLessThanOrEqual(canvas.height)
  }
})

const hasFonts = goldenFonts.every((name) => GlobalFonts.families.some(({ family }) => family === name))

test.skipIf(!hasFonts).each(sampleCases(subtitleStyleNames))(
  `%s looks as it was accepted (skipped without ${goldenFonts.join(', ')})`,
  async (preset) => {
    const { pixels, width, height } = await drawGoldenPreset(preset)
    const accepted = createCanvas(width, height)
    accepted.getContext('2d').drawImage(await loadImage(await readFile(goldenPresetFile(preset))), 0, 0)
    const wanted = accepted.data().filter((_, at) => at % 4 !== 3)
    // Of 255: what another release of libass or FreeType rounds. Letters half a pixel off make 9 at least.
    expect(worstFrameBlock(pixels, wanted, width)).toBeLessThan(5)
  },
)

/** The largest mean difference of a block of 16 x 16 pixels. */
function worstFrameBlock(one: Uint8Array, other: Uint8Array, width: number): number {
  const sums = new Map<number, number>()
  for (const [at, value] of one.entries()) {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)]
    const block = Math.floor(y / 16) * width + Math.floor(x / 16)
    sums.set(block, (sums.get(block) ?? 0) + Math.abs(value - (other[at] ?? 0)))
  }
  return Math.max(...sums.values()) / (16 * 16 * 3)
}

test('a video with any name and folder is burned, and its audio is kept', async () => {
  await using scratch = await temporaryFolder()
  const folder = join(scratch.path, String.raw`a'b,c;[d]=e:f %d`)
  await mkdir(folder)
  const path = join(folder, String.raw`-it's [1],'a'=b:c.mp4`)
  const output = join(folder, 'out;[x].mp4')
  const sources = ['-f', 'lavfi', '-i', 'color=gray:s=320x180:r=10:d=1', '-f', 'lavfi', '-i', 'sine=d=1']
  await ffmpeg(...sources, '-shortest', '-c:v', 'libx264', '-c:a', 'aac', `file:${path}`)
  const typeface = await typefaceHere('en-US')
  const ass = presetAssFile({ preset: 'boxed', canvas: { width: 320, height: 180 }, text: 'Hello', typeface })
  const job = { path, output, ass, folder, crf: 20, threads: 1, timeoutMs: 60_000, durationMs: 1000 }
  await burnVideo({ ...job, signal: undefined })
  const [first] = await rgbFrames(output, [5])
  if (!first) throw new Error('the result has no frame')
  expect(new Set(first).size).toBeGreaterThan(50)
  expect((await streams(output)).map(({ codec_type: kind }) => kind)).toEqual(['video', 'audio'])
})

test('widths are estimated until libass is available', async () => {
  const found = await locateFfmpeg()
  useFfmpeg({ ...found, filters: new Set() })
  try {
    const typeface = await typefaceHere('zh-CN')
    expect(typeface.isMeasured('你好')).toBe(false)
    expect(typeface.measure('你好', false)).toBeGreaterThan(2)
    // What is installed since is found again.
    const canvas = { width: 320, height: 180 }
    const file = presetAssFile({ preset: 'default', canvas, text: 'Hi', typeface })
    const blank = new Uint8Array(canvas.width * canvas.height * 3).fill(128)
    const pixels = await burnPixels({ ...canvas, pixels: blank }, file)
    expect(inkIn(pixels, canvas).right).toBeGreaterThan(0)
  } finally {
    useFfmpeg(found)
  }
})
