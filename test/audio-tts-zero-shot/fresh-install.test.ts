import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import { manifest, type Manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { pullPacks } from '../../src/commands/manage-packs.ts'
import { requireAll } from '../../src/engines/readiness.ts'
import { audioTtsZeroShot } from '../../tools/audio-tts-zero-shot/contract.ts'
import { requirements } from '../../tools/audio-tts-zero-shot/requirements.ts'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles } from '../engines/speech/recordings.ts'
import { createFakeSherpaPack } from '../engines/speech/fake-sherpa.ts'
import { writeFakePack } from '../engines/speech/fake-speech-models.ts'
import { fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { runTextToSpeech, shortReference } from './run-tts.ts'

const folder = await scratchFolder()

/** Voice and recogniser are fakes, whose files define the results. */
async function createFakePacks(mirror: string): Promise<Manifest> {
  const names = ['vocos_24khz.onnx', 'encoder.onnx', 'decoder.int8.onnx', 'lexicon.txt', 'espeak-ng-data']
  const voice = { ...Object.fromEntries(names.map((name) => [name, 'opens'])), 'tokens.txt': 'tone' }
  const recogniserFiles = { 'sense.model.onnx': 'opens', 'sense.tokens.txt': '{"text":"Good morning."}' }
  return {
    ...manifest,
    'sherpa-onnx': await createFakeSherpaPack(folder),
    ...(await writeFakePack(mirror, 'zipvoice', voice)),
    ...(await writeFakePack(mirror, 'sense-voice', recogniserFiles)),
  }
}

describe.skipIf(!hasSpeechFiles)('with the public test files (REELWRIGHT_TESTDATA)', () => {
  test('the command in the error installs everything from a mirror', async () => {
    const mirror = join(folder, 'mirror')
    const known = await createFakePacks(mirror)
    for (const file of ['silero-vad.onnx', 'pyannote-segmentation-3.int8.onnx'])
      await copyFile(join(testdata('models') ?? '', file), join(mirror, file))
    const dataDir = join(folder, 'data')
    const packs = { folder: join(dataDir, 'packs'), automatic: false, mirror, own: {}, manifest: known }
    configurePacks(packs)
    const recording = await shortReference(folder)
    const files = await stageFiles([recording])
    const request = { text: 'Good morning.', text_lang: 'en-US', ref_file_id: fileIdOf(recording) }
    const input = audioTtsZeroShot.input.parse(request)
    const missing = await requireAll(requirements(input, files)).then(
      () => expect.unreachable(),
      (error: unknown) => error,
    )
    expect(missing).toMatchObject({ code: 6401, retryable: false })
    const [, names = ''] =
      missing instanceof MediaError ? (/^reelwright models pull (.+)$/.exec(missing.hint) ?? []) : []
    await pullPacks({ packs, dataDir, io: process }, names.split(' '))
    await requireAll(requirements(input, files))
    const { output } = await runTextToSpeech(folder, recording, request)
    expect(output).toMatchObject({ engine: 'zipvoice', report: { ref: { ref_text: 'Good morning.' } } })
    expect(output.notes ?? []).not.toContainEqual(expect.stringMatching(/of the words/))
  })
})
