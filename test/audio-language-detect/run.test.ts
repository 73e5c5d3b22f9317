import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MediaError } from '../../src/contract/errors.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configuredPacks, configurePacks } from '../../src/engines/packs/resolve.ts'
import { pullPacks } from '../../src/commands/manage-packs.ts'
import { requireAll } from '../../src/engines/readiness.ts'
import { audioLanguageDetect } from '../../tools/audio-language-detect/contract.ts'
import { plan } from '../../tools/audio-language-detect/plan.ts'
import { requirements } from '../../tools/audio-language-detect/requirements.ts'
import { run } from '../../tools/audio-language-detect/run.ts'
import { generateMedia, picture, scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { corruptBytes } from '../engines/ffmpeg/corrupt-bytes.ts'
import { hasSpeechFiles, pathOf } from '../engines/speech/recordings.ts'
import { writeFakePack, whisperDecoder, whisperEncoder } from '../engines/speech/fake-speech-models.ts'
import { sampleCases } from '../soak-size.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { writeFakeWhisper } from './fake-whisper.ts'

const folder = await scratchFolder()

const whisper = await writeFakeWhisper(folder)
const mirror = testdata('models')

/** Runs the operation as a worker does. */
async function detect(path: string) {
  const files = await stageFiles([path])
  const input = audioLanguageDetect.input.parse({ file_id: fileIdOf(path) })
  plan(input, files)
  await requireAll(requirements(input, files))
  const { context } = createTestContext(files, folder)
  return audioLanguageDetect.output.parse(await run(input, context))
}

describe.skipIf(!hasSpeechFiles)('with the public test files (REELWRIGHT_TESTDATA)', () => {
  if (mirror === undefined) return
  configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror, own: { whisper }, manifest })

  test('returns the five most likely languages with contract codes', async () => {
    const { candidates, ...best } = await detect(pathOf('kennedy'))
    expect(candidates).toHaveLength(5)
    const [first] = candidates
    expect(best).toEqual({ ...first, detected_window_sec: 11, engine: 'whisper' })
    const confidences = candidates.map(({ confidence }) => confidence)
    expect(confidences.toSorted((one, other) => other - one)).toEqual(confidences)
    expect(confidences.reduce((sum, confidence) => sum + confidence, 0)).toBeLessThanOrEqual(1)
    const codes = Object.fromEntries(candidates.map(({ language, raw_language }) => [raw_language, language]))
    expect(codes).toMatchObject({ zh: 'zh-CN', cy: null, en: 'en-US', es: 'es-ES' })
  })

  test('analyses only the first 30 s of any file with sound', async () => {
    const long = await generateMedia(join(folder, 'long.mp4'), [
      ...picture(1),
      ...['-stream_loop', '4', '-i', pathOf('kennedy'), '-c:a', 'aac', '-pix_fmt', 'yuv420p'],
    ])
    expect((await detect(long)).detected_window_sec).toBe(30)
  })

  test('reports sound that cannot be decoded', async () => {
    const coded = await generateMedia(join(folder, 'hole.m4a'), ['-i', pathOf('kennedy'), '-c:a', 'aac'])
    expect(await detect(await corruptBytes(coded))).toMatchObject({
      notes: ['part of the sound is missing or cannot be decoded; it was treated as silence'],
    })
  })

  const wordless = [
    ['silence', 'anullsrc=d=5'],
    ['a tone', 'sine=d=5'],
    ['noise', 'anoisesrc=d=5:a=0.3:seed=4'],
  ] as const

  test.each(sampleCases(wordless, 1))('%s gets a language with low confidence', async (name, source) => {
    const path = await generateMedia(join(folder, `${name}.wav`), ['-f', 'lavfi', '-i', source])
    const { raw_language, confidence, candidates } = await detect(path)
    expect(raw_language).not.toBe('')
    expect(confidence).toBeLessThan(0.2)
    expect(candidates).toHaveLength(5)
  })

  test('rejects a file without sound before anything is charged', async () => {
    const silentVideo = await generateMedia(join(folder, 'silent.mp4'), [
      ...picture(1),
      '-pix_fmt',
      'yuv420p',
    ])
    await expect(detect(silentVideo)).rejects.toMatchObject({
      code: 6016,
      message: 'file_id: silent.mp4 has no sound',
    })
  })

  test('the command in the error installs everything from a mirror', async () => {
    const from = join(folder, 'mirror')
    const files = {
      'tiny-encoder.int8.onnx': whisperEncoder(),
      'tiny-decoder.int8.onnx': whisperDecoder({ 50_260: -2 }),
    }
    const known = { ...manifest, ...(await writeFakePack(from, 'whisper-tiny', files)) }
    await copyFile(join(mirror, 'silero-vad.onnx'), join(from, 'silero-vad.onnx'))
    const dataDir = join(folder, 'data')
    const packs = { folder: join(dataDir, 'packs'), automatic: false, mirror: from, own: {}, manifest: known }
    const before = configuredPacks()
    configurePacks(packs)
    onTestFinished(() => before && configurePacks(before))
    const missing = await detect(pathOf('kennedy')).catch((error: unknown) => error)
    expect(missing).toMatchObject({ code: 6401, retryable: false })
    const [, names = ''] = /^reelwright models pull (.+)$/.exec((missing as MediaError).hint) ?? []
    expect(names.split(' ')).toEqual(['whisper-tiny', 'voice-activity'])
    await pullPacks({ packs, dataDir, io: process }, names.split(' '))
    expect(await detect(pathOf('kennedy'))).toMatchObject({ engine: 'whisper-tiny', language: 'zh-CN' })
  })
})
