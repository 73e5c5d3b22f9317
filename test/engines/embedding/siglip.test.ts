import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { ImageError } from '../../../src/engines/embedding/image-error.ts'
import { findEmbeddingModel, openEmbeddingModel } from '../../../src/engines/embedding/open.ts'
import { normalizedPlanes } from '../../../src/engines/embedding/siglip.ts'
import { openSiglipTokenizer } from '../../../src/engines/embedding/siglip-tokenizer.ts'
import { readSquarePicture } from '../../../src/engines/embedding/square-picture.ts'
import { unitVector } from '../../../src/engines/embedding/unit-vector.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import { requireAll } from '../../../src/engines/readiness.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { generateMedia, scratchFolder } from '../ffmpeg/generate-media.ts'
import { planMedia } from '../ffmpeg/generate-together.ts'
import { installFakeSiglip, siglipSizes, textTowerOutput, tokenIds } from './fake-siglip.ts'

const folder = await scratchFolder()
const plan = planMedia(folder)
const packs = { large: join(folder, 'large'), base: join(folder, 'base'), none: join(folder, 'none') }
const base = await installFakeSiglip(packs.base, 'siglip2-base')
await installFakeSiglip(packs.large, 'siglip2-large')
await installFakeSiglip(packs.large, 'siglip2-base')
const { signal } = new AbortController()

const use = (name: keyof typeof packs) =>
  configurePacks({ folder: packs[name], automatic: false, own: {}, manifest })
beforeEach(() => use('base'))

const open = () => openEmbeddingModel({ threads: 1, signal })

/** Plans a test picture in a format. Returns its path. */
function image(name: string, source = 'testsrc=s=300x200', more: readonly string[] = []): string {
  return plan(name, ['-f', 'lavfi', '-t', '0.04', '-i', source, ...more, '-frames:v', '1'])
}
const good = image('good.png')

describe('texts', () => {
  const ids = (...tokens: readonly string[]) => tokens.map((token) => tokenIds[token] ?? expect.fail(token))
  const padded = (tokens: readonly number[]) =>
    Array.from({ length: 64 }, (_, at) => tokens[at] ?? tokenIds['<pad>'])

  test('are tokenized in lower case, end with <eos> and are padded with <pad> to 64', async () => {
    const tokenizer = await openSiglipTokenizer(base)
    const encode = (text: string) => [...tokenizer.encode(text)].map(Number)
    expect(encode('A Cat')).toEqual(padded(ids('a', '▁', 'cat', '<eos>')))
    expect(encode('DOG 猫')).toEqual(padded(ids('dog', '▁', '猫', '<eos>')))
    expect(encode('')).toEqual(padded(ids('<eos>')))
    // Truncated, it keeps its end.
    expect(encode('cat'.repeat(100))).toEqual([
      ...Array<number>(63).fill(tokenIds['cat'] ?? -1),
      tokenIds['<eos>'],
    ])
    const long = encode('dog'.repeat(1_000_000))
    expect(long).toEqual([...Array<number>(63).fill(tokenIds['dog'] ?? -1), tokenIds['<eos>']])
  })

  test('become the pooled output of the text tower, filled with zeros and of length 1', async () => {
    await using model = await open()
    const [vector] = await model.embedTexts(['a cat'], { signal })
    const expected = unitVector(
      textTowerOutput('siglip2-base', padded(ids('a', '▁', 'cat', '<eos>')).map(Number)),
    )
    expect(vector).toHaveLength(1024)
    const difference = Math.max(...(vector ?? []).map((value, at) => Math.abs(value - (expected?.[at] ?? 9))))
    expect(difference).toBeLessThan(1e-6)
    expect([...(vector ?? [])].slice(768).every((value) => value === 0)).toBe(true)
  })

  test('a task precedes the text', async () => {
    await using model = await open()
    const [cat] = await model.embedTexts(['cat'], { signal })
    const [dogCat] = await model.embedTexts(['dog cat'], { signal })
    expect(await model.embedTexts(['cat'], { task: 'dog', signal })).toEqual([dogCat])
    expect(await model.embedTexts(['cat'], { task: 'dog ', signal })).toEqual([dogCat])
    expect(dogCat).not.toEqual(cat)
  })
})

