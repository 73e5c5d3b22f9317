import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { embedSoundQuery, findSoundModel, openSoundModel } from '../../../src/engines/embedding/open-sound.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { planMedia } from '../ffmpeg/generate-together.ts'
import { clapDimensions, clapTokenIds, installFakeClap, soundWords } from './fake-clap.ts'

const folder = await scratchFolder()
const packs = { plain: join(folder, 'plain'), masked: join(folder, 'masked'), none: join(folder, 'none') }
await installFakeClap(packs.plain)
await installFakeClap(packs.masked, { hasMask: true })
const { signal } = new AbortController()

const use = (path: string) => configurePacks({ folder: path, automatic: false, own: {}, manifest })
beforeEach(() => use(packs.plain))

/** Plans a sound by the source of a filter graph. Returns its path. */
const plan = planMedia(folder)
const sound = (name: string, source: string, more: readonly string[] = []) =>
  plan(name, ['-f', 'lavfi', '-i', source, ...more])

async function embedSound(path: string) {
  await using model = await openSoundModel(1)
  return await model.embedSound(path, { signal })
}

/** Index of the largest number of a vector, which is of length 1. */
function peak(values: Float32Array | undefined): number {
  expect(values).toHaveLength(1024)
  expect(Math.abs(Math.hypot(...(values ?? [])) - 1)).toBeLessThan(1e-6)
  return values?.indexOf(Math.max(...values)) ?? -1
}

test('the towers are found by the pack, in a space of their own', async () => {
  expect(await findSoundModel()).toEqual({ name: 'clap', space: 'clap-htsat-unfused/c28f288/1' })
  await using model = await openSoundModel(1)
  expect(model).toMatchObject({ name: 'clap', space: 'clap-htsat-unfused/c28f288/1' })
})

test.each(['plain', 'masked'] as const)(
  'a text becomes the output of the %s text tower, filled with zeros',
  async (name) => {
    use(packs[name])
    await using model = await openSoundModel(1)
    const vector = await model.embedText('hum hum whistle')
    const expected = new Float32Array(1024)
    for (const [token, value] of [
      ['<s>', 0.1],
      ['</s>', 0.1],
    ] as const)
      expected[100 + (clapTokenIds[token] ?? -1)] = value
    expected[soundWords.hum] = 2
    expected[soundWords.whistle] = 1
    const length = Math.hypot(...expected)
    for (const [at, value] of vector.entries()) expect(value).toBeCloseTo((expected[at] ?? 0) / length, 6)
    expect([...vector.subarray(clapDimensions)].every((value) => value === 0)).toBe(true)
  },
)

test('a text of more than 77 tokens keeps its start and its end token', async () => {
  await using model = await openSoundModel(1)
  const vector = await model.embedText(`beep${' hum'.repeat(100_000)}`)
  expect((vector[soundWords.hum] ?? 0) / (vector[soundWords.beep] ?? 0)).toBeCloseTo(74, 3)
  expect(vector[100 + (clapTokenIds['</s>'] ?? -1)]).toBeGreaterThan(0)
})

const whistle = sound('a.wav', 'sine=f=4000:d=1', ['-ar', '44100', '-ac', '2'])
const hum = sound('b.mp3', 'sine=f=220:d=15', ['-ar', '48000'])
const beep = sound('c.flac', 'sine=f=1000:d=0.05', ['-ar', '96000'])

test('sounds of any format, length, rate and number of channels become vectors of what is heard', async () => {
  const found = []
  for (const path of [whistle, hum, beep])
    found.push((await embedSound(path)).map(({ startMs, values }) => [startMs, peak(values)]))
  const [whistleBand, humBand, beepBand] = [soundWords.whistle, soundWords.hum, soundWords.beep]
  expect(found).toEqual([
    [[0, whistleBand]],
    [
      [0, humBand],
      [10_000, humBand],
    ],
    [[0, beepBand]],
  ])
})

const long = sound('long.mp3', "aevalsrc='0.5*sin(2*PI*t*if(lt(t,60),220,4000))':s=16000:d=95")

test('of a long sound, spread pieces are embedded, equally each time', async () => {
  const vectors = await embedSound(long)
  expect(vectors.map(({ startMs, values }) => [startMs, peak(values)])).toEqual([
    ...[0, 20_000, 40_000].map((at) => [at, soundWords.hum]),
    ...[60_000, 80_000].map((at) => [at, soundWords.whistle]),
  ])
  expect(await embedSound(long)).toEqual(vectors)
})

test('a query has a vector only with a model that loads, and with Latin letters', async () => {
  const query = await embedSoundQuery('whistle', 1)
  expect([query?.space, peak(query?.values)]).toEqual(['clap-htsat-unfused/c28f288/1', soundWords.whistle])
  expect(peak((await embedSoundQuery('哨 whistle', 1))?.values)).toBe(soundWords.whistle)
  for (const text of ['口哨声', 'свист', '123', '…']) expect(await embedSoundQuery(text, 1)).toBeUndefined()
  use(packs.none)
  expect(await findSoundModel()).toBeUndefined()
  expect(await embedSoundQuery('whistle', 1)).toBeUndefined()
})

test.each(['clap-htsat-unfused-text.onnx', 'clap-htsat-unfused-tokenizer.json'])(
  'with a damaged %s, a query has no vector, and the error names the command',
  async (file) => {
    const damaged = join(folder, file)
    const path = join(await installFakeClap(damaged), file)
    await writeFile(path, Buffer.alloc((await readFile(path)).length))
    use(damaged)
    expect(await embedSoundQuery('whistle', 1)).toBeUndefined()
    await using model = await openSoundModel(1)
    await expect(model.embedText('whistle')).rejects.toMatchObject({
      ...{ code: 6401, retryable: false },
      hint: expect.stringContaining('reelwright models verify') as string,
    })
  },
)

test('without the pack, opening names the command that installs it', async () => {
  use(packs.none)
  await expect(openSoundModel(1)).rejects.toMatchObject({
    ...{ code: 6401, retryable: false },
    hint: expect.stringMatching(/^reelwright models pull clap/) as string,
  })
})
