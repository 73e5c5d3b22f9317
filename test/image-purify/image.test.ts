import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { copyProfile } from '../../src/media/image/icc-profile.ts'
import { imagePurify } from '../../tools/image-purify/contract.ts'
import { plan } from '../../tools/image-purify/plan.ts'
import { run } from '../../tools/image-purify/run.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { lazy } from '../../src/platform/cache.ts'
import { sampleCases } from '../soak-size.ts'
import { fileIdOf, runInWorker, stageFiles } from '../tasks/run-in-worker.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { addProfile, profileOf, readProfile } from './colour-profiles.ts'

const folder = await scratchFolder()
configurePacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })

async function clean(path: string, request: object) {
  const files = await stageFiles([path])
  return await runInWorker(
    { operation: imagePurify, plan, run },
    { file_id: fileIdOf(path), ...request },
    { files, folder },
  )
}

/** A colour gradient with a white cross in the middle third. */
const crossed =
  "color=black:size=120x90,format=gbrap,geq=r='if(between(X,40,79)*between(Y,30,59)*lt(mod(X+Y,9),4),255,40+X)'" +
  ":g='if(between(X,40,79)*between(Y,30,59)*lt(mod(X+Y,9),4),255,60+Y)':b=90:a='if(lt(X,20),100,255)'"

async function image(name: string, ...args: string[]): Promise<string> {
  const path = join(folder, name)
  await ffmpeg('-f', 'lavfi', '-i', crossed, '-frames:v', '1', ...args, path)
  return path
}

/** Returns the pixels of two pictures of one size. */
async function pixelsOfBoth(one: string, other: string): Promise<readonly [Buffer, Buffer]> {
  const stack = '[0]format=rgba[a];[1]format=rgba[b];[a][b]vstack'
  const both = await ffmpeg('-i', one, '-i', other, '-filter_complex', stack, '-f', 'rawvideo', 'pipe:1')
  return [both.subarray(0, both.length / 2), both.subarray(both.length / 2)]
}

const pixels = (path: string) => ffmpeg('-i', path, '-f', 'rawvideo', '-pix_fmt', 'rgba', 'pipe:1')
/** The marked area includes one pixel of margin. */
const regions = [{ x: 39 / 120, y: 29 / 90, w: 42 / 120, h: 32 / 90 }]
const isInside = (at: number, margin = 0) => {
  const [x, y] = [at % 120, Math.floor(at / 120)]
  return x >= 39 - margin && x < 81 + margin && y >= 29 - margin && y < 61 + margin
}

describe('boxes are filled from their surroundings', () => {
  // Some formats encode blocks of up to 16 pixels together.
  const formats: readonly (readonly [
    name: string,
    args: readonly string[],
    most: number,
    isProfiled: boolean,
  ])[] = [
    ['a.png', ['-pix_fmt', 'rgba'], 0, true],
    ['d.bmp', ['-pix_fmt', 'bgr24'], 0, false],
    ['b.jpg', ['-q:v', '2', '-pix_fmt', 'yuvj444p'], 6, true],
    ['c.png', ['-pix_fmt', 'rgb24'], 0, false],
    ['e.webp', ['-c:v', 'libwebp', '-quality', '95'], 8, true],
  ]

  it.each(sampleCases(formats, 4))(
    '%s: same format, no change outside',
    async (name, args, most, isProfiled) => {
      const source = await image(name, ...args)
      const profile = isProfiled ? profileOf('RGB ') : Buffer.alloc(0)
      if (isProfiled) await addProfile(source, profile)
      const { path, output, name: called } = await clean(source, { purify_scope: 'region', regions })
      expect(called).toBe(name.replace('.', '-clean.'))
      expect(output).not.toHaveProperty('notes')
      expect((await readProfile(path)).equals(profile)).toBe(true)
      const files = await stageFiles([source, path])
      const facts = [source, path].map((one) => files.get(fileIdOf(one)).facts?.video)
      expect(facts[1]).toMatchObject({
        width: 120,
        height: 90,
        codec: facts[0]?.codec,
        alpha: facts[0]?.alpha,
      })
      const [before, after] = await pixelsOfBoth(source, path)
      expect(before.length).toBe(120 * 90 * 4)
      let [outside, wrong] = [0, 0]
      for (let at = 0; at < 120 * 90; at++) {
        for (let channel = 0; channel < 4; channel++) {
          const place = at * 4 + channel
          const change = Math.abs((before[place] ?? 0) - (after[place] ?? 0))
          if (!isInside(at, most > 0 ? 16 : 0) || channel === 3) outside = Math.max(outside, change)
        }
        const [x, y] = [at % 120, Math.floor(at / 120)]
        // The gradient continues under the removed cross.
        if (isInside(at))
          wrong += Math.abs((after[at * 4] ?? 0) - 40 - x) + Math.abs((after[at * 4 + 1] ?? 0) - 60 - y)
      }
      expect(outside).toBeLessThanOrEqual(most)
      expect(wrong / (42 * 32 * 2)).toBeLessThan(20)
    },
  )

  const cleanedOdd = lazy(async () => {
    const path = join(folder, 'odd.png')
    const drawn = 'color=0x305070:size=35x21,format=gbrp,drawbox=x=29:c=white:t=fill'
    await ffmpeg('-f', 'lavfi', '-i', drawn, '-frames:v', '1', path)
    return await clean(path, { purify_scope: 'region', regions: [{ x: 0.8, y: 0, w: 0.2, h: 1 }] })
  })

  it('up to the edges of an image with odd sides', async () => {
    const after = await pixels((await cleanedOdd()).path)
    expect(after.length).toBe(35 * 21 * 4)
    for (let at = 0; at < 35 * 21; at++) expect(Math.abs((after[at * 4] ?? 0) - 0x30)).toBeLessThan(12)
  })

  it('a large place that is filled is reported, as it may repeat what is around it', async () => {
    expect((await cleanedOdd()).output.notes).toEqual([
      expect.stringMatching(
        /^20 % of the picture was filled in one place .*look at the result\. Images are not blurred or painted over$/,
      ),
    ])
  })
})