describe('images', () => {
  test('become planes of -1 to 1, resized to the square of the model without cropping', async () => {
    for (const pack of sampleCases(['siglip2-base', 'siglip2-large'] as const, 1)) {
      use(pack === 'siglip2-base' ? 'base' : 'large')
      const { side, dimensions } = siglipSizes[pack]
      await using model = await open()
      expect(model.name).toBe(pack)
      const [vector] = await model.embedImages([good], { signal })
      const planes = normalizedPlanes(await readSquarePicture(good, side, signal))
      expect(planes).toHaveLength(3 * side * side)
      expect([Math.min(...planes.slice(0, 5000)), Math.max(...planes.slice(0, 5000))]).toEqual([-1, 1])
      const parts = planes.length / dimensions
      const means = Array.from({ length: dimensions }, (_, at) => {
        let sum = 0
        for (let part = 0; part < parts; part += 1) sum += planes[part * dimensions + at] ?? 0
        return sum / parts
      })
      const expected = unitVector(means) ?? []
      const difference = Math.max(...(vector ?? []).map((value, at) => Math.abs(value - (expected[at] ?? 9))))
      expect(difference).toBeLessThan(1e-5)
    }
  })

  const stored = image('stored.jpg', 'testsrc=s=320x200', ['-q:v', '2'])

  test('are upright, whatever their EXIF orientation', async () => {
    const turned = await generateMedia(join(folder, 'turned.png'), ['-i', stored, '-vf', 'transpose=clock'])
    const photo = await readFile(stored)
    // EXIF with one tag, orientation 6: turn clockwise.
    const exif = Buffer.from(
      'ffe1002245786966000049492a0008000000010012010300010000000600000000000000',
      'hex',
    )
    const path = join(folder, 'photo.jpg')
    await writeFile(path, Buffer.concat([photo.subarray(0, 2), exif, photo.subarray(2)]))
    const [upright, expected, asStored] = await Promise.all(
      [path, turned, stored].map((one) => readSquarePicture(one, 224, signal)),
    )
    expect(largestDifference(upright, expected)).toBeLessThanOrEqual(2)
    expect(largestDifference(upright, asStored)).toBeGreaterThan(100)
  })

  const half = image('half.png', 'color=c=black@0.5:s=64x64,format=rgba')
  const none = image('none.png', 'color=c=black@0:s=64x64,format=rgba')

  test('are placed on white where they are transparent', async () => {
    expect([...new Set(await readSquarePicture(half, 8, signal))]).toEqual([128])
    expect([...new Set(await readSquarePicture(none, 8, signal))]).toEqual([255])
  })

  const all: readonly Parameters<typeof image>[] = [
    ['wide.webp', 'testsrc=s=4000x3'],
    ['one.bmp', 'color=red:s=2x2,format=rgb24,crop=1:1'],
    ['tall.jpg', 'testsrc=s=2x5000'],
    ['grey.png', 'testsrc=s=99x99', ['-pix_fmt', 'gray16be']],
  ]
  const shapes = sampleCases(all).map((each) => image(...each))

  test('of all formats and extreme shapes give vectors', async () => {
    await using model = await open()
    for (const vector of await model.embedImages(shapes, { signal })) expectUnit(vector)
  })

  const jpeg = image('whole.jpg')

  test('that are none get 6014, and those that do not decode 6021, with their index', async () => {
    const text = join(folder, 'text.png')
    await writeFile(text, 'just text')
    const broken = join(folder, 'broken.png')
    await writeFile(broken, (await readFile(good)).subarray(0, 40))
    const cut = join(folder, 'cut.jpg')
    await writeFile(cut, (await readFile(jpeg)).subarray(0, -100))
    await using model = await open()
    const failure = async (paths: readonly string[]): Promise<ImageError> => {
      try {
        await model.embedImages(paths, { signal })
      } catch (error) {
        return error as ImageError
      }
      return expect.fail('embedded')
    }
    const errors = [
      await failure([good, text]),
      await failure([broken]),
      await failure([jpeg, cut]),
      await failure([join(folder, 'no.png')]),
    ]
    expect(errors.map((error) => [error instanceof ImageError, error.code, error.index])).toEqual([
      [true, 6014, 1],
      [true, 6021, 0],
      [true, 6021, 1],
      [true, 6014, 0],
    ])
  })
})

const batched = Array.from({ length: soakSize(2, 16) }, (_, index) =>
  image(`${index}.png`, `testsrc2=s=${40 + index}x${60 - index}`),
)

test('a batch gives the same bits as single calls, and vectors have length 1', async () => {
  const texts = Array.from({ length: 16 }, (_, index) => `${'cat '.repeat(index)}dog`)
  await using model = await open()
  const batch = [
    ...(await model.embedTexts(texts, { signal })),
    ...(await model.embedImages(batched, { signal })),
  ]
  const single: Float32Array[] = []
  for (const text of texts) single.push(...(await model.embedTexts([text], { signal })))
  for (const path of batched) single.push(...(await model.embedImages([path], { signal })))
  expect(batch).toEqual(single)
  for (const vector of batch) expectUnit(vector)
})

test('the larger model is used if both are installed; vectors of each are of their own space', async () => {
  const found = []
  for (const name of ['base', 'large', 'none'] as const) {
    use(name)
    found.push(await findEmbeddingModel())
  }
  expect(found).toEqual([
    { name: 'siglip2-base', space: 'siglip2-base-patch16-224/ba1f3b0/1' },
    { name: 'siglip2-large', space: 'siglip2-large-patch16-256/c03fb63/1' },
    undefined,
  ])
  use('large')
  await using model = await open()
  expect(model.space).toBe('siglip2-large-patch16-256/c03fb63/1')
})

test('without a model, the error names the command that installs one', async () => {
  use('none')
  const missing = {
    code: 6401,
    retryable: false,
    hint: expect.stringMatching(/^reelwright models pull siglip2-base/) as unknown,
  }
  await expect(open()).rejects.toMatchObject(missing)
  await expect(requireAll([{ kind: 'embedding-model' }])).rejects.toMatchObject(missing)
  await requireAll([{ kind: 'embedding-model', optional: true }])
})

test('damaged files of a pack get 6401', async () => {
  const damaged = join(folder, 'damaged')
  const path = await installFakeSiglip(damaged, 'siglip2-base')
  configurePacks({ folder: damaged, automatic: false, own: {}, manifest })
  const { artifact } = manifest['siglip2-base']
  const size = (await readFile(join(path, artifact.file))).length
  await writeFile(join(path, artifact.file), Buffer.alloc(size))
  await rm(join(path, 'siglip2-tokenizer.json'))
  await writeFile(join(path, 'siglip2-tokenizer.json'), '')
  await expect(openSiglipTokenizer(path)).rejects.toMatchObject({ code: 6401, retryable: false })
  await expect(open()).rejects.toMatchObject({ code: 6401 })
})

function expectUnit(vector: Float32Array): void {
  expect(vector).toHaveLength(1024)
  expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(1e-6)
}

function largestDifference(
  one: Uint8Array = new Uint8Array(1),
  other: Uint8Array = new Uint8Array(1),
): number {
  expect(one.length).toBe(other.length)
  return one.reduce((largest, value, at) => Math.max(largest, Math.abs(value - (other[at] ?? 0))), 0)
}
