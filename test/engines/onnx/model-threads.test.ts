import { expect, test } from 'vitest'
import { openModelThreads } from '../../../src/engines/onnx/model-threads.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import { newWindowAnalysis } from '../../../src/engines/piano/basic-pitch-window.ts'
import { basicPitchFrames, openBasicPitchModel } from '../../../src/engines/piano/basic-pitch.ts'
import { temporaryFolder } from '../../mcp/temporary-folder.ts'
import { startMirror } from '../../packs/mirror.ts'
import { modelBytes, modelPack, testPacks } from '../../packs/pack-fixtures.ts'
import { soakSize } from '../../soak-size.ts'
import { testdata } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from '../vision/test-packs.ts'

// Model threads, tested with piano transcription.

test('a model that fails to load is reported to every caller', async () => {
  await using scratch = await temporaryFolder()
  await using mirror = await startMirror({ 'eyes.onnx': modelBytes })
  const known = { 'onnx-runtime': manifest['onnx-runtime'], 'piano-transcription': modelPack() }
  configurePacks(testPacks(scratch.path, known, { mirror: mirror.address }))
  await using threads = await openBasicPitchModel(2, new AbortController().signal)
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => threads.run(newWindowAnalysis(), [])),
  )
  for (const one of results) {
    expect(one).toMatchObject({
      status: 'rejected',
      reason: { code: 6401, retryable: false, message: 'piano transcription does not run on this machine' },
    })
  }
})

test('a request to a thread that is stuck fails, and so do later ones', async () => {
  await using scratch = await temporaryFolder()
  await using mirror = await startMirror({ 'eyes.onnx': modelBytes })
  const known = { 'onnx-runtime': manifest['onnx-runtime'], 'piano-transcription': modelPack() }
  configurePacks(testPacks(scratch.path, known, { mirror: mirror.address }))
  const module = new URL('./silent-thread', import.meta.url)
  const kind = { pack: 'piano-transcription', purpose: 'the test', module, stallMs: 1000 } as const
  await using threads = await openModelThreads<null, null>(kind, 1, new AbortController().signal)
  const stuck = { code: 6402, retryable: true, message: 'the test made no progress for 1 s' }
  await expect(threads.run(null, [])).rejects.toMatchObject(stuck)
  await expect(threads.run(null, [])).rejects.toMatchObject(stuck)
})

/** Length of the audio, seconds: several windows of two. */
const seconds = soakSize(6, 12)

/** Non-repeating audio, in chunks. */
async function* sampleCases(): AsyncGenerator<Float32Array> {
  for (let from = 0; from < seconds * 22_050; from += 10_000) {
    const at = (index: number) => (from + index) / 22_050
    yield await Promise.resolve(
      Float32Array.from(
        { length: 10_000 },
        (_, index) => 0.1 * Math.sin(700 * at(index) + 60 * at(index) ** 2),
      ),
    )
  }
}

test.skipIf(testdata('models') === undefined)(
  'results of several threads arrive in order of the audio, and end when the consumer stops (REELWRIGHT_TESTDATA)',
  async () => {
    await using scratch = await temporaryFolder()
    useTestPacks(scratch.path)
    const onsetsWith = async (threads: number, stop = new AbortController(), maxOnsets = Infinity) => {
      await using opened = await openBasicPitchModel(threads, stop.signal)
      const onsets: number[] = []
      for await (const frame of basicPitchFrames(opened, sampleCases(), { signal: stop.signal })) {
        onsets.push(...frame.onsets)
        if (onsets.length >= maxOnsets) stop.abort(new Error('enough'))
      }
      return onsets
    }
    const alone = await onsetsWith(1)
    expect(alone.length).toBeGreaterThan(seconds * 86 * 88)
    expect(await onsetsWith(3)).toEqual(alone)
    await expect(onsetsWith(2, new AbortController(), 1)).rejects.toThrow('enough')
  },
)