it('a CMYK colour profile is omitted and reported', async () => {
  const source = await image('print.jpg', '-pix_fmt', 'yuvj420p')
  await addProfile(source, profileOf('CMYK'))
  const { path, output } = await clean(source, { purify_scope: 'region', regions })
  expect(output.notes).toEqual([expect.stringContaining('colour profile')])
  expect(await readProfile(path)).toHaveLength(0)
})

it('the estimate of a tall image, which is searched in tiles, grows with its length', async () => {
  const seconds = async (size: string) => {
    const path = join(folder, `${size}.png`)
    const [width = 0, height = 0] = size.split('x').map(Number)
    await writeFile(path, createCanvas(width, height).toBuffer('image/png'))
    return plan(imagePurify.input.parse({ file_id: fileIdOf(path) }), await stageFiles([path])).seconds
  }
  expect(await seconds('90x1000')).toBeGreaterThan(3 * (await seconds('90x160')))
})

it('a WebP without an extended header gets the chunk that a profile needs', async () => {
  const profile = Buffer.concat([
    Buffer.from('RIFF    WEBPICCP'),
    Buffer.from([140, 0, 0, 0]),
    profileOf('RGB '),
  ])
  for (const [index, coding] of [
    ['-pix_fmt', 'yuv420p'],
    ['-lossless', '1', '-pix_fmt', 'bgra'],
  ].entries()) {
    const plain = await image(`plain-${index}.webp`, '-c:v', 'libwebp', ...coding)
    const path = join(folder, `profiled-${index}.webp`)
    const source = profile.subarray(0, 20 + 140)
    const resultPath = Buffer.concat(copyProfile(await readFile(plain), source) ?? [])
    await writeFile(path, resultPath)
    expect(resultPath.readUInt32LE(4)).toBe(resultPath.length - 8)
    expect(await readProfile(path)).toEqual(source.subarray(20))
    expect((await probe(path)).video).toMatchObject({ width: 120, height: 90, alpha: index === 1 })
    const [before, after] = await pixelsOfBoth(plain, path)
    expect(after.equals(before)).toBe(true)
  }
})

it('an animated WebP and images of other formats are named as such', async () => {
  const still = await readFile(await image('still.webp', '-c:v', 'libwebp', '-pix_fmt', 'yuv420p'))
  const chunk = (name: string, content: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(content.length)
    return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)])
  }
  const uint24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16])
  const side = [uint24(119), uint24(89)]
  const frame = Buffer.concat([uint24(0), uint24(0), ...side, uint24(100), Buffer.of(0), still.subarray(12)])
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', Buffer.concat([Buffer.of(2, 0, 0, 0), ...side])),
    chunk('ANIM', Buffer.alloc(6)),
    chunk('ANMF', frame),
    chunk('ANMF', frame),
  ])
  const moving = join(folder, 'moving.webp')
  await writeFile(moving, chunk('RIFF', body))
  const gif = join(folder, 'named.png')
  await ffmpeg('-f', 'lavfi', '-i', crossed, '-frames:v', '1', '-f', 'gif', gif)
  for (const [path, what] of [
    [moving, 'an animated WebP'],
    [gif, 'a GIF'],
  ] as const) {
    await expect(probe(path)).rejects.toMatchObject({
      code: 6017,
      message: `the file is ${what}, which is not supported`,
      hint: expect.stringContaining('video'),
    })
  }
})

it('a moving picture is not an image, whatever its extension', async () => {
  const path = join(folder, 'moving.mp4')
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=5', '-t', '1', path)
  await expect(clean(path, {})).rejects.toMatchObject({ code: 6014 })
  expect((await readFile(path)).length).toBeGreaterThan(0)
})
